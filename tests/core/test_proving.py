"""A proof in a process of its own, and what of it a quote keeps: real runs on a small quote, and their ways to end.

Three cards, nine conversions of 4 to 29 min that share a store for their first 4 min, then 10 min of assembly: 154
min on three cards are at least 52. The search delivers after 56 + 10, and no plan is better.
"""

from __future__ import annotations

import multiprocessing
import os
import threading

import pytest

from estimator import edits
from estimator.estimate import headline
from estimator.plan.proving import MORE_EFFORT, ProofTask, has_other_proof, proof_task, proved
from estimator.plan.scheduling import problem_behind
from estimator.quote import AssignmentPolicy, Organisation, ProvenPlan, Quote
from estimator.results.estimate import Timing
from estimator.schedule import Problem, ProofRefused, Schedule, SolveStopped
from estimator.schedule.prove import DEFAULT_EFFORT, Found, Heard
from estimator.storage import quote_from_text, quote_to_text
from tests.quotes import MINUTE, TODAY, compared, conversion, hard_to_find, hard_to_prove
from tests.schedule_rules import assert_keeps_every_rule

BEST_MS, BOUND_MS = 66 * MINUTE, 62 * MINUTE


def endless(problem: Problem, start: Schedule, effort: int, heard: Heard) -> Found:
    heard(start.delivery_ms, start.lower_bound_ms)
    threading.Event().wait()
    raise AssertionError


def crashing(problem: Problem, start: Schedule, effort: int, heard: Heard) -> Found:
    os._exit(9)


def refusing(problem: Problem, start: Schedule, effort: int, heard: Heard) -> Found:
    raise ProofRefused("proof_not_installed")


def shown(quote: Quote) -> tuple[Organisation, Timing]:
    found = headline(quote, TODAY).shown
    assert found is not None
    assert isinstance(found.timing, Timing)
    organisation = quote.organisation(found.organisation_id)
    assert organisation is not None
    return organisation, found.timing


def task_of(quote: Quote) -> ProofTask:
    task = proof_task(*shown(quote))
    assert task is not None
    return task


@pytest.fixture(scope="module")
def proven() -> ProvenPlan:
    heard: list[tuple[int, int]] = []
    found = proved(task_of(hard_to_prove()), lambda delivery, bound: heard.append((delivery, bound)))
    assert heard[-1] == (BEST_MS, BEST_MS)
    return found


def kept(quote: Quote, proven: ProvenPlan) -> Quote:
    return edits.with_organisation(quote, "B", proven=proven)


def test_the_plan_is_proved_in_a_process_of_its_own(proven: ProvenPlan) -> None:
    _, timing = shown(hard_to_prove())
    assert (timing.delivery_ms, timing.lower_bound_ms) == (BEST_MS, BOUND_MS)
    assert proven.bound_ms == BEST_MS
    assert proven.effort == DEFAULT_EFFORT
    assert proven.by.startswith("OR-Tools 9.")
    assert multiprocessing.active_children() == []


def test_a_reopened_quote_keeps_what_was_proved(proven: ProvenPlan) -> None:
    quote = quote_from_text(quote_to_text(kept(hard_to_prove(), proven)))
    assert quote == kept(hard_to_prove(), proven)
    organisation, timing = shown(quote)
    assert (timing.delivery_ms, timing.lower_bound_ms) == (BEST_MS, BEST_MS)
    assert not has_other_proof(organisation, timing)
    assert proof_task(organisation, timing) is None


def test_a_better_plan_that_was_proved_is_the_best_plan_from_then_on(proven: ProvenPlan) -> None:
    # By availability in list order the same tasks take longer than 66 min.
    quote = kept(hard_to_prove(AssignmentPolicy.AVAILABILITY), proven)
    results = {one.policy: one for one in compared(quote, TODAY).organisations[1].policies}
    best, other = results[AssignmentPolicy.BEST], results[AssignmentPolicy.AVAILABILITY]
    assert (best.delivery_ms, best.lower_bound_ms) == (BEST_MS, BEST_MS)
    assert other.delivery_ms > other.lower_bound_ms == BEST_MS


def test_a_better_plan_takes_the_place_of_the_one_found() -> None:
    # 222 min of ten tasks on four cards, each loading 5 min alone: the search delivers after 64 + 10.
    former = shown(hard_to_find())[1].delivery_ms
    quote = kept(hard_to_find(), proved(task_of(hard_to_find())))
    _, timing = shown(quote_from_text(quote_to_text(quote)))
    assert former == 74 * MINUTE
    assert timing.delivery_ms == timing.lower_bound_ms == 73 * MINUTE
    assert_keeps_every_rule(timing.schedule, problem_behind(timing.schedule))


def test_the_staircase_does_not_contradict_the_proof(proven: ProvenPlan) -> None:
    result = compared(kept(hard_to_prove(), proven), TODAY)
    assert next(step for step in result.staircase if step.cards == 3).delivery_ms == BEST_MS


def test_a_proof_of_other_tasks_changes_nothing_and_is_told(proven: ProvenPlan) -> None:
    quote = edits.with_equal_tasks(kept(hard_to_prove(), proven), "conversion", count=9, duration=None)
    organisation, timing = shown(quote)
    assert timing.delivery_ms == shown(edits.with_organisation(quote, "B", proven=None))[1].delivery_ms
    assert has_other_proof(organisation, timing)


@pytest.mark.parametrize(
    "change",
    [
        {"bound_ms": BEST_MS + 1},  # above a plan that exists
        {"tasks": ((0, 0),) * 10},  # every task at once on one card
        {"tasks": ((0, 99),) * 10},  # a card that is not there
        {"tasks": ()},
    ],
)
def test_a_saved_proof_that_cannot_be_true_is_not_believed(
    proven: ProvenPlan, change: dict[str, object]
) -> None:
    _, timing = shown(kept(hard_to_prove(), proven.replaced(**change)))
    assert (timing.delivery_ms, timing.lower_bound_ms) == (BEST_MS, BOUND_MS)


def test_proving_again_what_was_not_settled_spends_more(proven: ProvenPlan) -> None:
    task = task_of(kept(hard_to_prove(), proven.replaced(bound_ms=BOUND_MS + MINUTE)))
    assert task.effort == MORE_EFFORT * DEFAULT_EFFORT
    assert task.start.lower_bound_ms == BOUND_MS + MINUTE


def test_a_plan_at_its_bound_asks_for_no_proof() -> None:
    quote = edits.with_stage(hard_to_prove(), "conversion", tasks=conversion().tasks, needs=())
    assert proof_task(*shown(quote)) is None


def test_a_cancelled_proof_leaves_no_process() -> None:
    heard: list[int] = []
    with pytest.raises(SolveStopped):
        proved(
            task_of(hard_to_prove()),
            lambda delivery, bound: heard.append(bound),
            lambda: bool(heard),
            endless,
        )
    assert heard == [BOUND_MS]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize(("work", "code"), [(crashing, "proof_crashed"), (refusing, "proof_not_installed")])
def test_a_proof_that_comes_to_nothing_says_why(work: object, code: str) -> None:
    with pytest.raises(ProofRefused, match=code):
        proved(task_of(hard_to_prove()), work=work)  # type: ignore[arg-type]  # one of the functions above
    assert multiprocessing.active_children() == []
