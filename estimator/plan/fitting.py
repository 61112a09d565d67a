"""Which cards a recipe fits on: headroom, the least legal number of cards, the largest batch and context.

Everything is found on the closed forms, each asked once per size. A limit is given twice, because "fits" is said
only at the upper end of every range: as far as it goes at the values used, and as far as it goes for certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from estimator import memory as mem
from estimator.catalogue import Card
from estimator.plan.forms import RANGES, Working, WorkingBasis, line_basis, upper_bytes
from estimator.plan.growth import growth
from estimator.plan.image_models import largest_side, pipeline_of
from estimator.plan.models import MOST_CARDS, architecture_of, model_ledger
from estimator.plan.splits import Division
from estimator.problems import Absent
from estimator.quote import (
    DenoiserTrainingRecipe,
    GenerationRecipe,
    ImageRecipe,
    ModelSplit,
    ModelUse,
    TranscriptionRecipe,
)
from estimator.results.memory import CardVerdict, Fit, StageMemory

MOST_BATCH = 2**20
MOST_CONTEXT = 2**24
IMAGE_STEP = 64
"""Sides of images are tried in steps of so many pixels."""
MOST_IMAGE_SIDE = 16_384


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest moment of a ledger: at the values used, and at the upper end of every line."""

    used: int
    high: int


@dataclass(frozen=True, slots=True)
class Reach:
    """How far something goes: at the values used, and at the upper end of every range. None: not even at one."""

    used: int | None = None
    sure: int | None = None


@dataclass(frozen=True, slots=True)
class ModelFit:
    """A card model under a recipe. `verdict`: at the number of cards asked for, with the bytes to spare.

    `least_cards`: the least legal number for the split; of combined degrees `growth` says which one grows.
    `largest_batch`: requests or sequences a card at the same context. `largest_context`: tokens of a sequence, new
    ones included, at the same batch, at most what the model was made for. `reason`: why it does not fit or is not
    known; None where it fits or fits if.
    """

    card_id: str
    verdict: CardVerdict
    least_cards: Reach = Reach()
    largest_batch: Reach = Reach()
    largest_context: Reach = Reach()
    reason: Absent | None = None


def fits_table(
    use: ModelUse,
    split: Division,
    overheads: mem.Overheads,
    cards: Iterable[Card],
    cards_per_task: int = 1,
) -> tuple[ModelFit, ...]:
    """Return each card model's fit for a recipe divided over `cards_per_task` cards, in the order given."""
    models = tuple(cards)
    stage, reason = _stage(use, split, overheads, cards_per_task)
    verdicts = [mem.verdict_on(card.id, card.usable_bytes, overheads, (stage,)) for card in models]
    if reason is not None or stage.missing:
        return tuple(
            ModelFit(card.id, verdict, reason=reason or Absent("no_peak"))
            for card, verdict in zip(models, verdicts, strict=True)
        )
    usable = sorted({card.usable_bytes for card in models})
    degrees = _degrees(use, split, overheads, usable)
    batches = _reaches(_batches(use, split, cards_per_task), overheads, usable, MOST_BATCH)
    contexts = _contexts(use, split, overheads, usable, cards_per_task)
    return tuple(
        ModelFit(
            card.id,
            verdict,
            degrees[card.usable_bytes],
            batches[card.usable_bytes],
            contexts[card.usable_bytes],
            _reason(card, verdict),
        )
        for card, verdict in zip(models, verdicts, strict=True)
    )


def phases_of(ledger: mem.MemoryLedger, basis: mem.Basis, working: Working = ()) -> list[mem.Phase]:
    """Return the moments of a ledger as phases of a stage, each line with the range of what it rests on."""
    return [
        mem.Phase(
            moment.kind.value,
            tuple(
                mem.Term(
                    state.value,
                    mem.Size(size, upper_bytes(size, rests_on), RANGES[rests_on.basis][0]),
                    is_partitioned=False,
                )
                for state, size in moment.lines
                for rests_on in (line_basis(basis, working, moment.kind, state),)
            ),
        )
        for moment in ledger.moments
    ]


def peak_of(ledger: mem.MemoryLedger, basis: mem.Basis, working: Working = ()) -> Peak:
    """Return the peak of a ledger at the values used and at the upper ends of what its lines rest on."""
    used = ledger.peak_bytes
    if not working:
        return Peak(
            used, upper_bytes(used, WorkingBasis(basis)) + len(mem.StateClass)
        )  # each line is rounded up on its own
    highest = max(
        sum(upper_bytes(size, line_basis(basis, working, moment.kind, state)) for state, size in moment.lines)
        for moment in ledger.moments
    )
    return Peak(used, highest)


def allowed_bytes(usable_bytes: int, overheads: mem.Overheads, *, sure: bool) -> int:
    """Return the largest peak that a card admits: of the values used or, `sure`, of the upper ends of the lines."""
    if not sure:
        return mem.largest_need(usable_bytes, overheads)
    fixed = [overheads.context, overheads.workspace, overheads.communication]
    room = Decimal(usable_bytes - sum(size.high_bytes for size in fixed if size is not None))
    highest = 1 + (overheads.margin_high_percent or Decimal(0)) / 100
    return int(room / highest) - 8  # the margin and each of the fixed lines are rounded up on their own


def _stage(
    use: ModelUse, split: Division, overheads: mem.Overheads, cards: int
) -> tuple[StageMemory, Absent | None]:
    found = model_ledger(use, split, cards)
    if isinstance(found, Absent):
        return StageMemory("", cards, (), (found.code,)), found
    return mem.stage_memory("", phases_of(*found), overheads, cards), None


def _reason(card: Card, verdict: CardVerdict) -> Absent | None:
    if verdict.fits is not Fit.NO or verdict.spare_bytes is None:
        return None
    return Absent("does_not_fit", (), (("card", card.name), ("short_bytes", -verdict.spare_bytes)))


def _degrees(
    use: ModelUse, split: Division, overheads: mem.Overheads, usable: Sequence[int]
) -> dict[int, Reach]:
    """More shards never need more on each, so that halving finds the least; one card may rest on a better form.

    A pipeline is tried stage by stage: one stage more may keep more micro-batches in flight.
    """
    tried = growth(use, split, MOST_CARDS) or ((1, split),)
    peak = cache(lambda at: _peak(use, tried[at][1], tried[at][0]))

    def least(card_bytes: int, sure: bool) -> int | None:
        def fits(at: int) -> bool:
            return _admits(peak(at), overheads, card_bytes, sure)

        if split is ModelSplit.PIPELINE or fits(0):
            return next((tried[at][0] for at in range(len(tried)) if fits(at)), None)
        low, high = 0, len(tried) - 1
        if not fits(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return tried[high][0]

    return {one: Reach(least(one, False), least(one, True)) for one in usable}


def _batches(use: ModelUse, split: Division, cards: int) -> Callable[[int], Peak | None]:
    return lambda batch: _peak(_changed(use, batch=batch), split, cards)


def _contexts(
    use: ModelUse, split: Division, overheads: mem.Overheads, usable: Sequence[int], cards: int
) -> dict[int, Reach]:
    recipe = use.recipe
    if isinstance(recipe, ImageRecipe | DenoiserTrainingRecipe):
        return _image_sides(use, split, overheads, usable, cards)
    architecture = architecture_of(use.source).architecture
    if architecture is None or not architecture.vocab:  # reads no tokens: its length is the image's
        return dict.fromkeys(usable, Reach())
    stated = architecture.context_length
    most = MOST_CONTEXT if isinstance(stated, Absent) else stated
    new = recipe.new_tokens if isinstance(recipe, GenerationRecipe) else 0
    field = "length"
    if isinstance(recipe, GenerationRecipe):
        field = "prompt"
    elif isinstance(recipe, TranscriptionRecipe):
        field = "tokens"
    found = _reaches(
        lambda length: _peak(_changed(use, **{field: length}), split, cards), overheads, usable, most - new
    )
    return {
        one: Reach(*(None if end is None else end + new for end in (reach.used, reach.sure)))
        for one, reach in found.items()
    }


def _image_sides(
    use: ModelUse, split: Division, overheads: mem.Overheads, usable: Sequence[int], cards: int
) -> dict[int, Reach]:
    """Return the largest square images that fit, by their side."""

    def peak(steps: int) -> Peak | None:
        side = steps * IMAGE_STEP
        return _peak(_changed(use, height=side, width=side), split, cards)

    reading = pipeline_of(use.source)
    denoiser = None if reading is None or reading.pipeline is None else reading.pipeline.denoiser
    most = MOST_IMAGE_SIDE if denoiser is None else largest_side(denoiser) or MOST_IMAGE_SIDE
    found = _reaches(peak, overheads, usable, most // IMAGE_STEP)
    return {
        one: Reach(*(None if end is None else end * IMAGE_STEP for end in (reach.used, reach.sure)))
        for one, reach in found.items()
    }


def _reaches(
    peak_of: Callable[[int], Peak | None], overheads: mem.Overheads, usable: Sequence[int], most: int
) -> dict[int, Reach]:
    """Return for each of the rising sizes of a card the largest argument, 1 to `most`, that still fits."""
    peak = cache(peak_of)
    found: dict[bool, list[int | None]] = {}
    for sure in (False, True):
        found[sure] = []
        last = 0
        for card_bytes in usable:
            reached = _largest(peak, overheads, card_bytes, sure, last, most)
            found[sure].append(reached or None)
            last = reached
    pairs = zip(usable, found[False], found[True], strict=True)
    return {card_bytes: Reach(used, certain) for card_bytes, used, certain in pairs}


def _largest(
    peak: Callable[[int], Peak | None],
    overheads: mem.Overheads,
    card_bytes: int,
    sure: bool,
    low: int,
    most: int,
) -> int:
    """Return the largest argument that fits, 0 for none; `low` is known to fit (0: nothing is known).

    Peaks are nearly straight lines: the place where a line meets what the card admits is tried, then halving.
    """
    high = low + 1
    while high <= most and _admits(peak(high), overheads, card_bytes, sure):
        low, high = high, 2 * high
    if high > most:
        if low == most or (most > 0 and _admits(peak(most), overheads, card_bytes, sure)):
            return most
        high = most
    is_straight = True
    while high - low > 1:
        middle = (low + high) // 2
        below, above = peak(low) if low else None, peak(high)
        if is_straight and below is not None and above is not None and above.used > below.used:
            allowed = allowed_bytes(card_bytes, overheads, sure=sure)
            first, last = (below.high, above.high) if sure else (below.used, above.used)
            middle = low + (allowed - first) * (high - low) // (last - first)
            middle = min(max(middle, low + 1), high - 1)
        fits = _admits(peak(middle), overheads, card_bytes, sure)
        # A step to the next number closes the search where the line is straight; elsewhere halving takes turns.
        is_straight = not is_straight or middle in (low + 1, high - 1)
        low, high = (middle, high) if fits else (low, middle)
    return low


def _admits(peak: Peak | None, overheads: mem.Overheads, card_bytes: int, sure: bool) -> bool:
    if peak is None:
        return False
    return (peak.high if sure else peak.used) <= allowed_bytes(card_bytes, overheads, sure=sure)


def _peak(use: ModelUse, split: Division, cards: int) -> Peak | None:
    found = model_ledger(use, split, cards)
    return None if isinstance(found, Absent) else peak_of(*found)


def _changed(use: ModelUse, **fields: int) -> ModelUse:
    return ModelUse.model_construct(source=use.source, recipe=use.recipe.model_copy(update=fields))
