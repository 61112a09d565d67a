"""Peak of encoder-decoder speech recognition (Whisper): 30 seconds are 3000 frames and 1500 encoder positions.

Source: coefficients of the encoder, decoder and stem fitted to transformers 5.24 on torch 2.13. The cross-attention
cache, of 1500 positions in every decoder layer, decides while text is made.
"""

from __future__ import annotations

from dataclasses import dataclass

from estimator.memory.ledger import Held, MemoryLedger, Moment, MomentKind, StateClass, moment
from estimator.memory.recipe import Precision, Training
from estimator.memory.training import optimizer_bytes

FRAMES = 3000
POSITIONS = 1500

WEIGHTS, GRADIENTS, ACTIVATIONS = StateClass.WEIGHTS, StateClass.GRADIENTS, StateClass.ACTIVATIONS
TEMPORARIES, OPTIMIZER, KV = StateClass.TEMPORARIES, StateClass.OPTIMIZER, StateClass.KV_CACHE


@dataclass(frozen=True, slots=True)
class SpeechShape:
    """Widths and counts of a speech model; `parameters` includes the fixed table of encoder positions."""

    hidden: int
    encoder_layers: int
    decoder_layers: int
    mlp: int
    mel_bins: int
    vocab: int
    parameters: int

    @property
    def trainable(self) -> int:
        """Elements that are trained: all but the encoder's positions."""
        return self.parameters - POSITIONS * self.hidden


def transcription_ledger(shape: SpeechShape, batch: int, length: int, precision: Precision) -> MemoryLedger:
    """Return what a card holds while `batch` segments are encoded and `length` tokens of text are read."""
    element, hidden = precision.size, shape.hidden
    held = {
        WEIGHTS: shape.parameters * element,
        StateClass.INPUTS: FRAMES * shape.mel_bins * batch * element,
    }
    encoding = 61 * element * FRAMES * hidden * batch // 10
    output = POSITIONS * hidden * element * batch
    cache = 2 * shape.decoder_layers * hidden * (POSITIONS + length) * element * batch
    making = max(FRAMES * hidden * element * batch, length * shape.vocab * element * batch)
    return MemoryLedger(
        (
            moment(MomentKind.ENCODER, held, {TEMPORARIES: encoding}),
            moment(MomentKind.DECODE, held, {ACTIVATIONS: output, KV: cache, TEMPORARIES: making}),
        )
    )


def speech_training_ledger(shape: SpeechShape, recipe: Training) -> MemoryLedger:
    """Return what a card holds at each moment of a training step; `recipe.length` counts tokens of text."""
    held = _resident(shape, recipe)
    return MemoryLedger(
        (
            _loss_backward(shape, recipe, held),
            _top_encoder_layer(shape, recipe, held),
            _encoder_backward(shape, recipe, held),
            _optimizer_step(shape, recipe, held),
        )
    )


def _resident(shape: SpeechShape, recipe: Training) -> Held:
    features = FRAMES * shape.mel_bins * recipe.batch * recipe.element
    return {
        WEIGHTS: shape.parameters * recipe.element,
        OPTIMIZER: optimizer_bytes(recipe.optimizer, shape.trainable, recipe.element),
        StateClass.INPUTS: features + 8 * recipe.tokens,
    }


def _tenths(recipe: Training, half: int, full: int, autocast: int) -> int:
    if recipe.autocast:
        return autocast
    return half if recipe.parameters is Precision.BF16 else full


def encoder_layer_saved(shape: SpeechShape, recipe: Training) -> int:
    """Bytes that an encoder layer saves for the whole batch."""
    return _tenths(recipe, 341, 641, 421) * shape.hidden * POSITIONS * recipe.batch // 10


def decoder_layer_saved(shape: SpeechShape, recipe: Training) -> int:
    """Bytes that a decoder layer saves: per text token, and keys and values over the encoder's positions."""
    text = _tenths(recipe, 442, 802, 542) * shape.hidden * recipe.tokens // 10
    casts = 4 if recipe.autocast else 2
    return text + casts * recipe.compute * shape.hidden * POSITIONS * recipe.batch


def stem_saved(shape: SpeechShape, recipe: Training) -> int:
    """Bytes of the two convolutions: both results over 3000 frames, the first over 1500 positions."""
    return (2 * FRAMES + POSITIONS) * shape.hidden * recipe.compute * recipe.batch


def _scores(shape: SpeechShape, recipe: Training) -> int:
    return _tenths(recipe, 6, 12, 10) * shape.vocab * recipe.tokens


def _loss_backward(shape: SpeechShape, recipe: Training, held: Held) -> Moment:
    """Everything saved and the gradients of the scores."""
    size = recipe.residual * shape.hidden
    encoded = size * POSITIONS * recipe.batch
    if recipe.checkpointing:
        saved = shape.encoder_layers * encoded + shape.decoder_layers * size * recipe.tokens + encoded
    else:
        saved = shape.encoder_layers * encoder_layer_saved(shape, recipe)
        saved += shape.decoder_layers * decoder_layer_saved(shape, recipe)
    cached = 2 * shape.parameters if recipe.autocast and not recipe.checkpointing else 0
    norms = (recipe.residual + recipe.compute) * shape.hidden * (POSITIONS * recipe.batch + recipe.tokens)
    kept = {
        ACTIVATIONS: saved + stem_saved(shape, recipe) + norms,
        TEMPORARIES: _scores(shape, recipe) + cached,
    }
    return moment(MomentKind.LOSS_BACKWARD, held, kept)


def encoder_layer_elements(shape: SpeechShape) -> int:
    """Elements of the matrices of an encoder layer."""
    return 4 * shape.hidden**2 + 2 * shape.hidden * shape.mlp


def _encoder_layer_alive(shape: SpeechShape, recipe: Training) -> Held:
    """One encoder layer computed backward; recomputed, its own input is among the stored ones."""
    positions = POSITIONS * recipe.batch
    own = recipe.residual * shape.hidden * positions if recipe.checkpointing else 0
    return {
        ACTIVATIONS: encoder_layer_saved(shape, recipe) - own + stem_saved(shape, recipe),
        TEMPORARIES: (recipe.residual * shape.hidden + recipe.compute * shape.mlp) * positions,
    }


def _top_encoder_layer(shape: SpeechShape, recipe: Training, held: Held) -> Moment:
    """The decoder's gradients are there; the encoder below is still saved or stored."""
    positions = POSITIONS * recipe.batch
    encoder = shape.encoder_layers * encoder_layer_elements(shape)
    if recipe.checkpointing:
        below = shape.encoder_layers * recipe.residual * shape.hidden * positions
    else:
        below = (shape.encoder_layers - 1) * encoder_layer_saved(shape, recipe)
    gradients = recipe.element * (shape.trainable - encoder + shape.hidden * shape.mlp)
    kept = {GRADIENTS: gradients, ACTIVATIONS: below}
    return moment(MomentKind.TOP_LAYER, held, kept, _encoder_layer_alive(shape, recipe))


def _encoder_backward(shape: SpeechShape, recipe: Training, held: Held) -> Moment:
    """The bottom encoder layer computed backward: the other gradients are there."""
    stored = recipe.residual * shape.hidden * POSITIONS * recipe.batch if recipe.checkpointing else 0
    missing = encoder_layer_elements(shape) - shape.hidden * shape.mlp
    kept = {GRADIENTS: recipe.element * (shape.trainable - missing), ACTIVATIONS: stored}
    return moment(MomentKind.BOTTOM_LAYER, held, kept, _encoder_layer_alive(shape, recipe))


def _optimizer_step(shape: SpeechShape, recipe: Training, held: Held) -> Moment:
    gradients = recipe.element * shape.trainable
    buffers = gradients if recipe.is_foreach else 0
    return moment(MomentKind.OPTIMIZER_STEP, held, {GRADIENTS: gradients, TEMPORARIES: buffers})
