"""`score lots`: every known case right, its JSON and text, and files that are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from estimator.__main__ import main
from estimator.problems import FileRefused
from estimator.score.lots import lots_json, score_lots

CASES = Path(__file__).parents[1] / "data" / "lot_cases.json"


def a_case(**changes: Any) -> dict[str, Any]:
    """One lot of two cards for 3 days at 100 cents: eight units of 720 s end after 2,880 s, and 600 s follow."""
    work = {"mem_gb": 16, "setup_s": 0, "assembly_s": 600, "n": 8, "unit_s": {"X": 720}, "cards": {"X": 1}}
    lot = {"id": "pair", "model": "X", "cards": 2, "mem_gb": 24, "prices": {"3": 100}, "stock": 1}
    return {
        "id": "one",
        "kind": "min_cost_deadline",
        "lots": [lot],
        "hourly": None,
        "workload": work,
        "deadline_s": 5400,
        "answer": {"feasible": True, "cost_cents": 100},
    } | changes


def changed(field: str, **changes: Any) -> dict[str, Any]:
    """The case with fields of its workload, or of its first lot, changed."""
    case = a_case()
    if field == "workload":
        return case | {"workload": case["workload"] | changes}
    return case | {"lots": [case["lots"][0] | changes]}


def written(folder: Path, document: object) -> Path:
    path = folder / "cases.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def scored(folder: Path, case: object) -> dict[str, Any]:
    told: Any = lots_json(score_lots(written(folder, {"cases": [case]})))
    point: dict[str, Any] = told["points"][0]
    return point


def test_every_known_case_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "lots", str(CASES), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["summary"] == {"n": 92, "right": 92, "skipped": 0}
    assert all(
        point["right"] is True and {"id", "answer", "seconds"} <= point.keys() for point in told["points"]
    )
    assert main(["score", "lots", str(CASES), "--language", "en"]) == 0
    assert "92     92        0" in capsys.readouterr().out


def test_an_answer_is_in_the_words_of_the_file(tmp_path: Path) -> None:
    answer = scored(tmp_path, a_case())["answer"]
    assert (answer["feasible"], answer["cost_cents"], answer["total_s"]) == (True, 100, 3480)
    assert answer["example"] == [{"lot": "pair", "terms": [3], "held_days": 3, "cost_cents": 100}]
    fast = {"feasible": True, "total_s": 3480, "cheapest_at_that_time_cents": 100}
    point = scored(tmp_path, a_case(kind="min_time_budget", budget_cents=100, answer=fast))
    assert point["right"] is True
    assert fast.items() <= point["answer"].items()


@pytest.mark.parametrize(
    "answer",
    [
        {"feasible": True, "cost_cents": 99},
        {"feasible": False},
    ],
)
def test_another_answer_than_the_stated_one_is_wrong(tmp_path: Path, answer: object) -> None:
    assert scored(tmp_path, a_case(answer=answer))["right"] is False


def test_a_frontier_with_a_point_too_few_is_wrong(tmp_path: Path) -> None:
    answer: dict[str, Any] = {"feasible": True, "cost_cents": 100, "frontier": []}
    assert scored(tmp_path, a_case(kind="frontier", answer=answer))["right"] is False
    answer["frontier"] = [{"cost_cents": 100, "total_s": 3480}]
    assert scored(tmp_path, a_case(kind="frontier", answer=answer))["right"] is True


def test_a_case_without_an_answer_is_solved_and_not_judged(tmp_path: Path) -> None:
    path = written(tmp_path, {"cases": [a_case(answer=None)]})
    told: Any = lots_json(score_lots(path))
    assert told["points"][0]["right"] == {"absent": "not_stated"}
    assert told["points"][0]["answer"]["cost_cents"] == 100
    assert told["summary"] == {"n": 0, "right": 0, "skipped": 0}


def test_a_deadline_before_the_assembly_is_infeasible(tmp_path: Path) -> None:
    assert scored(tmp_path, a_case(deadline_s=10, answer={"feasible": False}))["right"] is True


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("a case", "point_not_read"),
        (a_case(kind="most_fun"), "point_not_read"),
        (a_case(kind="min_time_budget"), "point_not_read"),  # no budget
        (a_case(answer={"feasible": "yes"}), "point_not_read"),
        (a_case(lots=None), "point_not_read"),
        (a_case(deadline_s=-1), "point_not_read"),
        (changed("workload", n=0), "point_not_read"),
        (changed("workload", n=True), "point_not_read"),
        (changed("workload", cards={}), "point_not_read"),
        (changed("lot", prices={"three": 5}), "point_not_read"),
        (changed("lot", prices={"3": -5}), "point_not_read"),
        (changed("lot", stock=None), "point_not_read"),
        (changed("lot", prices={"3": 2**50}), "point_out_of_bounds"),
        (changed("lot", prices={"4000": 5}), "point_out_of_bounds"),
        (a_case(deadline_s=2**35), "point_out_of_bounds"),
        (changed("lot", stock=2**30), "point_out_of_bounds"),
        (changed("workload", n=2**39), "point_out_of_bounds"),
    ],
)
def test_a_case_that_cannot_be_read_says_why_and_the_others_are_solved(
    tmp_path: Path, case: object, reason: str
) -> None:
    told: Any = lots_json(score_lots(written(tmp_path, {"cases": [case, a_case(id="good")]})))
    assert told["points"][0].get("skipped", "") == reason
    assert told["points"][1]["right"] is True


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("[]", "no_cases"),
        ({"cases": []}, "no_cases"),
        ({"cases": {}}, "no_cases"),
        ({"points": [1]}, "no_cases"),
        ("{", "broken_json"),
        ('{"cases": [NaN]}', "broken_number"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_a_sentence(
    tmp_path: Path, document: object, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, document)
    with pytest.raises(FileRefused) as refusal:
        score_lots(path)
    assert refusal.value.code == code
    assert main(["score", "lots", str(path), "--language", "en"]) == 2
    assert capsys.readouterr().err.strip().endswith(".")
