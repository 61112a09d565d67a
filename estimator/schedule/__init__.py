"""Who runs what when: stages of tasks on cards and shared resources, with a proven lower bound.

The front door is `solve(problem)`. It is not about money, rental terms or memory.
"""

from __future__ import annotations

from estimator.results.schedule import Bars, Schedule, Status
from estimator.schedule.exact import ProofRefused
from estimator.schedule.improve import improved
from estimator.schedule.network import critical_path, find_cycles, schedulable_stages, topological_order
from estimator.schedule.placed import broken_rule, schedule_of_tasks, tasks_of
from estimator.schedule.problem import (
    ALWAYS,
    NOT_ELIGIBLE,
    UNLIMITED,
    WEEK_MS,
    WHOLE_TASK,
    Cancelled,
    CycleFound,
    Policy,
    Problem,
    SolveStopped,
    When,
    Windows,
)
from estimator.schedule.schedule import bars
from estimator.schedule.solve import solve

__all__ = [
    "ALWAYS",
    "NOT_ELIGIBLE",
    "UNLIMITED",
    "WEEK_MS",
    "WHOLE_TASK",
    "Bars",
    "Cancelled",
    "CycleFound",
    "Policy",
    "Problem",
    "ProofRefused",
    "Schedule",
    "SolveStopped",
    "Status",
    "When",
    "Windows",
    "bars",
    "broken_rule",
    "critical_path",
    "find_cycles",
    "improved",
    "schedulable_stages",
    "schedule_of_tasks",
    "solve",
    "tasks_of",
    "topological_order",
]
