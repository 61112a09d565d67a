"""Speech recognition in a quote: Whisper's shape from its architecture, and the form that its recipe takes.

One card or whole copies: 16-bit or fp32 weights, a fused attention kernel, no accumulation. What no reference point
was made of has no form.
"""

from __future__ import annotations

from estimator import architecture as arch
from estimator import memory as mem
from estimator.plan.forms import Form, engine_training
from estimator.plan.splits import Division
from estimator.problems import Absent
from estimator.quote import (
    GenerationRecipe,
    ModelSplit,
    ModelUse,
    TrainingRecipe,
    TranscriptionRecipe,
    WeightStorage,
)


def speech_shape(architecture: arch.Architecture) -> mem.SpeechShape | None:
    """Return the shape of a speech model, None where the architecture is none."""
    if architecture.model_type != "whisper" or not architecture.beside:
        return None
    decoder, encoder = architecture.main, architecture.beside[0]
    mlp = next((layer.mlp for layer in decoder.layers if isinstance(layer.mlp, arch.Dense)), None)
    if mlp is None:
        return None
    mels = architecture.reading("num_mel_bins")
    return mem.SpeechShape(
        hidden=architecture.hidden,
        encoder_layers=len(encoder.layers),
        decoder_layers=len(decoder.layers),
        mlp=mlp.width,
        mel_bins=mels.value if mels is not None and isinstance(mels.value, int) else 0,
        vocab=architecture.vocab,
        parameters=arch.parameters(architecture).language_model,
    )


def speech_form(use: ModelUse, shape: mem.SpeechShape, split: Division, cards: int) -> Form | Absent:
    """Return the form of a recipe of a speech model, or why there is none."""
    recipe = use.recipe
    if isinstance(recipe, TrainingRecipe):
        return _training(use, recipe, shape, split, cards)
    if cards > 1 and split not in (ModelSplit.NONE, ModelSplit.REPLICAS):
        return Absent("split_without_form", (), (("cards", cards),))
    if isinstance(recipe, TranscriptionRecipe):
        tokens = recipe.tokens
    elif isinstance(recipe, GenerationRecipe):  # quotes of before transcription had its own recipe
        is_plain = recipe.weights is WeightStorage.AS_COMPUTED and not recipe.stream_weights
        if not is_plain or recipe.attention == "eager":
            return Absent("no_closed_form", (), (("model", use.source.name),))
        tokens = recipe.prompt + recipe.new_tokens
    else:
        return Absent("recipe_not_for_model", (), (("model", use.source.name),))
    precision = mem.Precision(recipe.parameters)
    return Form(
        lambda: mem.transcription_ledger(shape, recipe.batch, tokens, precision), mem.Basis.REFERENCE_POINTS
    )


def _training(
    use: ModelUse, recipe: TrainingRecipe, shape: mem.SpeechShape, split: Division, cards: int
) -> Form | Absent:
    if cards > 1 and split is not ModelSplit.NONE:
        return Absent("split_without_form", (), (("cards", cards),))
    training = engine_training(recipe, None)
    has_more = training.adapter is not None or training.master is not mem.MasterWeights.NONE
    has_more = has_more or training.average is not mem.Average.NONE or training.micro_batches > 1
    has_more = has_more or training.steps_in_backward or recipe.offload_optimizer
    has_more = has_more or recipe.offload_parameters or recipe.offload_activations
    if has_more or training.attention is mem.Attention.EAGER:
        return Absent("no_closed_form", (), (("model", use.source.name),))
    return Form(lambda: mem.speech_training_ledger(shape, training), mem.Basis.REFERENCE_POINTS)
