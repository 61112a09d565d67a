"""Bytes that one token leaves in one layer for the backward pass, by family, kernel and precision.

Source: tensors followed from creation to release in transformers 5.24 on torch 2.13 (the reference points shipped
with the tests); each function names what it counts. Not the peak: see `training.py`.
"""

from __future__ import annotations

from enum import StrEnum

from estimator.memory.recipe import Adapter, Attention, Precision, Projection, Training
from estimator.memory.shape import Family, ModelShape, Objective, is_dense_layer

ROW_STATISTICS = 4  # a norm keeps one fp32 number per row (RMSNorm), or two: mean and deviation (LayerNorm)


class Kernel(StrEnum):
    """The attention kernel that really runs. A fused one saves no matrix of scores."""

    EAGER = "eager"
    MATH = "math"
    EFFICIENT = "efficient"
    FLASH = "flash"

    @property
    def is_fused(self) -> bool:
        """Whether the scores stay inside the kernel."""
        return self in (Kernel.EFFICIENT, Kernel.FLASH)


def kernel(attention: Attention, compute: int, shape: ModelShape) -> Kernel:
    """Return what scaled-dot-product attention chooses: fp32 with grouped queries falls to the math kernel."""
    if attention is Attention.EAGER:
        return Kernel.EAGER
    if compute == 2:
        return Kernel.FLASH
    return Kernel.MATH if shape.kv_heads < shape.heads else Kernel.EFFICIENT


def layer_saved(shape: ModelShape, recipe: Training, layer: int = -1) -> int:
    """Bytes per token that a layer saves; `layer` -1 is the top one (only models with experts differ)."""
    if recipe.adapter is not None:
        return _adapted_layer(shape, recipe, recipe.adapter)
    family = shape.family
    if family is Family.GPT2:
        return _gpt2(shape, recipe)
    if family is Family.GPT_NEOX:
        return _gpt_neox(shape, recipe)
    if family is Family.OPT:
        return _opt(shape, recipe)
    if family in (Family.BERT, Family.VIT):
        return _encoder(shape, recipe)
    saved = _rms_norms(shape, recipe) + attention_saved(shape, recipe)
    return saved + gated_mlp_saved(shape, recipe, layer % shape.layers)


def has_products(shape: ModelShape, recipe: Training) -> bool:
    """Whether keeping every second product has a form: seven plain products a layer and one fused attention.

    A product with a bias is another operation, which the option leaves out; adapters and experts add products.
    """
    is_plain = shape.family in (Family.LLAMA, Family.QWEN3, Family.GEMMA) and not shape.attention_bias
    is_fused = kernel(recipe.attention, recipe.compute, shape).is_fused
    return is_plain and is_fused and shape.experts is None and shape.latent is None and recipe.adapter is None


def products_kept(shape: ModelShape, recipe: Training) -> int:
    """Bytes per token that a recomputed layer keeps besides its input where every second product is kept.

    Of query, key, value, output, gate, up and down, in that order, the odd ones; and the attention's output with the
    logarithms of its sums, in fp32 a head. The last product is kept though nothing reads it. Source: torchtitan's
    selective option "op" (`_save_list` in `parallelize_llama.py`, later `activation_checkpoint.py`), not compiled.
    """
    odd = shape.query_width + shape.kv_width + shape.mlp + shape.hidden
    return recipe.compute * (odd + shape.query_width) + 4 * shape.heads


def layers_saved(shape: ModelShape, recipe: Training, layers: int | None = None) -> int:
    """Bytes per token that all layers (or the top `layers`) save without checkpointing."""
    count = shape.layers if layers is None else layers
    dense = shape.experts.dense_layers if shape.experts else 0
    bottom = min(max(dense - (shape.layers - count), 0), count)
    saved = bottom * layer_saved(shape, recipe, 0) + (count - bottom) * layer_saved(shape, recipe)
    if shape.sliding is not None:  # each sliding layer keeps its own 16-bit mask of one row per token
        saved += min(shape.sliding.count, count) * 2 * recipe.length
    return saved


def once_saved(shape: ModelShape, recipe: Training) -> int:
    """Bytes per token saved once, beside the layers: dropout masks and norms of the embeddings."""
    hidden = shape.hidden
    if shape.family is Family.GPT2:
        return hidden
    if shape.family is Family.BERT:
        return (5 if recipe.autocast else recipe.element + 1) * hidden
    adapter = recipe.adapter
    if adapter is not None and not recipe.checkpointing and not adapter.trains_tables:
        # The first layer's input has no gradient: its norm and its adapters' dropout save nothing.
        dropped = {Projection.QUERY, Projection.KEY, Projection.VALUE} & set(adapter.targets)
        return -(4 * hidden + (hidden * len(dropped) if adapter.has_dropout else 0))
    return 0


def final_norm_saved(shape: ModelShape, recipe: Training) -> int:
    """Bytes per token that the final norm and the head's input keep."""
    hidden = shape.hidden
    if shape.family is Family.BERT:  # no final norm: the masked-language head's transform
        if shape.objective is not Objective.MASKED:
            return 0
        return 21 * hidden // 2 if recipe.autocast else 4 * recipe.element * hidden
    if not shape.has_rms_norm:
        return (recipe.residual + recipe.compute) * hidden + ROW_STATISTICS * 2
    if recipe.adapter is not None:
        head_input = recipe.compute * hidden if recipe.adapter.trains_tables else 0
        return 4 * hidden + ROW_STATISTICS + head_input
    return _by_precision(recipe, half=8, full=12, autocast=10) * hidden + ROW_STATISTICS


def positions_bytes(shape: ModelShape, sequence: int, element: int) -> int:
    """Position ids, and the cosines and sines that every layer with rotary positions shares."""
    if not shape.has_rms_norm and shape.family is not Family.GPT_NEOX:
        return 8 * sequence
    width = shape.latent.rope if shape.latent is not None else shape.head_dim
    tables = 2 if shape.family is Family.GEMMA3 else 1  # sliding and full layers turn by different bases
    return (8 + 2 * tables * width * element) * sequence


def mask_bytes(shape: ModelShape, chosen: Kernel, batch: int, sequence: int, element: int) -> int:
    """The causal mask where the kernel reads one: of every sequence when eager, one fp32 square when math."""
    if chosen.is_fused or shape.objective is not Objective.CAUSAL:
        return 0
    return element * sequence**2 * (batch if chosen is Kernel.EAGER else 1)


def _by_precision(recipe: Training, half: int, full: int, autocast: int) -> int:
    if recipe.autocast:
        return autocast
    return half if recipe.parameters is Precision.BF16 else full


def norms_saved(shape: ModelShape, recipe: Training) -> int:
    """Bytes per token of what the RMSNorms of a layer keep of the residual stream, row statistics apart."""
    per_hidden = _by_precision(recipe, half=16, full=24, autocast=26)
    if shape.family is Family.GEMMA and not recipe.autocast and recipe.parameters is Precision.BF16:
        per_hidden = 20
    if shape.family is Family.GEMMA3:
        per_hidden = 36
    return per_hidden * shape.hidden


def _rms_norms(shape: ModelShape, recipe: Training) -> int:
    """Norms of a layer, computed in fp32; under autocast five separate 16-bit casts follow them."""
    count = 4 if shape.family is Family.GEMMA3 else 2
    if shape.family in (Family.QWEN3, Family.QWEN3_MOE, Family.GEMMA3):
        count += shape.heads + shape.kv_heads
    return norms_saved(shape, recipe) + count * ROW_STATISTICS


def attention_saved(shape: ModelShape, recipe: Training) -> int:
    """Bytes per token that a layer's attention keeps, without its norm's input."""
    if shape.latent is not None:
        return _latent_attention(shape, recipe)
    width, kv = shape.query_width, shape.kv_width
    if kernel(recipe.attention, recipe.compute, shape).is_fused:
        saved = recipe.compute * (2 * width + 2 * kv) + 4 * shape.heads
    else:
        saved = 4 * recipe.compute * width + _scores(shape, recipe)
    normed = width + kv
    if shape.family in (Family.QWEN3, Family.QWEN3_MOE):
        saved += (8 if recipe.compute == 4 else 4 + recipe.compute) * normed
    elif shape.family is Family.GEMMA3:
        saved += 8 * normed
    return saved


def _scores(shape: ModelShape, recipe: Training) -> int:
    """A row of scores per head: fp32 softmax, with a 16-bit copy where attention computes in 16 bits."""
    return (4 if recipe.compute == 4 else 6) * shape.heads * recipe.length


def _latent_attention(shape: ModelShape, recipe: Training) -> int:
    latent = shape.latent
    if latent is None:
        return 0
    key = latent.nope + latent.rope
    heads = recipe.compute * shape.heads * (2 * key + latent.nope + 2 * latent.value)
    return heads + 8 * (latent.query_rank + latent.kv_rank) + 4 * shape.heads


def mlp_saved(shape: ModelShape, recipe: Training, layer: int) -> int:
    """Bytes per token of what a layer saves in its MLP alone: gone once that is computed backward."""
    mlp, element = shape.mlp, recipe.element
    if recipe.adapter is not None:
        return 3 * element * mlp
    if shape.has_rms_norm:
        return gated_mlp_saved(shape, recipe, layer)
    if shape.family is Family.GPT2:
        return (16 if recipe.autocast else 5 * element) * mlp
    if shape.family is Family.OPT:
        return recipe.compute * mlp
    return (4 if recipe.autocast else 2 * element) * mlp


def gated_mlp_saved(shape: ModelShape, recipe: Training, layer: int) -> int:
    """Bytes per token of a gated MLP, or of the experts that a token goes through and their router."""
    experts, compute, hidden = shape.experts, recipe.compute, shape.hidden
    if experts is None or is_dense_layer(shape, layer):
        return 4 * compute * shape.mlp
    chosen = experts.per_token * (4 * compute * experts.width + 2 * compute * hidden)
    if shape.family is Family.MIXTRAL:
        return chosen
    chosen += 4 * compute * experts.shared_width + 12 * experts.count
    return chosen + (4 * hidden if shape.family is Family.DEEPSEEK else 0)  # fp32 input of its router


def _gpt2(shape: ModelShape, recipe: Training) -> int:
    """Python gelu_new, dropout masks of one byte."""
    hidden, compute, element = shape.hidden, recipe.compute, recipe.element
    saved = 2 * recipe.residual * hidden + 3 * compute * hidden + 2 * hidden
    saved += (16 if recipe.autocast else 5 * element) * shape.mlp
    if kernel(recipe.attention, compute, shape).is_fused:
        return saved + 3 * compute * hidden + 4 * shape.heads
    per_score = 7 if recipe.autocast else 2 * element + 1
    return saved + 3 * compute * hidden + per_score * shape.heads * recipe.length


def _gpt_neox(shape: ModelShape, recipe: Training) -> int:
    """Parallel residual: both branches read the same input."""
    hidden, mlp, element = shape.hidden, shape.mlp, recipe.element
    chosen = kernel(recipe.attention, recipe.compute, shape)
    if recipe.autocast:
        saved = 16 * hidden + 4 * mlp
    else:
        inputs = 6 if chosen is Kernel.EFFICIENT else 7
        saved = inputs * element * hidden + 2 * element * mlp
    if chosen.is_fused:
        return saved + 3 * recipe.compute * hidden + 4 * shape.heads
    return saved + _scores(shape, recipe)


def _opt(shape: ModelShape, recipe: Training) -> int:
    hidden, mlp = shape.hidden, shape.mlp
    if recipe.autocast:
        saved = 24 * hidden + 2 * mlp + 2 * hidden
    else:
        saved = 8 * recipe.element * hidden + recipe.compute * mlp + 2 * hidden
    if kernel(recipe.attention, recipe.compute, shape).is_fused:
        return saved + 4 * shape.heads
    return saved + _scores(shape, recipe)


def _encoder(shape: ModelShape, recipe: Training) -> int:
    """BERT, and ViT, which has no dropout masks."""
    hidden, mlp, has_masks = shape.hidden, shape.mlp, shape.family is Family.BERT
    if recipe.autocast:
        saved = 24 * hidden + 4 * mlp
    else:
        saved = (8 * hidden + 2 * mlp) * recipe.element
    saved += 2 * hidden if has_masks else 0
    if kernel(recipe.attention, recipe.compute, shape).is_fused:
        return saved + 4 * shape.heads
    if not has_masks:
        return saved + _scores(shape, recipe)
    per_score = 7 if recipe.autocast else 2 * recipe.element + 1
    return saved + per_score * shape.heads * recipe.length


def _adapted_layer(shape: ModelShape, recipe: Training, adapter: Adapter) -> int:
    """A frozen Llama-like layer with adapters: frozen matrices need no input, adapters keep theirs."""
    width, kv, element = shape.query_width, shape.kv_width, recipe.element
    is_fused = kernel(recipe.attention, recipe.compute, shape).is_fused
    saved = 8 * shape.hidden + 3 * element * shape.mlp
    if is_fused:
        saved += element * (2 * width + 2 * kv) + 4 * shape.heads
    else:
        saved += 3 * element * width + _scores(shape, recipe)
    targets = frozenset(adapter.targets)
    if adapter.precision.size != element or adapter.has_dropout:
        kept = adapter.precision.size + (1 if adapter.has_dropout else 0)
        inputs = sum(adapted_widths(shape, target)[0] for target in targets)
        return saved + kept * inputs + adapter.precision.size * adapter.rank * len(targets)
    shared = element * shape.hidden * bool(targets & {Projection.QUERY, Projection.KEY, Projection.VALUE})
    shared += element * shape.hidden * bool(targets & {Projection.GATE, Projection.UP})
    shared += element * shape.mlp * (Projection.DOWN in targets)
    if not is_fused and Projection.OUTPUT in targets:
        shared += element * width
    return saved + shared + element * adapter.rank * len(targets)


def adapted_widths(shape: ModelShape, target: Projection) -> tuple[int, int]:
    """Input and output width of a projection."""
    hidden, width, kv, mlp = shape.hidden, shape.query_width, shape.kv_width, shape.mlp
    return {
        Projection.QUERY: (hidden, width),
        Projection.KEY: (hidden, kv),
        Projection.VALUE: (hidden, kv),
        Projection.OUTPUT: (width, hidden),
        Projection.GATE: (hidden, mlp),
        Projection.UP: (hidden, mlp),
        Projection.DOWN: (mlp, hidden),
    }[target]


def adapter_parameters(shape: ModelShape, adapter: Adapter) -> int:
    """Trainable elements of the adapters of one layer: rank x (input + output) of each adapted projection."""
    return sum(adapter.rank * sum(adapted_widths(shape, target)) for target in set(adapter.targets))
