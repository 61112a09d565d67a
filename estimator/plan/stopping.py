"""Whether somebody still wants the result: asked by the schedule engine while it works.

Kept apart from the arguments of the plan's functions, which would all carry it. Each thread has its own answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from estimator.schedule import Cancelled, SolveStopped


def _never() -> bool:
    return False


_asked: ContextVar[Cancelled] = ContextVar("cancelled", default=_never)


@contextmanager
def stopped_when(cancelled: Cancelled) -> Iterator[None]:
    """Let schedules that are solved inside stop with SolveStopped soon after `cancelled` answers yes."""
    token = _asked.set(cancelled)
    try:
        yield
    finally:
        _asked.reset(token)


def is_unwanted() -> bool:
    """Return whether the caller asked to stop."""
    return _asked.get()()


def go_on() -> None:
    """Raise SolveStopped where the caller asked to stop."""
    if is_unwanted():
        raise SolveStopped
