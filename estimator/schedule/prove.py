"""Proof that a plan is the best, or a better one, by OR-Tools CP-SAT: the one module that imports it.

It is an optional extra (`cabida[prove]`), imported only when a proof is asked for. One worker, a fixed seed and a
budget in the solver's own steps, never a clock: the same problem and start give the same answer. Two models: how
many of each kind of task a slot runs, where tasks share nothing but equal slots; else intervals on capacities.
What is found is not believed here: `placed.broken_rule` decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from estimator.results.schedule import Schedule
from estimator.schedule.exact import MOST_OPTIONS, OFF_CARDS, Exact, ProofRefused, exact_view
from estimator.schedule.placed import Placed, broken_rule, tasks_of
from estimator.schedule.problem import UNLIMITED, Problem

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Heard = Callable[[int, int], object]
"""Hears the best delivery and the best bound so far, in ms."""

DEFAULT_EFFORT = 30
"""The solver's deterministic time: one to five seconds of a laptop each, the more the larger the problem."""
SEED = 1
REQUIREMENT = "ortools>=9.10"
"""What the extra installs, as pyproject.toml says it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Tasks by group that keep every rule, and a moment before which no plan ends. `by`: the solver, its version."""

    tasks: tuple[Placed, ...]
    delivery_ms: int
    bound_ms: int
    by: str


class Model(Protocol):
    """A view as a program of CP-SAT; `latest` is the end of all tasks, in units."""

    program: cp_model.CpModel
    latest: cp_model.IntVar

    def hint(self, starts: list[int], chosen: list[int]) -> None:
        """Hand over a plan to begin with: each task's start and the number of its option."""

    def plan(self, value: Callable[[Any], int]) -> tuple[list[int], list[int]]:
        """Return the starts and options of a solution, whose variables' values `value` gives."""


def prove(
    problem: Problem, start: Schedule, effort: int = DEFAULT_EFFORT, heard: Heard | None = None
) -> Found:
    """Return a plan never later than `start` and the bound proven; equal values mean that none is better.

    Raises ProofRefused (see `exact`), `proof_not_installed` where the extra is missing.
    """
    view = exact_view(problem)
    solver = _solver()
    solver.parameters.max_deterministic_time = effort
    unit = view.unit_ms
    tasks = tasks_of(problem, start)
    model = modelled(view, (-(-start.lower_bound_ms // unit), start.delivery_ms // unit))
    model.hint(*_as_chosen(view, tasks))
    told = _Told(unit, start, heard)
    solver.best_bound_callback = told.bound
    status = solver.status_name(solver.solve(model.program, _listener(told)))
    if status not in ("OPTIMAL", "FEASIBLE", "UNKNOWN"):
        raise ProofRefused("proof_wrong")  # the start is a plan: there is one
    bound_ms = max(start.lower_bound_ms, round(solver.best_objective_bound) * unit)
    delivery_ms = start.delivery_ms
    if status != "UNKNOWN" and round(solver.objective_value) * unit < delivery_ms:
        delivery_ms = round(solver.objective_value) * unit
        tasks = view.cards_for(*model.plan(solver.value))
        if broken_rule(problem, tasks):
            raise ProofRefused("proof_wrong")
    bound_ms = min(bound_ms, delivery_ms)
    told.tell(delivery_ms, bound_ms)
    return Found(tasks, delivery_ms, bound_ms, f"OR-Tools {version('ortools')}")


def modelled(view: Exact, bounds: tuple[int, int]) -> Model:
    """Return the view as CP-SAT's model whose least `latest`, within the bounds, is asked for, in units."""
    from ortools.sat.python import cp_model

    program = cp_model.CpModel()
    slots = _equal_slots(view)
    is_small = 0 < len(slots) * len(set(view.options)) <= MOST_OPTIONS
    model: Model = _Shares(program, view, slots, bounds) if is_small else _Intervals(program, view, bounds)
    program.minimize(model.latest)
    return model


def _solver() -> cp_model.CpSolver:
    try:
        from ortools.sat.python import cp_model
    except ImportError as missing:
        raise ProofRefused("proof_not_installed") from missing
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = SEED
    solver.parameters.interleave_search = (
        True  # several searches in turns by that one worker, in a fixed order
    )
    return solver


class _Told:
    """The best delivery and bound so far, told on when either changes."""

    def __init__(self, unit: int, start: Schedule, heard: Heard | None) -> None:
        self._unit = unit
        self._best = (start.delivery_ms, start.lower_bound_ms)
        self._heard = heard

    def delivery(self, units: float) -> None:
        self.tell(min(self._best[0], round(units) * self._unit), self._best[1])

    def bound(self, units: float) -> None:
        self.tell(self._best[0], min(max(self._best[1], round(units) * self._unit), self._best[0]))

    def tell(self, delivery_ms: int, bound_ms: int) -> None:
        if (delivery_ms, bound_ms) != self._best:
            self._best = (delivery_ms, bound_ms)
            if self._heard is not None:
                self._heard(delivery_ms, bound_ms)


def _listener(told: _Told) -> cp_model.CpSolverSolutionCallback:
    """Return what the solver calls at each better plan; its class can only be made once the library is there."""

    from ortools.sat.python import cp_model

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            told.delivery(self.objective_value)

    return Listener()


def _as_chosen(view: Exact, tasks: tuple[Placed, ...]) -> tuple[list[int], list[int]]:
    """Return the tasks' starts in units and the number of the option that each takes."""
    pool_of = {card: number for number, pool in enumerate(view.pools) for _, card in pool}
    starts, chosen = [], []
    for row, (begin, *cards) in zip(view.options, tasks, strict=True):
        pool = pool_of[cards[0]] if cards else OFF_CARDS
        starts.append(begin // view.unit_ms)
        chosen.append(next(number for number, option in enumerate(row) if option.pool == pool))
    return starts, chosen


def _equal_slots(view: Exact) -> list[tuple[int, int]]:
    """Return (pool, when it is ready) of the slots that the tasks share; empty where they share anything else."""
    if len(set(view.stage)) != 1 or len(set(view.cards)) != 1 or view.cards[0] == 0:
        return []
    if view.caps[view.stage[0]] != UNLIMITED or any(one.needs for row in view.options for one in row):
        return []
    wide, release = view.cards[0], view.release[view.stage[0]]
    return [
        (number, max(release, pool[last][0]))
        for number, pool in enumerate(view.pools)
        for last in range(wide - 1, len(pool), wide)
    ]


class _Shares:
    """How many tasks of each kind a slot runs, one after another. Alike: tasks with the same options."""

    def __init__(
        self,
        program: cp_model.CpModel,
        view: Exact,
        slots: list[tuple[int, int]],
        bounds: tuple[int, int],
    ) -> None:
        self.program, self._view, self._slots = program, view, slots
        self.latest = program.new_int_var(*bounds, "latest")
        kinds = Counter(view.options)
        self._kinds = sorted(kinds, key=lambda row: max(option.length for option in row), reverse=True)
        self._number: dict[tuple[int, int], cp_model.IntVar] = {}
        loads: list[Any] = [0] * len(slots)
        for kind, row in enumerate(self._kinds):
            length = {option.pool: option.length for option in row}
            for slot, (pool, _) in enumerate(slots):
                if pool in length:
                    number = program.new_int_var(0, kinds[row], f"n{kind}_{slot}")
                    self._number[kind, slot] = number
                    loads[slot] += number * length[pool]
            program.add(sum(one for (of, _), one in self._number.items() if of == kind) == kinds[row])
        for slot, (_, ready) in enumerate(slots):
            if ready <= bounds[0]:
                program.add(loads[slot] + ready <= self.latest)
                continue
            used = program.new_bool_var("")  # a slot that is ready late may stay without tasks
            program.add(loads[slot] + ready <= self.latest).only_enforce_if(used)
            program.add(loads[slot] == 0).only_enforce_if(~used)
        for slot, (one, other) in enumerate(pairwise(slots)):
            if one == other:  # slots that are alike: the fuller one first
                program.add(loads[slot] >= loads[slot + 1])

    def hint(self, starts: list[int], chosen: list[int]) -> None:
        """Hand the tasks out to slots by their start, as the plan's own slots need not be these."""
        kind_of = {row: kind for kind, row in enumerate(self._kinds)}
        ends = [ready for _, ready in self._slots]
        shares: list[Counter[int]] = [Counter() for _ in self._slots]
        for task in sorted(range(len(starts)), key=lambda one: (starts[one], one)):
            option = self._view.options[task][chosen[task]]
            usable = [slot for slot, (pool, _) in enumerate(self._slots) if pool == option.pool]
            slot = min(usable, key=lambda one: (ends[one], one))
            ends[slot] += option.length
            shares[slot][kind_of[self._view.options[task]]] += 1
        by_class: dict[tuple[int, int], list[int]] = {}
        for slot, alike in enumerate(self._slots):
            by_class.setdefault(alike, []).append(slot)
        for alike_slots in by_class.values():
            fullest = sorted(alike_slots, key=lambda one: (-ends[one], one))
            for slot, source in zip(alike_slots, fullest, strict=True):
                for (kind, of), number in self._number.items():
                    if of == slot:
                        self.program.add_hint(number, shares[source][kind])

    def plan(self, value: Callable[[Any], int]) -> tuple[list[int], list[int]]:
        """Return starts and options: each slot runs its tasks in order, without a gap."""
        waiting: dict[int, list[int]] = {}
        kind_of = {row: kind for kind, row in enumerate(self._kinds)}
        for task in reversed(range(len(self._view.options))):
            waiting.setdefault(kind_of[self._view.options[task]], []).append(task)
        starts, chosen = [0] * len(self._view.options), [0] * len(self._view.options)
        for slot, (pool, ready) in enumerate(self._slots):
            moment = ready
            for kind, row in enumerate(self._kinds):
                number = self._number.get((kind, slot))
                at = next((at for at, option in enumerate(row) if option.pool == pool), 0)
                for _ in range(0 if number is None else value(number)):
                    task = waiting[kind].pop()
                    starts[task], chosen[task] = moment, at
                    moment += row[at].length
        return starts, chosen


class _Intervals:
    """A start for each task, an interval for each option; cards, resources and caps are cumulative."""

    def __init__(self, program: cp_model.CpModel, view: Exact, bounds: tuple[int, int]) -> None:
        self.program, self._view = program, view
        self.latest = program.new_int_var(*bounds, "latest")
        horizon = bounds[1]
        self._start: list[cp_model.IntVar] = []
        self._taken: list[list[Any]] = []
        self._end: list[Any] = []
        self._uses: dict[tuple[str, int], list[tuple[Any, int]]] = {}
        for task, row in enumerate(view.options):
            shortest = min(option.length for option in row)
            release = view.release[view.stage[task]]
            start = program.new_int_var(release, max(release, horizon - shortest), f"s{task}")
            taken: list[Any] = [True] if len(row) == 1 else [program.new_bool_var("") for _ in row]
            if len(row) > 1:
                program.add_exactly_one(taken)
            self._start.append(start)
            self._taken.append(taken)
            longer = sum(
                (option.length - shortest) * one
                for option, one in zip(row, taken, strict=True)
                if len(row) > 1
            )
            self._end.append(start + shortest + longer)
            self._hold(task)
        self._share()
        self._order(horizon)

    def _hold(self, task: int) -> None:
        """Note what the task takes of each capacity under each of its options."""
        view, stage = self._view, self._view.stage[task]
        for option, one in zip(view.options[task], self._taken[task], strict=True):
            known: dict[int, Any] = {}

            def during(held: int, one: Any = one, known: dict[int, Any] = known) -> Any:
                if held not in known:
                    new = self.program.new_optional_fixed_size_interval_var
                    known[held] = new(self._start[task], held, one, "")
                return known[held]

            if option.pool != OFF_CARDS:
                self._use("pool", option.pool, during(option.length), view.cards[task])
            for resource, amount, held in option.needs:
                self._use("resource", resource, during(held), amount)
            if view.caps[stage] != UNLIMITED and option.length:
                self._use("cap", stage, during(option.length), 1)

    def _use(self, what: str, number: int, interval: Any, amount: int) -> None:
        self._uses.setdefault((what, number), []).append((interval, amount))

    def _share(self) -> None:
        view, program = self._view, self.program
        for (what, number), uses in self._uses.items():
            capacity = view.caps[number] if what == "cap" else 0
            if what == "resource":
                capacity = view.capacity[number]
            if what == "pool":
                capacity = len(view.pools[number])
                not_ready = Counter(ready for ready, _ in view.pools[number] if ready)
                for ready, cards in not_ready.items():
                    uses.append((program.new_fixed_size_interval_var(0, ready, ""), cards))
            intervals, amounts = zip(*uses, strict=True)
            if len(uses) > 1 and all(2 * amount > capacity for amount in amounts):
                program.add_no_overlap(intervals)
            else:
                program.add_cumulative(intervals, amounts, capacity)

    def _order(self, horizon: int) -> None:
        view, program = self._view, self.program
        for end in self._end:
            program.add(end <= self.latest)
        ends: dict[int, Any] = {}
        waited_for = {one for row in view.before for one in row}
        for stage in waited_for:
            tasks = view.tasks_in[stage]
            ends[stage] = self._end[tasks[0]]
            if len(tasks) > 1:
                ends[stage] = program.new_int_var(0, horizon, "")
                for task in tasks:
                    program.add(self._end[task] <= ends[stage])
        for stage, row in enumerate(view.before):
            for one in row:
                for task in view.tasks_in[stage]:
                    program.add(self._start[task] >= ends[one])
        for stage, release in enumerate(view.release):
            if not view.tasks_in[stage]:
                program.add(self.latest >= release)
                for one in view.before[stage]:
                    program.add(self.latest >= ends[one])
        for task in range(1, len(view.group)):
            if view.group[task] == view.group[task - 1]:  # equal tasks: in their order
                program.add(self._start[task - 1] <= self._start[task])

    def hint(self, starts: list[int], chosen: list[int]) -> None:
        """Hand over the plan, equal tasks in the order of their starts."""
        by_start = sorted(range(len(starts)), key=lambda one: (self._view.group[one], starts[one], one))
        for task, source in enumerate(by_start):
            self.program.add_hint(self._start[task], starts[source])
            for number, one in enumerate(self._taken[task]):
                if len(self._taken[task]) > 1:
                    self.program.add_hint(one, number == chosen[source])

    def plan(self, value: Callable[[Any], int]) -> tuple[list[int], list[int]]:
        """Return starts and the options taken."""
        chosen = [
            next(number for number, one in enumerate(row) if one is True or value(one)) for row in self._taken
        ]
        return [value(start) for start in self._start], chosen
