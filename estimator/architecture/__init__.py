"""What a model is made of: parameters, cache and operations, from a config.json or the embedded catalogue.

Exact shapes, no framework. What a card must hold is `memory`'s, how long a pass takes is `duration`'s.
"""

from estimator.architecture.cache import (
    CacheBytes,
    cache_bytes,
    kv_elements_per_token,
    layer_elements_per_token,
    linear_state_elements,
    most_tokens,
)
from estimator.architecture.catalogued import from_catalogue
from estimator.architecture.metadata import MetadataCount, read_metadata
from estimator.architecture.model import (
    Architecture,
    Attention,
    Dense,
    Experts,
    FieldReading,
    LatentAttention,
    Layer,
    LinearAttention,
    Norms,
    Quantisation,
    Role,
    Stack,
    Weight,
    derived_fields,
)
from estimator.architecture.operations import (
    attended_pairs,
    forward_flops,
    multiplied_parameters,
    training_flops,
)
from estimator.architecture.parameters import (
    ParameterCount,
    adapter_parameters,
    largest_matrix,
    layer_parameters,
    next_token_parameters,
    parameters,
    stack_parameters,
)
from estimator.architecture.precision import (
    WeightScheme,
    fp8_blocks,
    gguf,
    grouped,
    mxfp4,
    normal_float4,
    packed_parameters,
    stored_scheme,
    uniform,
    weight_bytes,
)
from estimator.architecture.read import ConfigReading, read_config, read_config_text
from estimator.architecture.weights import layer_weights

__all__ = [
    "Architecture",
    "Attention",
    "CacheBytes",
    "ConfigReading",
    "Dense",
    "Experts",
    "FieldReading",
    "LatentAttention",
    "Layer",
    "LinearAttention",
    "MetadataCount",
    "Norms",
    "ParameterCount",
    "Quantisation",
    "Role",
    "Stack",
    "Weight",
    "WeightScheme",
    "adapter_parameters",
    "attended_pairs",
    "cache_bytes",
    "derived_fields",
    "forward_flops",
    "fp8_blocks",
    "from_catalogue",
    "gguf",
    "grouped",
    "kv_elements_per_token",
    "largest_matrix",
    "layer_elements_per_token",
    "layer_parameters",
    "layer_weights",
    "linear_state_elements",
    "most_tokens",
    "multiplied_parameters",
    "mxfp4",
    "next_token_parameters",
    "normal_float4",
    "packed_parameters",
    "parameters",
    "read_config",
    "read_config_text",
    "read_metadata",
    "stack_parameters",
    "stored_scheme",
    "training_flops",
    "uniform",
    "weight_bytes",
]
