"""Peaks of one card by phase: terms, partition, margin, and the verdict on a card's own bytes."""

from __future__ import annotations

from decimal import Decimal
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from estimator.evidence import EvidenceKind
from estimator.memory import Overheads, Phase, Size, Term, largest_need, stage_memory, verdict_on
from estimator.results.memory import Fit
from estimator.units import GIB

KIND = EvidenceKind.ASSUMED
NONE = Overheads(Size(0, 0, KIND), None, None, Decimal(0), Decimal(0), KIND)
USUAL = Overheads(Size(GIB // 2, GIB // 2, KIND), None, None, Decimal(5), Decimal(10), KIND)


def size(gib: object, high: object | None = None) -> Size:
    return Size(int(Decimal(str(gib)) * GIB), int(Decimal(str(high or gib)) * GIB), KIND)


def phase(name: str, *terms: Term) -> Phase:
    return Phase(name, terms)


def test_the_worst_phase_decides_and_not_the_sum_of_phases() -> None:
    # load 5.2; conversion 9 + 4 + 5 = 18; output 9 + 2 = 11
    found = stage_memory(
        "s",
        [
            phase("load", Term("data", size("5.2"), False)),
            phase(
                "conversion",
                Term("model", size(9), False),
                Term("data", size(4), False),
                Term("temporaries", size(5), False),
            ),
            phase("output", Term("model", size(9), False), Term("data", size(2), False)),
        ],
        USUAL,
        1,
    )
    assert found.worst is not None
    assert found.worst.phase == "conversion"
    # 18 x 1.05 + 0.5 = 19.4 GiB
    assert found.worst.peak_bytes == ceil(Decimal("19.4") * GIB)
    # 18 x 1.10 + 0.5 = 20.3 GiB at the upper end of the margin
    assert found.worst.high_bytes == ceil(Decimal("20.3") * GIB)


def test_a_partitioned_class_is_divided_and_a_replicated_one_stands_whole_on_each_card() -> None:
    terms = (Term("model", size(100), True), Term("data", size(10), False))
    found = stage_memory("s", [phase("run", *terms)], NONE, 4)
    assert found.worst is not None
    assert [line.size_bytes for line in found.worst.lines[:2]] == [25 * GIB, 10 * GIB]
    assert found.worst.peak_bytes == 35 * GIB


def test_a_share_is_rounded_up_to_the_byte() -> None:
    found = stage_memory("s", [phase("run", Term("model", Size(10, 10, KIND), True))], NONE, 3)
    assert found.worst is not None
    assert found.worst.peak_bytes == 4


def test_what_is_not_known_is_named_and_never_zero() -> None:
    unknown = Overheads(None, None, None, None, None, EvidenceKind.UNKNOWN)
    found = stage_memory("s", [phase("run", Term("model", None, False))], unknown, 1)
    assert found.phases == ()
    assert found.missing == ("model", "context", "margin")
    assert stage_memory("s", [], NONE, 1).missing == ("phases",)
    assert verdict_on("card", 10 * GIB, unknown, (found,)).fits is Fit.UNKNOWN


def test_fits_is_yes_only_at_the_upper_end_of_every_range() -> None:
    def fits(low: object, high: object) -> Fit:
        memory = stage_memory("s", [phase("run", Term("whole", size(low, high), False))], NONE, 1)
        return verdict_on("card", 24 * GIB, NONE, (memory,)).fits

    assert fits(18, 24) is Fit.YES
    assert fits(18, "24.1") is Fit.IF
    assert fits("24.1", "24.1") is Fit.NO


def test_a_card_short_by_a_byte_does_not_fit() -> None:
    memory = stage_memory("s", [phase("run", Term("whole", Size(101, 101, KIND), False))], NONE, 1)
    verdict = verdict_on("card", 100, NONE, (memory,))
    assert (verdict.fits, verdict.spare_bytes) == (Fit.NO, -1)


def test_the_largest_need_of_a_4090_is_22_3_gib_with_half_a_gib_of_context_and_5_percent() -> None:
    # (23.99 - 0.5) / 1.05 = 22.37
    found = Decimal(largest_need(25_757_220_864, USUAL)) / GIB
    assert round(found, 2) == Decimal("22.37")


@given(st.integers(1, 10**12), st.integers(0, 10**10), st.integers(0, 50))
def test_a_need_at_the_largest_still_fits_and_one_gib_more_does_not(
    usable: int, context: int, margin: int
) -> None:
    lines = Overheads(Size(context, context, KIND), None, None, Decimal(margin), Decimal(margin), KIND)
    need = largest_need(usable, lines)
    if need == 0:
        return
    for extra, expected in ((0, True), (GIB, False)):
        memory = stage_memory(
            "s", [phase("run", Term("whole", Size(need + extra, need + extra, KIND), False))], lines, 1
        )
        assert (verdict_on("card", usable, lines, (memory,)).fits is not Fit.NO) is expected
