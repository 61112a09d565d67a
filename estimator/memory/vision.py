"""Peak of an image transformer (ViT) that classifies: one pass over the patches of each image, no cache.

On a formula alone: the widest operation of a layer as in a decoder without a cache. Training is in `training`.
"""

from __future__ import annotations

from estimator.memory.inference import attention_temporaries, mlp_temporaries
from estimator.memory.ledger import MemoryLedger, MomentKind, StateClass, moment
from estimator.memory.recipe import Attention, Generation, Precision
from estimator.memory.shape import ModelShape

COLOURS = 3


def classification_ledger(
    shape: ModelShape, batch: int, patches: int, precision: Precision, attention: Attention
) -> MemoryLedger:
    """Return what a card holds while `batch` images, `patches` tokens each (class token included), are classified."""
    element, tokens = precision.size, batch * patches
    recipe = Generation(batch, patches, 0, precision, attention, kv_bits=8 * element)
    working = tokens * max(mlp_temporaries(shape, recipe), attention_temporaries(shape, recipe))
    held = {
        StateClass.WEIGHTS: shape.parameters * element,
        StateClass.INPUTS: COLOURS * shape.image_size**2 * batch * element,
        StateClass.TEMPORARIES: working,
    }
    return MemoryLedger((moment(MomentKind.ENCODER, held),))
