"""From a model and its recipe in a quote to the ledger of one card, and what that ledger rests on.

Which closed form divides the model over several cards is chosen in `splits`; nothing is computed here that an
engine computes. What a form rests on decides its range, so that "fits" is never said on a formula that nobody has
held against a card.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import ValidationError

from estimator import architecture as arch
from estimator import memory as mem
from estimator.architecture.families import SAME_AS
from estimator.architecture.parameters import all_weights
from estimator.catalogue import ModelRecord
from estimator.memory.saved import adapted_widths
from estimator.plan import levers, splits
from estimator.plan.forms import Form, ModelMemory, Working, engine_training
from estimator.plan.image_models import image_form, pipeline_of
from estimator.plan.speech_models import speech_form, speech_shape
from estimator.plan.splits import Division
from estimator.problems import Absent, FileRefused, Problem, Severity
from estimator.quote import (
    ClassificationRecipe,
    GenerationRecipe,
    ModelSource,
    ModelSplit,
    ModelUse,
    SplitDegrees,
    TrainingRecipe,
    WeightStorage,
)

MOST_CARDS = 1024
"""Cards of a task up to which legal numbers are looked for."""

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


@lru_cache(maxsize=64)
def architecture_of(source: ModelSource) -> arch.ConfigReading:
    """Return the architecture that a source describes, or the problems of its text. Never raises.

    A pipeline of images has none (`pipeline_of`): its problems are here all the same.
    """
    pipeline = pipeline_of(source)
    if pipeline is not None:
        return arch.ConfigReading(None, pipeline.problems)
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


def model_memory(use: ModelUse, split: Division, cards: int) -> ModelMemory | Absent:
    """Return what one card of `cards` holds, the worst card where they differ, and the levers.

    Absent codes: model_not_read (the configuration lacks something), recipe_not_for_model, no_closed_form,
    split_not_legal, split_without_form, and of a pipeline the part that is not described.
    """
    form = _form(use, split, cards)
    if isinstance(form, Absent):
        return form
    ledger = form.ledger()
    more_cards = next_degree(use, split, cards)
    effects = [
        *levers.division_effects(
            use, cards, more_cards, ledger.peak_bytes, lambda one, count: _peak(one, split, count)
        ),
        *form.levers(),
    ]
    strongest = tuple(sorted(effects, key=lambda effect: effect.peak_bytes))
    return ModelMemory(ledger, form.basis, strongest, form.working)


def next_degree(use: ModelUse, split: Division, cards: int) -> int | None:
    """Return the next larger legal number of cards, at most `MOST_CARDS`; None where a task has one card."""
    if cards == 1:
        return None
    return next((one for one in legal_degrees(use, split, MOST_CARDS) if one > cards), None)


def _peak(use: ModelUse, split: Division, cards: int) -> int | None:
    found = model_ledger(use, split, cards)
    return None if isinstance(found, Absent) else found[0].peak_bytes


def model_ledger(
    use: ModelUse, split: Division, cards: int
) -> tuple[mem.MemoryLedger, mem.Basis, Working] | Absent:
    """Return the ledger and what it rests on alone: for searches that ask many times. As `model_memory`."""
    form = _form(use, split, cards)
    return form if isinstance(form, Absent) else (form.ledger(), form.basis, form.working)


def legal_degrees(use: ModelUse, split: Division, most: int) -> tuple[int, ...]:
    """Return the numbers of cards, up to `most`, over which the model may be split that way.

    () where the model is not known or its recipe has no form split that way.
    """
    shape = None
    if pipeline_of(use.source) is None:
        known = _known(use.source)
        if isinstance(known, Absent):
            return ()
        shape = known.shape
    elif isinstance(_form(use, ModelSplit.NONE, 1), Absent):
        return ()
    if split is ModelSplit.NONE:
        return (1,)
    legal = (
        splits.legal_cards(shape, split, most)
        if isinstance(shape, mem.ModelShape)
        else tuple(range(1, most + 1))
    )
    # One rank of data, and two: shards may have a form where whole copies have none.
    tried = [degree for degree in legal if degree > 1][: 2 if isinstance(split, SplitDegrees) else 1]
    return () if all(isinstance(_form(use, split, degree), Absent) for degree in tried) else legal


def known_shape(source: ModelSource) -> mem.ModelShape | None:
    """Return the shape of a model that is read, and makes no images and hears no speech."""
    if pipeline_of(source) is not None:
        return None
    known = _known(source)
    return None if isinstance(known, Absent) or isinstance(known.shape, mem.SpeechShape) else known.shape


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


@dataclass(frozen=True, slots=True)
class _Known:
    architecture: arch.Architecture
    shape: mem.ModelShape | mem.SpeechShape
    is_known: bool


@lru_cache(maxsize=64)
def _known(source: ModelSource) -> _Known | Absent:
    architecture = architecture_of(source).architecture
    if architecture is None:
        return Absent("model_not_read", (), (("model", source.name),))
    speech = speech_shape(architecture)
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


def _form(use: ModelUse, split: Division, cards: int) -> Form | Absent:
    if pipeline_of(use.source) is not None:
        return image_form(use, split, cards)
    known = _known(use.source)
    if isinstance(known, Absent):
        return known
    shape, recipe = known.shape, use.recipe
    if isinstance(shape, mem.SpeechShape):
        return speech_form(use, shape, split, cards)
    if isinstance(recipe, ClassificationRecipe) and shape.family is mem.Family.VIT:
        return _classification(recipe, known.architecture, shape, split, cards)
    if isinstance(recipe, GenerationRecipe):
        stated = _engine_generation(recipe, _stored_bytes(use.source, recipe.weights))
        divided = splits.generation(shape, stated, split, cards)
        if isinstance(divided, Absent):
            return divided
        make, basis = divided
        is_plain = stated.weights_bytes is None and not stated.keeps_only_window
        if basis is mem.Basis.PUBLISHED_READINGS and is_plain and shape.family is mem.Family.LLAMA:
            basis = mem.Basis.REFERENCE_POINTS  # the bf16 readings lie within that range
        return Form(make, _basis(known, basis))
    if not isinstance(recipe, TrainingRecipe):
        return Absent("recipe_not_for_model", (), (("model", use.source.name),))
    training = engine_training(recipe, _base_bytes(use.source, recipe))
    if (
        shape.family is mem.Family.VIT
    ):  # an image has as many tokens as its side says, whatever a recipe holds
        training = replace(training, length=_image_tokens(known.architecture))
    shard = None
    degrees = splits.degrees_of(split, cards)
    if degrees is not None and degrees.state_ranks == cards > 1:
        is_dealt = degrees.expert == 1 and degrees.state is mem.DataState.OPTIMIZER_SHARDS
        shard = _optimizer_shard(use.source, training.adapter, cards) if is_dealt else None
    found = splits.training(shape, training, split, cards, recipe.loss_parallel, shard)
    if isinstance(found, Absent):
        return found
    ledger_of, basis = found
    has_copies = training.adapter is not None or training.master is not mem.MasterWeights.NONE
    is_encoder = shape.family in (mem.Family.BERT, mem.Family.VIT)
    if (has_copies or is_encoder) and basis is mem.Basis.REFERENCE_POINTS:
        basis = mem.Basis.PUBLISHED_READINGS  # exact on the points, but the readings lie far above them
    return Form(
        lambda: ledger_of(training),
        _basis(known, basis),
        lambda: mem.lever_effects(training, ledger_of),
    )


def _classification(
    recipe: ClassificationRecipe,
    architecture: arch.Architecture,
    shape: mem.ModelShape,
    split: Division,
    cards: int,
) -> Form | Absent:
    """Images through a ViT, on one card or whole copies: on a formula alone."""
    if cards > 1 and split not in splits.WHOLE:
        return Absent("split_without_form", (), (("cards", cards),))
    patches, precision = _image_tokens(architecture), mem.Precision(recipe.parameters)
    attention = mem.Attention(recipe.attention)
    return Form(
        lambda: mem.classification_ledger(shape, recipe.batch, patches, precision, attention),
        mem.Basis.FORMULA,
    )


def _image_tokens(architecture: arch.Architecture) -> int:
    """Tokens of an image: its patches and the class token, as many as there are positions."""
    return next((weight.shape[0] for weight in architecture.main.outer if weight.name == "positions"), 1)


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
        streams_weights=recipe.stream_weights,
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
        if adapter.trains_tables:
            table = known.shape.vocab * known.shape.hidden
            sizes += [table] * (1 if known.shape.is_tied else 2)
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
