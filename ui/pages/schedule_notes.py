"""What binds the delivery, in sentences: shared resources against cards, and whether the assignment matters.

Read from what the estimate holds (policies, staircase, use of resources, counter-examples); nothing is computed
anew, and a claim is made only where a figure of the estimate backs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from estimator.quote import ResourceKind, SharedResource
from estimator.results.estimate import Estimate, OrganisationResult, PolicyResult, Step, Timing
from estimator.wording import Wording
from estimator.wording.phrases import due_note
from ui.pages.schedule_gantt import RESOURCE_SCALE


@dataclass(frozen=True, slots=True)
class Notes:
    """Sentences for people. `binds`: a shared resource, not the cards, decides the delivery."""

    sentences: tuple[str, ...] = ()
    binds: bool = False


def notes_of(words: Wording, estimate: Estimate) -> Notes:
    """Return what binds the shown plan; nothing while the comparisons are not there."""
    shown = estimate.shown
    if shown is None or not isinstance(shown.timing, Timing):
        return Notes()
    after = _next_step(estimate.staircase, shown.timing.cards)
    due = due_note(words, estimate.quote)
    sentences = [due] if due else []
    binds = False
    for place, resource in enumerate(estimate.quote.workload.resources):
        full_ms = _full_ms(shown.timing, place, resource)
        if full_ms <= 0:
            continue
        gaps = {
            "resource": resource.name,
            "capacity": words.number(resource.capacity.value or Decimal(0)),
            "duration": words.duration(full_ms),
        }
        if estimate.staircase and after is None:
            binds = True
            sentences.append(
                words.t(
                    "{resource} binds, not cards: all {capacity} are in use for {duration}, and more cards "
                    "deliver no earlier.",
                    **gaps,
                )
            )
        else:
            sentences.append(
                words.t("{resource}: all {capacity} are in use for {duration} of the plan.", **gaps)
            )
    sentences += _about_slices(words, estimate, shown)
    if not binds:
        sentences += _about_cards(words, estimate, shown.timing, after)
    sentences += _about_policies(words, estimate, shown.policies)
    return Notes(tuple(sentences), binds)


def _about_slices(words: Wording, estimate: Estimate, shown: OrganisationResult) -> list[str]:
    """Say of slices of the plan's cards that no task is given to, while tasks wait for their turn."""
    if not isinstance(shown.timing, Timing):
        return []
    main = estimate.quote.workload.main_stage
    empty = shown.timing.cards * shown.slices_per_card - shown.timing.places
    if empty <= 0 or main is None or main.tasks.total <= shown.timing.places:
        return []
    return [
        words.n(
            "{count} slice of these cards is empty: more tasks at once ask for no more cards.",
            "{count} slices of these cards are empty: more tasks at once ask for no more cards.",
            empty,
        )
    ]


def _full_ms(timing: Timing, place: int, resource: SharedResource) -> int:
    """Return for how long a licence, store or link is used up to its capacity."""
    if resource.kind is ResourceKind.STATION or resource.capacity.value is None:
        return 0
    times, used = timing.schedule.resource_steps[place]
    if times.size == 0:
        return 0
    lengths = np.diff(np.append(times, max(timing.delivery_ms, int(times[-1]))))
    return int(lengths[used >= int(resource.capacity.value * RESOURCE_SCALE)].sum())


def _next_step(steps: tuple[Step, ...], cards: int) -> tuple[Step, int] | None:
    """Return the next step that delivers earlier than these cards, and by how much."""
    base = next((step for step in steps if step.cards == cards), None)
    if base is None:
        return None
    for step in steps:
        if step.cards > cards and step.delivery_ms < base.delivery_ms:
            return step, base.delivery_ms - step.delivery_ms
    return None


def _about_cards(
    words: Wording, estimate: Estimate, timing: Timing, after: tuple[Step, int] | None
) -> list[str]:
    if not any(step.cards == timing.cards for step in estimate.staircase):
        return []
    if after is None:
        return [words.t("More cards deliver no earlier.")]
    step, gain = after
    return [
        words.t(
            "With {cards} delivery is {delivery}, {gain} earlier.",
            cards=words.n("{count} card", "{count} cards", step.cards),
            delivery=words.duration(step.delivery_ms),
            gain=words.duration(gain),
        )
    ]


def _about_policies(words: Wording, estimate: Estimate, policies: tuple[PolicyResult, ...]) -> list[str]:
    if len(policies) < 2:
        return []
    best = min(policies, key=lambda one: one.delivery_ms)
    worst = max(policies, key=lambda one: one.delivery_ms)
    if best.delivery_ms < worst.delivery_ms:
        return [
            words.t(
                "{best} delivers {gain} earlier than {worst}, on the same cards.",
                best=words.word(best.policy),
                worst=words.word(worst.policy).lower(),
                gain=words.duration(worst.delivery_ms - best.delivery_ms),
            )
        ]
    equal = all(stage.tasks.are_equal for stage in estimate.quote.workload.stages if stage.on_cards)
    if not equal:
        return [words.t("The three assignments deliver at the same time.")]
    sentences = [words.t("With equal tasks the three assignments coincide.")]
    cases = {case.code: case for case in estimate.counter_examples}
    blocks, availability = cases.get("unequal_blocks"), cases.get("unequal_availability")
    if blocks and availability and blocks.delivery_ms > availability.delivery_ms:
        sentences.append(
            words.t(
                "With unequal ones they do not. {case} Delivery: {delivery}; by availability, {other}.",
                case=words.counter_example(blocks.code, dict(blocks.values)),
                delivery=words.duration(blocks.delivery_ms),
                other=words.duration(availability.delivery_ms),
            )
        )
    return sentences
