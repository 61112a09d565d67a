"""What each card must hold: bytes per card, phase and state class against the card's own usable bytes."""

from estimator.memory.stated import (
    Overheads,
    Phase,
    Size,
    Term,
    largest_need,
    stage_memory,
    verdict_on,
)

__all__ = ["Overheads", "Phase", "Size", "Term", "largest_need", "stage_memory", "verdict_on"]
