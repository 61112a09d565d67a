"""Lower bounds: moments before which no plan whatever can end. Proofs, not estimates; nothing is placed here.

A stage starts only when those before it have ended, so that each stage's own bound adds up along the network.
Own bounds: the longest task, the cards' time (area), the pigeon-hole on the longest tasks (of m + 1 tasks two
share a slot), tasks too wide to share an area, and each shared resource. Where tasks wait one by one, the later
stage starts at least a task after the other and ends at least one of its own after it. Hours stretch a stage's
length: as if all could pause, and, where they may not, whole tasks from stretch to stretch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from estimator.schedule.calendars import Calendar, Calendars
from estimator.schedule.equal import least_time_for_equal, least_time_for_work, least_time_on_leaving
from estimator.schedule.fleet import Fleet, Part, held_ms
from estimator.schedule.network import successors
from estimator.schedule.problem import FOREVER, UNLIMITED

# How many tasks a slot the pigeon-hole looks at: beyond, the area bound is as good.
PIGEON_DEPTH = 64


class StageBounds:
    """Bounds of every stage of a feasible problem and of the whole.

    `tail_ms[s]` is the least time from the end of stage s to the delivery, `lower_bound_ms` that of the
    delivery.
    """

    def __init__(self, fleet: Fleet, order: Sequence[int]) -> None:
        self._fleet = fleet
        problem = fleet.problem
        tasks_in = problem.tasks_in()
        one_by_one = [link for link in problem.when.streams if all(tasks_in[end] for end in link)]
        whole = [*problem.after, *(link for link in problem.when.streams if link not in one_by_one)]
        following = successors(problem.stage_count, whole)
        fed = successors(problem.stage_count, one_by_one)
        settled = max(fleet.ready, default=0)
        self._until = problem.when.filled("card_until_ms", problem.card_count) if problem.is_timed else []
        self._shortest = [
            min((fleet.shortest[group] for part in parts for group in part.groups), default=0)
            for parts in fleet.parts
        ]
        self._hours = self._hours_of_stages()
        self.length_ms = [0] * problem.stage_count
        self.tail_ms = [0] * problem.stage_count
        for stage in reversed(order):
            self.length_ms[stage] = self._stage_end(stage, settled, stays=True) - settled
            tails = [self.length_ms[later] + self.tail_ms[later] for later in following[stage]]
            tails += [self._shortest[later] + self.tail_ms[later] for later in fed[stage]]
            self.tail_ms[stage] = max(tails, default=0)
        self.start_ms: list[int] = problem.release_ms.tolist()
        least_end = [0] * problem.stage_count
        end = 0
        for stage in order:
            start = self._open_from(stage, self.start_ms[stage])
            self.start_ms[stage] = start
            ends = max(self._stage_end(stage, start), self._in_hours(stage, start), least_end[stage])
            end = max(end, ends + self.tail_ms[stage])
            for later in following[stage]:
                self.start_ms[later] = max(self.start_ms[later], ends)
            for later in fed[stage]:
                self.start_ms[later] = max(self.start_ms[later], start + self._shortest[stage])
                last = self._after(later, ends, self._shortest[later])
                least_end[later] = max(least_end[later], last)
        self.lower_bound_ms = max(end, self._all_cards(), *self._all_resources())

    def _hours_of_stages(self) -> list[Calendar | None]:
        """Return each stage's hours, with those of its cards where all have the same."""
        problem, fleet = self._fleet.problem, self._fleet
        if not problem.when.calendars:
            return [None] * problem.stage_count
        calendars = Calendars(problem.when)
        of_stage = problem.when.filled("stage_calendar", problem.stage_count)
        of_card = problem.when.filled("card_calendar", problem.card_count)
        model = problem.card_model.tolist()
        found = []
        for parts, own in zip(fleet.parts, of_stage, strict=True):
            models = {one for part in parts for one in part.models}
            on = {calendar for calendar, one in zip(of_card, model, strict=True) if one in models}
            is_alike = len(on) == 1 and all(part.cards for part in parts)
            found.append(calendars.common((own, *on) if is_alike else (own,)) if parts else None)
        return found

    def _open_from(self, stage: int, moment: int) -> int:
        hours = self._hours[stage]
        return moment if hours is None else hours.open_from(moment)

    def _after(self, stage: int, moment: int, work_ms: int) -> int:
        hours = self._hours[stage]
        return moment + work_ms if hours is None else hours.paused_end(moment, work_ms)

    def _in_hours(self, stage: int, start: int) -> int:
        """Return the stage's least end in its hours: all of it paused, or whole tasks from stretch to stretch."""
        problem, hours = self._fleet.problem, self._hours[stage]
        if hours is None:
            return 0
        end = hours.paused_end(start, self.length_ms[stage])
        if problem.when.filled("may_pause", problem.stage_count)[stage]:
            return end
        for part in self._fleet.parts[stage]:
            number = sum(self._fleet.count[group] for group in part.groups)
            at_once = self._at_once(part, number)
            shortest = min(self._fleet.shortest[group] for group in part.groups)
            longest = max(self._fleet.shortest[group] for group in part.groups)
            end = max(end, hours.row_end(start, shortest, -(-number // at_once)))
            end = max(end, hours.row_end(start, longest, 1))
        return end

    def _at_once(self, part: Part, number: int) -> int:
        """Return how many tasks of a part can run at once at most."""
        fleet, problem = self._fleet, self._fleet.problem
        most = min(number, len(fleet.slots(part))) if part.cards else number
        cap = int(problem.tasks_at_once[part.stage])
        most = most if cap == UNLIMITED else min(most, cap)
        for resource in part.resources:
            capacity = int(problem.capacity[resource])
            users = list(self._users([part], resource))
            if capacity != UNLIMITED and all(left == 0 for _, _, _, left in users):
                most = min(most, capacity // min(need for _, need, _, _ in users))
        return max(1, most)

    def _stage_end(self, stage: int, start: int, stays: bool = False) -> int:
        """Return the stage's least end without hours; `stays`: as if no card ever left."""
        fleet, parts = self._fleet, self._fleet.parts[stage]
        cap = int(fleet.problem.tasks_at_once[stage])
        if len(parts) == 1 and len(parts[0].groups) == 1 and fleet.count[parts[0].groups[0]] == 1:
            return self._one_task(
                parts[0], start
            )  # a resource or a cap cannot hold back a task that is alone
        ends = [start]
        for part in parts:
            ends.append(self._part_end(part, start, cap))
        if len(parts) > 1:
            ends += self._together(parts, start, cap)
        elif not stays and any(until >= 0 for until in self._until) and parts and parts[0].cards:
            ends.append(self._area(parts, start))
        first = self._first_card([part for part in parts if part.cards], start)
        off_cards = any(part.cards == 0 for part in parts)
        ends += self._resource_ends(parts, start if off_cards or not parts else first)
        return max(ends)

    def _one_task(self, part: Part, start: int) -> int:
        row = self._fleet.duration[part.groups[0]]
        if part.cards == 0:
            return start + row[0]
        return min(max(start, slot.ready_ms) + row[slot.model] for slot in self._fleet.slots(part))

    def _part_end(self, part: Part, start: int, cap: int) -> int:
        fleet = self._fleet
        counts = [fleet.count[group] for group in part.groups]
        total_count = sum(counts)
        shortest = [fleet.shortest[group] for group in part.groups]
        if part.cards:
            slots = fleet.slots(part)
            ready = [max(start, slot.ready_ms) for slot in slots]
            end = self._longest_end(part, start)
            models = {slot.model for slot in slots}
            row = fleet.duration[part.groups[0]]
            if all(fleet.duration[group][model] == row[model] for model in models for group in part.groups):
                end = max(end, least_time_for_equal(ready, [row[slot.model] for slot in slots], total_count))
        else:
            end = start + max(shortest)
            if cap == UNLIMITED or cap >= total_count:
                return end
            ready = [start] * cap
        ready = sorted(ready)[: cap if cap != UNLIMITED else None]
        if min(shortest) == max(shortest):
            return max(end, least_time_for_equal(ready, [shortest[0]] * len(ready), total_count))
        work = sum(count * each for count, each in zip(counts, shortest, strict=True))
        end = max(end, least_time_for_work(ready, work))
        return max(end, ready[0] + _pigeon_hole(shortest, counts, len(ready)))

    def _longest_end(self, part: Part, start: int) -> int:
        fleet = self._fleet
        first: dict[int, int] = {}
        for slot in fleet.slots(part):
            first[slot.model] = min(first.get(slot.model, FOREVER), max(start, slot.ready_ms))
        if len(first) == 1:
            ((model, ready),) = first.items()
            return ready + max(fleet.duration[group][model] for group in part.groups)
        return max(
            min(ready + fleet.duration[group][model] for model, ready in first.items())
            for group in part.groups
        )

    def _together(self, parts: Sequence[Part], start: int, cap: int) -> list[int]:
        """Return bounds on all parts of a stage together: cap, cards' time, tasks too wide to share."""
        fleet = self._fleet
        ends: list[int] = []
        if cap != UNLIMITED:
            work = sum(self._work(part) for part in parts)
            ends.append(start - (-work // cap))
        on_cards = [part for part in parts if part.cards]
        ends.append(self._area(on_cards, start))
        models = frozenset(model for part in on_cards for model in part.models)
        sizes = [len(area.cards) for area in fleet.areas(parts[0].stage, models)]
        wide = [part for part in on_cards if 2 * part.cards > max(sizes)]
        if wide:
            fitting = sum(size >= min(part.cards for part in wide) for size in sizes)
            work = sum(self._work(part) for part in wide)
            ends.append(self._first_card(wide, start) - (-work // fitting))
            ends.append(self._one_by_one(on_cards, start))
        return ends

    def _one_by_one(self, parts: Sequence[Part], start: int) -> int:
        """Return the bound from tasks no two of which fit side by side on the cards, where these are one pool.

        They are those wider than half the cards and the longest of the others that stands beside none of them.
        """
        fleet, cards = self._fleet, self._fleet.problem.card_count
        if fleet.pool_count != 1:
            return start
        wide: dict[int, int] = {}
        longest: dict[int, int] = {cards: 0}
        for part in parts:
            if 2 * part.cards > cards:
                wide[part.cards] = wide.get(part.cards, 0) + self._work(part)
            else:
                each = max(fleet.shortest[group] for group in part.groups)
                longest[part.cards] = max(longest.get(part.cards, 0), each)
        if not wide:
            return start
        return self._first_card(parts, start) + max(
            each + sum(work for width, work in wide.items() if width + narrow > cards)
            for narrow, each in longest.items()
        )

    def _work(self, part: Part) -> int:
        return sum(self._fleet.count[group] * self._fleet.shortest[group] for group in part.groups)

    def _first_card(self, parts: Sequence[Part], start: int) -> int:
        models = {model for part in parts for model in part.models}
        card_model = self._fleet.problem.card_model.tolist() if models else []
        ready = (self._fleet.ready[card] for card, model in enumerate(card_model) if model in models)
        return max(start, min(ready, default=start))

    def _area(self, parts: Sequence[Part], start: int) -> int:
        models = {model for part in parts for model in part.models}
        ready = [
            max(start, self._fleet.ready[card])
            for card, model in enumerate(self._fleet.problem.card_model.tolist())
            if model in models
        ]
        work = sum(part.cards * self._work(part) for part in parts)
        if any(until >= 0 for until in self._until):
            until = [
                FOREVER if leaves < 0 else leaves
                for leaves, model in zip(self._until, self._fleet.problem.card_model.tolist(), strict=True)
                if model in models
            ]
            return least_time_on_leaving(ready, until, work)
        return least_time_for_work(sorted(ready), work)

    def _resource_ends(self, parts: Sequence[Part], start: int) -> list[int]:
        """Return each resource's bound on those who need it: area or how many fit at once, then the rest.

        The task that lets go last still has to run what is left of it, at least the least such remainder.
        """
        ends: list[int] = []
        for resource in {number for part in parts for number in part.resources}:
            capacity = int(self._fleet.problem.capacity[resource])
            if capacity == UNLIMITED:
                continue
            users = list(self._users(parts, resource))
            at_once = capacity // min(need for _, need, _, _ in users)
            area = -(-sum(count * need * held for count, need, held, _ in users) // capacity)
            turns = -(-sum(count * held for count, _, held, _ in users) // at_once)
            rounds = -(-sum(count for count, _, _, _ in users) // at_once)
            least_held = min(held for _, _, held, _ in users)
            remainder = min(left for _, _, _, left in users)
            ends.append(start + max(area, turns, rounds * least_held) + remainder)
        return ends

    def _users(self, parts: Sequence[Part], resource: int) -> list[tuple[int, int, int, int]]:
        """Return (tasks, need, least time held, least time left after it) of the resource's groups."""
        fleet = self._fleet
        users: list[tuple[int, int, int, int]] = []
        for part in parts:
            if resource not in part.resources:
                continue
            for group in part.groups:
                need, hold = next(
                    (need, hold) for number, need, hold in fleet.needs[group] if number == resource
                )
                each = fleet.shortest[group]
                users.append((fleet.count[group], need, held_ms(hold, each), each - held_ms(hold, each)))
        return users

    def _all_cards(self) -> int:
        """Return the bound of all card work of all stages, after the least head and before the least tail."""
        stages = [stage for stage, parts in enumerate(self._fleet.parts) if any(part.cards for part in parts)]
        if not stages:
            return 0
        parts = [part for stage in stages for part in self._fleet.parts[stage] if part.cards]
        head = min(self.start_ms[stage] for stage in stages)
        end = max(self._area(parts, head), self._one_by_one(parts, head))
        return end + min(self.tail_ms[stage] for stage in stages)

    def _all_resources(self) -> list[int]:
        """Return for each resource the bound of all its work over the stages that use it."""
        ends: list[int] = [0]
        using: dict[int, list[int]] = {}
        for stage, parts in enumerate(self._fleet.parts):
            for resource in {number for part in parts for number in part.resources}:
                using.setdefault(resource, []).append(stage)
        for resource, stages in using.items():
            capacity = int(self._fleet.problem.capacity[resource])
            if capacity == UNLIMITED or len(stages) < 2:
                continue
            users = [user for stage in stages for user in self._users(self._fleet.parts[stage], resource)]
            area = -(-sum(count * need * held for count, need, held, _ in users) // capacity)
            head, tail = (min(column[stage] for stage in stages) for column in (self.start_ms, self.tail_ms))
            ends.append(head + area + min(left for _, _, _, left in users) + tail)
        return ends


def _pigeon_hole(durations: Sequence[int], counts: Sequence[int], slots: int) -> int:
    """Return the bound from the l * slots + 1 longest tasks: one slot runs at least l + 1 of them."""
    wanted = PIGEON_DEPTH * slots + 1
    each, count = np.array(durations, dtype=np.int64), np.array(counts, dtype=np.int64)
    order = np.argsort(-each, kind="stable")
    longest = np.repeat(each[order], np.minimum(count[order], wanted))[:wanted]
    total = np.concatenate(([0], np.cumsum(longest)))
    level = np.arange(1, (len(longest) - 1) // slots + 1)
    last = level * slots
    return int((total[last + 1] - total[last - level]).max(initial=0))
