"""The closed forms against the reference points: error of the peak per kind, held at the figures that were reached.

Run with `-s` to see the table. Reference points count what an allocator counts, without context and fragmentation.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from estimator.memory.points import point_ledger

DATA = Path(__file__).parents[1] / "data"

# Per kind: points, median and worst absolute error in per cent that must not be exceeded.
LIMITS = {
    "train": (84, 0.01, 1.4),
    "train_fsdp": (12, 0.02, 1.3),
    "infer": (14, 0.01, 0.6),
    "train_tp": (20, 0.01, 0.5),
    "train_2d": (8, 0.05, 0.5),
    "train_pp": (26, 0.1, 0.5),
    "train_ddp": (15, 0.01, 0.2),
    "train_zero": (18, 0.01, 1.0),
    "infer_mla": (10, 0.1, 0.5),
    "infer_moe": (4, 0.05, 0.1),
    "infer_sliding": (6, 0.01, 0.2),
    "infer_chunked": (9, 0.05, 0.5),
    "infer_long": (2, 0.01, 0.01),
    "train_mla": (9, 0.05, 0.05),
    "train_moe": (2, 0.01, 0.01),
    "train_long": (2, 0.01, 0.01),
    "train_sliding": (2, 0.1, 0.2),
    "train_ce": (13, 0.01, 0.02),
    "train_opt": (16, 0.01, 0.02),
    "infer_asr": (4, 0.1, 0.3),
    "train_asr": (5, 0.1, 0.2),
    "train_vit": (5, 0.1, 0.1),
    "infer_diffusion": (15, 0.05, 0.3),
    "infer_vae": (6, 0.05, 0.4),
    "train_diffusion": (17, 0.15, 2.0),
}
# Readings of real cards, by the format of the weights. The worst AWQ reading contradicts its own neighbours:
# the source lists 0.68 at 1 token and 0.72 at 6,144, so the worst of that format is not held.
PUBLISHED_LIMITS = {
    "bf16": (12, 0.4, 2.6),
    "gptq-int8": (12, 0.9, 3.2),
    "gptq-int4": (12, 2.1, 5.8),
    "awq-int4": (12, 0.8, None),
}


def points() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in ("memory_points.json", "memory2_points.json"):
        found += json.loads((DATA / name).read_text(encoding="utf-8"))["points"]
    return found


def errors() -> dict[str, list[float]]:
    """Absolute error in per cent by kind; published readings by `published` and the format of their weights."""
    found: dict[str, list[float]] = defaultdict(list)
    for point in points():
        ledger = point_ledger(point)
        kind = point["kind"]
        if ledger is None:
            assert kind == "published", point["id"]
            continue
        if kind == "published":
            work = point["workload"]
            kind = f"published {work.get('weights') or work.get('method') or 'full'}"
        found[kind].append(100 * abs(ledger.peak_bytes / point["measured_bytes"] - 1))
    return found


@pytest.fixture(scope="module")
def measured() -> dict[str, list[float]]:
    found = errors()
    for kind, values in found.items():
        print(f"{kind:24} n {len(values):3}  median {median(values):6.3f} %  worst {max(values):6.3f} %")
    return found


@pytest.mark.parametrize("kind", LIMITS)
def test_the_peak_of_a_kind_stays_as_near_to_its_points_as_it_was(
    measured: dict[str, list[float]], kind: str
) -> None:
    count, middle, worst = LIMITS[kind]
    assert len(measured[kind]) == count
    assert median(measured[kind]) <= middle
    assert max(measured[kind]) <= worst


@pytest.mark.parametrize("weights", PUBLISHED_LIMITS)
def test_generation_stays_as_near_to_published_readings_as_it_was(
    measured: dict[str, list[float]], weights: str
) -> None:
    count, middle, worst = PUBLISHED_LIMITS[weights]
    values = measured[f"published {weights}"]
    assert len(values) == count
    assert median(values) <= middle
    assert worst is None or max(values) <= worst


def test_readings_without_a_full_configuration_are_listed_or_have_no_form(
    measured: dict[str, list[float]],
) -> None:
    listed = sum(len(values) for kind, values in measured.items() if kind.startswith("published"))
    # 48 of generation, 48 fine-tunings of Qwen, 9 steps of torchtune's table, 11 of torchtitan, 2 of BERT, the weights
    # and caches of engines, 2 and 4, and 2 profile runs
    assert listed == 48 + 48 + 9 + 11 + 2 + 2 + 4 + 2


def test_every_kind_of_point_is_held() -> None:
    kinds = {point["kind"] for point in points()} - {"published"}
    assert kinds == set(LIMITS)


def test_over_all_points_of_the_second_set_the_median_is_within_a_twentieth_of_a_percent(
    measured: dict[str, list[float]],
) -> None:
    first = {"train", "train_fsdp", "infer"}
    values = [
        value
        for kind, found in measured.items()
        if kind not in first and not kind.startswith("published")
        for value in found
    ]
    assert len(values) == 214
    assert median(values) <= 0.05
    assert max(values) <= 4.5


def test_no_moment_of_any_point_holds_a_negative_amount() -> None:
    for point in points():
        ledger = point_ledger(point)
        if ledger is not None:
            assert all(size > 0 for moment in ledger.moments for _, size in moment.lines), point["id"]
