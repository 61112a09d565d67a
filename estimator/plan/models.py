"""From a model and its recipe in a quote to the ledger of one card, and what that ledger rests on.

Which closed form divides the model over several cards is chosen in `splits`; nothing is computed here that an
engine computes. What a form rests on decides its range, so that "fits" is never said on a formula that nobody has
held against a card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from pydantic import ValidationError

from estimator import architecture as arch
from estimator import memory as mem
from estimator.architecture.families import SAME_AS
from estimator.architecture.parameters import all_weights
from estimator.catalogue import ModelRecord
from estimator.evidence import EvidenceKind
from estimator.memory.saved import adapted_widths
from estimator.plan import splits
from estimator.problems import Absent, FileRefused, Problem, Severity
from estimator.quote import (
    GenerationRecipe,
    ModelSource,
    ModelSplit,
    ModelUse,
    TrainingRecipe,
    WeightStorage,
)

RANGES: dict[mem.Basis, tuple[EvidenceKind, Decimal]] = {
    mem.Basis.REFERENCE_POINTS: (EvidenceKind.ESTIMATED, Decimal("1.03")),
    mem.Basis.PUBLISHED_READINGS: (EvidenceKind.ESTIMATED, Decimal("1.25")),
    mem.Basis.FORMULA: (EvidenceKind.ASSUMED, Decimal(2)),
}
"""The evidence that a form gives, and the factor of its upper end.

Reference points: worst error 2.0 %; bf16 generation on cards lies up to 2.6 % above the form. Published readings:
int8 generation lies up to 3.2 % above, int4 6.2 %, fine-tuning by adapters up to 1.45 times (1.8B, 256 tokens, what
its source leaves out included), with fp32 copies 1.26 times; with the margin and context at their defaults a
quarter covers them all. QLoRA lies up to 2.04 times above: a formula.
"""

FAMILIES = {
    "llama": mem.Family.LLAMA,
    "mistral": mem.Family.LLAMA,
    "qwen2": mem.Family.LLAMA,
    "qwen3": mem.Family.QWEN3,
    "gemma": mem.Family.GEMMA,
    "gemma3_text": mem.Family.GEMMA3,
    "mixtral": mem.Family.MIXTRAL,
    "qwen3_moe": mem.Family.QWEN3_MOE,
    "deepseek_v2": mem.Family.DEEPSEEK,
    "deepseek_v3": mem.Family.DEEPSEEK,
    "gpt_oss": mem.Family.GPT_OSS,
    "gpt2": mem.Family.GPT2,
    "gpt_neox": mem.Family.GPT_NEOX,
    "opt": mem.Family.OPT,
    "bert": mem.Family.BERT,
    "vit": mem.Family.VIT,
}
"""Formats whose way of saving tensors was held against reference points."""

RELATED = {
    "gemma2": mem.Family.GEMMA3,  # four norms a layer, every second layer slides; no norm on queries and keys
    "olmo2": mem.Family.QWEN3,  # a norm on queries and keys
    "qwen2_moe": mem.Family.QWEN3_MOE,
    "llama4_text": mem.Family.QWEN3_MOE,
    "kimi_k2": mem.Family.DEEPSEEK,
}
"""The nearest family of a format that no point was made of: on a formula alone. Phi-3 is Llama with query, key and
value, and gate and up, stored as one matrix each (transformers, modeling_phi3): the same tensors are saved."""


def _gguf(kind: str) -> arch.WeightScheme:
    scheme = arch.gguf(kind)
    if isinstance(scheme, Absent):
        raise LookupError(f"{kind} is no block format")
    return scheme


SCHEMES: dict[WeightStorage, arch.WeightScheme] = {
    WeightStorage.GPTQ_8: arch.grouped(8, 128),
    WeightStorage.GPTQ_4: arch.grouped(4, 128),
    WeightStorage.AWQ_4: arch.grouped(4, 128),
    WeightStorage.FP8: arch.fp8_blocks(),
    WeightStorage.MXFP4: arch.mxfp4(),
    WeightStorage.NF4: arch.normal_float4(double=False),
    WeightStorage.GGUF_Q8: _gguf("Q8_0"),
    WeightStorage.GGUF_Q4: _gguf("Q4_0"),
}
"""How each storage packs the weights, exactly: groups of 128, blocks of 128 x 128, no doubly packed scales."""

SLIDING_FAMILIES = frozenset({mem.Family.GEMMA3, mem.Family.GPT_OSS})


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """The ledger of one card, what it rests on, and the levers that lower it, strongest first."""

    ledger: mem.MemoryLedger
    basis: mem.Basis
    levers: tuple[mem.LeverEffect, ...]


@lru_cache(maxsize=64)
def architecture_of(source: ModelSource) -> arch.ConfigReading:
    """Return the architecture that a source describes, or the problems of its text. Never raises."""
    try:
        if source.kind == "catalogue":
            return arch.from_catalogue(ModelRecord.model_validate_json(source.text))
        return arch.read_config_text(source.text, source.name)
    except FileRefused as refusal:
        values = tuple(refusal.values.items())
        return arch.ConfigReading(None, (Problem(refusal.code, ("config",), Severity.ERROR, values),))
    except ValidationError:
        return arch.ConfigReading(None, (Problem("config_not_an_object", ("config",), Severity.ERROR),))


def shape_of(architecture: arch.Architecture) -> tuple[mem.ModelShape, bool] | Absent:
    """Return the memory engine's shape and whether its family is known; Absent where it has no closed form."""
    absent = Absent("no_closed_form", (), (("model", architecture.name),))
    model_type = SAME_AS.get(architecture.model_type, architecture.model_type)
    mixings = [layer.mixing for layer in architecture.layers]
    first = mixings[0] if mixings else None
    if first is None or any(type(one) is not type(first) for one in mixings):
        return absent
    has_encoder = any(stack.role == "encoder" for stack in architecture.beside)
    if has_encoder or (architecture.main.role != "language" and model_type not in FAMILIES):
        return absent
    latent = None
    if isinstance(first, arch.LatentAttention):
        heads, kv_heads, head_dim = first.heads, first.heads, first.nope_dim + first.rope_dim
        latent = mem.LatentAttention(
            first.query_rank or 0, first.kv_rank, first.nope_dim, first.rope_dim, first.value_dim
        )
    elif isinstance(first, arch.Attention):
        heads, kv_heads, head_dim = first.heads, first.kv_heads, first.head_dim
    else:
        return absent
    mlps = [layer.mlp for layer in architecture.layers]
    experts = next((mlp for mlp in mlps if isinstance(mlp, arch.Experts)), None)
    dense = next((mlp for mlp in mlps if isinstance(mlp, arch.Dense)), None)
    windows = [one.window for one in mixings if isinstance(one, arch.Attention) and one.window is not None]
    family = FAMILIES.get(model_type) or RELATED.get(model_type) or _nearest(dense, experts)
    shape = mem.ModelShape(
        family=family,
        layers=len(mixings),
        hidden=architecture.hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        mlp=dense.width if dense is not None else experts.width if experts is not None else 0,
        vocab=architecture.vocab,
        is_tied=architecture.tied,
        parameters=_parameters(architecture),
        objective=_objective(model_type),
        experts=None if experts is None else _experts(experts, architecture),
        latent=latent,
        sliding=mem.SlidingLayers(len(windows), max(windows)) if windows else None,
        attention_bias=isinstance(first, arch.Attention) and first.query_value_bias,
        image_size=_size_read(architecture, "image_size"),
    )
    is_known = model_type in FAMILIES and (not windows or family in SLIDING_FAMILIES)
    return shape, is_known and not architecture.uncounted


def model_memory(use: ModelUse, split: ModelSplit, cards: int) -> ModelMemory | Absent:
    """Return what one card of `cards` holds, the worst card where they differ, and the levers.

    Absent codes: model_not_read (the configuration lacks something), no_closed_form, split_not_legal,
    split_without_form.
    """
    form = _form(use, split, cards)
    if isinstance(form, Absent):
        return form
    if form.training is None or form.ledger_of is None:
        return ModelMemory(form.ledger(), form.basis, ())
    levers = mem.lever_effects(form.training, form.ledger_of)
    return ModelMemory(form.ledger(), form.basis, levers)


def model_ledger(use: ModelUse, split: ModelSplit, cards: int) -> tuple[mem.MemoryLedger, mem.Basis] | Absent:
    """Return the ledger and its basis alone: for searches that ask many times. As `model_memory`."""
    form = _form(use, split, cards)
    return form if isinstance(form, Absent) else (form.ledger(), form.basis)


def legal_degrees(use: ModelUse, split: ModelSplit, most: int) -> tuple[int, ...]:
    """Return the numbers of cards, up to `most`, over which the model may be split that way.

    () where the model is not known or its recipe has no form split that way.
    """
    known = _known(use.source)
    if isinstance(known, Absent):
        return ()
    if split is ModelSplit.NONE:
        return (1,)
    shape = known.shape
    legal = (
        tuple(range(1, most + 1))
        if isinstance(shape, mem.SpeechShape)
        else splits.degrees(shape, split, most)
    )
    divided = next((degree for degree in legal if degree > 1), None)
    return () if divided is None or isinstance(_form(use, split, divided), Absent) else legal


def weight_storage(source: ModelSource) -> WeightStorage | None:
    """Return how the checkpoint itself stores its weights; None where it is not quantised or not known."""
    architecture = architecture_of(source).architecture
    found = None if architecture is None else architecture.quantisation
    if found is None:
        return None
    if found.method in ("fp8", "mxfp4"):
        return WeightStorage(found.method)
    by_bits = {
        ("gptq", 8): WeightStorage.GPTQ_8,
        ("gptq", 4): WeightStorage.GPTQ_4,
        ("awq", 4): WeightStorage.AWQ_4,
        ("bitsandbytes", 4): WeightStorage.NF4,
    }
    return by_bits.get((found.method, found.bits or 0))


def upper_bytes(size_bytes: int, basis: mem.Basis) -> int:
    """Return the upper end of a size that rests on `basis`."""
    return int(size_bytes * RANGES[basis][1]) + 1


@dataclass(frozen=True, slots=True)
class _Known:
    architecture: arch.Architecture
    shape: mem.ModelShape | mem.SpeechShape
    is_known: bool


@dataclass(frozen=True, slots=True)
class _Form:
    """How the ledger is made. `training` and `ledger_of` are there where levers can be tried."""

    ledger: Callable[[], mem.MemoryLedger]
    basis: mem.Basis
    training: mem.Training | None = None
    ledger_of: splits.LedgerOf | None = None


@lru_cache(maxsize=64)
def _known(source: ModelSource) -> _Known | Absent:
    architecture = architecture_of(source).architecture
    if architecture is None:
        return Absent("model_not_read", (), (("model", source.name),))
    speech = _speech_shape(architecture)
    if speech is not None:
        return _Known(architecture, speech, True)
    found = shape_of(architecture)
    if isinstance(found, Absent):
        return Absent(found.code, found.where, (("model", source.name),))
    shape, is_known = found
    # A catalogued vision model is published with an image tower that its record does not describe: it is loaded.
    if source.kind == "catalogue":
        published = ModelRecord.model_validate_json(source.text).parameters
        shape = replace(shape, parameters=max(shape.parameters, published))
    return _Known(architecture, shape, is_known)


def _form(use: ModelUse, split: ModelSplit, cards: int) -> _Form | Absent:
    known = _known(use.source)
    if isinstance(known, Absent):
        return known
    shape, recipe = known.shape, use.recipe
    if isinstance(shape, mem.SpeechShape):
        return _speech(use, shape, split, cards)
    if isinstance(recipe, GenerationRecipe):
        stated = _engine_generation(recipe, _stored_bytes(use.source, recipe.weights))
        divided = splits.generation(shape, stated, split, cards)
        if isinstance(divided, Absent):
            return divided
        make, basis = divided
        is_plain = stated.weights_bytes is None and not stated.keeps_only_window
        if basis is mem.Basis.PUBLISHED_READINGS and is_plain and shape.family is mem.Family.LLAMA:
            basis = mem.Basis.REFERENCE_POINTS  # the bf16 readings lie within that range
        return _Form(make, _basis(known, basis))
    training = _engine_training(recipe, _base_bytes(use.source, recipe))
    shard = None
    if split is ModelSplit.OPTIMIZER_SHARDS and cards > 1:
        shard = _optimizer_shard(use.source, training.adapter, cards)
    found = splits.training(shape, training, split, cards, recipe.loss_parallel, shard)
    if isinstance(found, Absent):
        return found
    ledger_of, basis = found
    has_copies = training.adapter is not None or training.master is not mem.MasterWeights.NONE
    if has_copies and basis is mem.Basis.REFERENCE_POINTS:
        basis = mem.Basis.PUBLISHED_READINGS  # exact on the points, but the readings lie far above them
    return _Form(lambda: ledger_of(training), _basis(known, basis), training, ledger_of)


def _basis(known: _Known, basis: mem.Basis) -> mem.Basis:
    return basis if known.is_known else mem.Basis.FORMULA


def _engine_generation(recipe: GenerationRecipe, weights_bytes: int | None) -> mem.Generation:
    return mem.Generation(
        batch=recipe.batch,
        prompt=recipe.prompt,
        new_tokens=recipe.new_tokens,
        parameters=mem.Precision(recipe.parameters),
        attention=mem.Attention(recipe.attention),
        kv_bits=recipe.kv_bits,
        weights_bytes=weights_bytes,
        all_scores=recipe.all_scores,
        prefill_chunk=recipe.prefill_chunk,
        latent_cache_expanded=recipe.latent_cache_expanded,
        keeps_only_window=recipe.keeps_only_window,
    )


def _engine_training(recipe: TrainingRecipe, base_bytes: int | None) -> mem.Training:
    """The recipe as the engine takes it; `base_bytes` is a packed frozen base, None where it is not packed."""
    adapter = None
    if recipe.adapter_rank is not None:
        adapter = mem.Adapter(
            rank=recipe.adapter_rank,
            targets=tuple(mem.Projection(target) for target in recipe.adapter_targets),
            precision=mem.Precision(recipe.adapter_precision),
            has_dropout=recipe.adapter_dropout,
        )
    return mem.Training(
        batch=recipe.batch,
        length=recipe.length,
        parameters=mem.Precision(recipe.parameters),
        autocast=recipe.autocast,
        attention=mem.Attention(recipe.attention),
        optimizer=mem.Optimizer(recipe.optimizer),
        is_foreach=recipe.foreach,
        checkpointing=recipe.checkpointing,
        micro_batches=recipe.micro_batches,
        loss=mem.LossKernel(recipe.loss),
        loss_chunks=recipe.loss_chunks,
        adapter=adapter,
        frozen_weights_bytes=base_bytes,
        master=mem.MasterWeights(recipe.master),
        average=mem.Average(recipe.average),
    )


def _speech(use: ModelUse, shape: mem.SpeechShape, split: ModelSplit, cards: int) -> _Form | Absent:
    """Whisper, one card or whole copies: 16-bit or fp32 weights, a fused attention kernel, no accumulation."""
    recipe = use.recipe
    precision = mem.Precision(recipe.parameters)
    if isinstance(recipe, GenerationRecipe):
        if cards > 1 and split not in (ModelSplit.NONE, ModelSplit.REPLICAS):
            return Absent("split_without_form", (), (("cards", cards),))
        if recipe.weights is not WeightStorage.AS_COMPUTED or recipe.attention == "eager":
            return Absent("no_closed_form", (), (("model", use.source.name),))
        length = recipe.prompt + recipe.new_tokens
        return _Form(
            lambda: mem.transcription_ledger(shape, recipe.batch, length, precision),
            mem.Basis.REFERENCE_POINTS,
        )
    if cards > 1 and split is not ModelSplit.NONE:
        return Absent("split_without_form", (), (("cards", cards),))
    training = _engine_training(recipe, None)
    has_more = training.adapter is not None or training.master is not mem.MasterWeights.NONE
    has_more = has_more or training.average is not mem.Average.NONE or training.micro_batches > 1
    if has_more or training.attention is mem.Attention.EAGER:
        return Absent("no_closed_form", (), (("model", use.source.name),))
    return _Form(lambda: mem.speech_training_ledger(shape, training), mem.Basis.REFERENCE_POINTS)


def _speech_shape(architecture: arch.Architecture) -> mem.SpeechShape | None:
    if architecture.model_type != "whisper" or not architecture.beside:
        return None
    decoder, encoder = architecture.main, architecture.beside[0]
    mlp = next((layer.mlp for layer in decoder.layers if isinstance(layer.mlp, arch.Dense)), None)
    if mlp is None:
        return None
    return mem.SpeechShape(
        hidden=architecture.hidden,
        encoder_layers=len(encoder.layers),
        decoder_layers=len(decoder.layers),
        mlp=mlp.width,
        mel_bins=_size_read(architecture, "num_mel_bins"),
        vocab=architecture.vocab,
        parameters=arch.parameters(architecture).language_model,
    )


def _base_bytes(source: ModelSource, recipe: TrainingRecipe) -> int | None:
    return None if recipe.adapter_rank is None else _stored_bytes(source, recipe.base)


@lru_cache(maxsize=256)
def _stored_bytes(source: ModelSource, storage: WeightStorage) -> int | None:
    """Bytes of all weights as stored; an image tower that the source does not describe stays in 16 bits."""
    known = _known(source)
    if storage is WeightStorage.AS_COMPUTED or isinstance(known, Absent):
        return None
    counted = _parameters(known.architecture)
    return arch.weight_bytes(known.architecture, SCHEMES[storage]) + 2 * (known.shape.parameters - counted)


@lru_cache(maxsize=256)
def _optimizer_shard(source: ModelSource, adapter: mem.Adapter | None, cards: int) -> int:
    """Trained elements whose state the fullest card keeps: whole tensors dealt out, largest first."""
    known = _known(source)
    if isinstance(known, Absent) or isinstance(known.shape, mem.SpeechShape):
        return 0
    sizes: list[int] = []
    if adapter is None:
        for weight, count in all_weights(known.architecture):
            rows = weight.shape[0] if weight.role is arch.Role.NORM and len(weight.shape) == 2 else 1
            sizes += [weight.parameters // rows] * (count * rows)
        sizes.append(known.shape.parameters - sum(sizes))  # an image tower that the record does not describe
    else:
        for target in dict.fromkeys(adapter.targets):
            for width in adapted_widths(known.shape, target):
                sizes += [adapter.rank * width] * known.shape.layers
    return max(mem.greedy_shards(tuple(sizes), cards))


def _parameters(architecture: arch.Architecture) -> int:
    count = arch.parameters(architecture)
    return count.language_model if isinstance(count.total, Absent) else count.total


def _nearest(dense: arch.Dense | None, experts: arch.Experts | None) -> mem.Family:
    """Gated MLPs are saved as Llama's, others (Falcon, GPT-J, Phi-2, BLOOM, StarCoder2) as GPT-NeoX's."""
    if experts is not None:
        return mem.Family.QWEN3_MOE
    return mem.Family.LLAMA if dense is None or dense.gated else mem.Family.GPT_NEOX


def _size_read(architecture: arch.Architecture, field: str) -> int:
    found = architecture.reading(field)
    return found.value if found is not None and isinstance(found.value, int) else 0


def _objective(model_type: str) -> mem.Objective:
    if model_type == "bert":
        return mem.Objective.MASKED
    return mem.Objective.CLASSES if model_type == "vit" else mem.Objective.CAUSAL


def _experts(experts: arch.Experts, architecture: arch.Architecture) -> mem.Experts:
    dense = sum(isinstance(layer.mlp, arch.Dense) for layer in architecture.layers)
    return mem.Experts(experts.count, experts.per_token, experts.width, experts.shared_width, dense)
