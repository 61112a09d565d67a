"""A proof in a process of its own: told on as it goes, killed when it is no longer wanted, kept with the quote.

The process is started anew (spawned) and imports the solver there, so that a crash or a lack of memory costs
nothing but the proof, and the window never loads it. Nothing here is timed: what ends a proof is its budget of
steps, its result, or the planner.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from estimator.plan.scheduling import best_plan_of, content_of, is_proof_of, problem_behind
from estimator.quote import Organisation, ProvenPlan
from estimator.results.estimate import Timing
from estimator.schedule import Cancelled, Problem, ProofRefused, Schedule, SolveStopped
from estimator.schedule.prove import DEFAULT_EFFORT, Found, Heard, prove

ASK_EVERY_S = 0.1
MORE_EFFORT = 4
"""Another proof of the same schedule may take so many times the steps of the former."""

Prove = Callable[[Problem, Schedule, int, Heard], Found]


@dataclass(frozen=True, slots=True)
class ProofTask:
    """What is to be proved: that no plan of these tasks and cards ends before `start`."""

    organisation_id: str
    problem: Problem
    start: Schedule
    effort: int


def proof_task(organisation: Organisation, timing: Timing) -> ProofTask | None:
    """Return the proof that the shown timing asks for; None where its best plan is proven already."""
    problem = problem_behind(timing.schedule)
    start = best_plan_of(problem, organisation.proven)
    if start.is_optimal:
        return None
    effort = DEFAULT_EFFORT
    if organisation.proven is not None and is_proof_of(organisation.proven, problem):
        effort = MORE_EFFORT * organisation.proven.effort
    return ProofTask(organisation.id, problem, start, effort)


def has_other_proof(organisation: Organisation, timing: Timing) -> bool:
    """Whether the organisation keeps a proof of other tasks or cards than those of the timing."""
    return organisation.proven is not None and not is_proof_of(
        organisation.proven, problem_behind(timing.schedule)
    )


def proved(
    task: ProofTask, heard: Heard = lambda delivery_ms, bound_ms: None, cancelled: Cancelled = lambda: False,
    work: Prove = prove,
) -> ProvenPlan:  # fmt: skip
    """Return what the proof found. Raises ProofRefused, and SolveStopped soon after `cancelled` answers yes.

    The plan is never later than the start; where its delivery is the bound, it is proven best.
    """
    context = multiprocessing.get_context("spawn")
    reads, writes = context.Pipe(duplex=False)
    arguments = (writes, work, task.problem, task.start, task.effort)
    process = context.Process(target=_work, args=arguments, name="cabida-proof", daemon=True)
    process.start()
    writes.close()
    try:
        found = _answer(reads, heard, cancelled)
    finally:
        process.kill()
        process.join()
        process.close()
        reads.close()
    return ProvenPlan(
        content=content_of(task.problem),
        bound_ms=found.bound_ms,
        tasks=found.tasks,
        effort=task.effort,
        by=found.by,
    )


def _answer(reads: Connection, heard: Heard, cancelled: Cancelled) -> Found:
    while True:
        if cancelled():
            raise SolveStopped
        if not reads.poll(ASK_EVERY_S):
            continue
        try:
            said = reads.recv()
        except EOFError:
            raise ProofRefused("proof_crashed") from None
        match said:
            case (int() as delivery_ms, int() as bound_ms):
                heard(delivery_ms, bound_ms)
            case str() as code:
                raise ProofRefused(code)
            case Found() as found:
                return found


def _work(writes: Connection, work: Prove, problem: Problem, start: Schedule, effort: int) -> None:
    """Prove and say so; runs in the process of its own."""
    try:
        found = work(
            problem, start, effort, lambda delivery_ms, bound_ms: writes.send((delivery_ms, bound_ms))
        )
    except ProofRefused as refused:
        writes.send(refused.code)
    else:
        writes.send(found)
    writes.close()
