"""The terminal: four commands, both languages, JSON for programs, exit status 0, 1 and 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from estimator.__main__ import main
from estimator.storage import save_quote
from tests.quotes import conversion, source_quote

DAY = ("--today", "2026-11-30")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "source.cabida"
    save_quote(source_quote(), path)
    return path


def test_check_says_no_errors_and_ends_with_0(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *DAY, "--language", "en", str(file)]) == 0
    assert "has no date" in capsys.readouterr().out


def test_missing_data_end_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = conversion()
    blank = stage.replaced(tasks=stage.tasks.replaced(duration=(None,)))
    path = tmp_path / "blank.cabida"
    save_quote(source_quote(blank), path)
    assert main(["estimate", *DAY, "--language", "en", str(path)]) == 1
    assert "The duration of Conversion is missing." in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '{"format": 99, "kind": "cabida-quote", "quote": {}}'])
def test_an_unreadable_file_ends_with_2_and_a_sentence(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.cabida"
    path.write_text(text, encoding="utf-8")
    assert main(["estimate", "--language", "en", str(path)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.strip().endswith(".")


def test_a_file_that_is_not_there_ends_with_2(tmp_path: Path) -> None:
    assert main(["check", str(tmp_path / "nothing.cabida")]) == 2


def test_the_text_speaks_both_languages(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["estimate", *DAY, "--language", "en", str(file)])
    english = capsys.readouterr().out
    main(["estimate", *DAY, "--language", "es", str(file)])
    spanish = capsys.readouterr().out
    assert "58 min from start" in english
    assert "0.77 €" in english
    assert "58 min desde el inicio" in spanish
    assert "0,77 €" in spanish


def test_the_json_carries_what_programs_ask_for(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", *DAY, "--json", str(file)]) == 0
    found = json.loads(capsys.readouterr().out)
    first, second = found["organisations"]
    assert second["id"] == "B"
    assert (second["cards_required"], second["cards_per_task"], second["tasks_at_once"]) == (2, 1, 2)
    assert second["own_limit_ms"] is None
    assert second["lots"][0]["id"] == "hivenet"
    assert second["lots"][0]["terms"] == []
    assert second["duration_ms"] == second["lower_bound_ms"] == 58 * 60_000
    assert second["gap"] == 0
    assert second["status"] == "provisional"
    assert "price:hivenet" in second["open_conditions"]
    cost = second["cost"]
    assert (cost["currency"], cost["net"], cost["tax"], cost["gross"]) == ("EUR", "0.64", "0.13", "0.77")
    assert [line["amount"] for line in cost["lines"]] == ["0.64"]
    (memory,) = second["memory"]
    assert memory["usable_bytes"] == 25_757_220_864
    assert memory["peak_bytes"] == 20_830_591_386
    assert memory["fits"] == "if"
    assert first["duration_ms"] == 106 * 60_000
    assert [problem["code"] for problem in found["problems"]] == ["price_undated"]


def test_an_absent_value_is_its_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = conversion()
    blank = stage.replaced(tasks=stage.tasks.replaced(duration=(None,)))
    path = tmp_path / "blank.cabida"
    save_quote(source_quote(blank), path)
    assert main(["estimate", *DAY, "--json", str(path)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["organisations"][0]["duration_ms"] == {"absent": "missing_duration"}
    assert found["organisations"][0]["cost"] == {"absent": "no_price"}


def test_quotes_are_compared_side_by_side(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.cabida"
    save_quote(source_quote(conversion((24,) * 8)).replaced(name="Slower"), other)
    assert main(["compare", *DAY, "--language", "en", str(file), str(other)]) == 0
    output = capsys.readouterr().out
    assert "Source example" in output
    assert "Slower" in output
    # 8 x 24 + 10 = 202 min on one card: neither organisation meets 90 min, so the reference stays
    assert "3 h 22 min from start" in output


def test_samples_are_estimated_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", *DAY, "--sample", "indice-de-las-obras", "--language", "es"]) == 0
    assert "58 min" in capsys.readouterr().out
    assert main(["estimate", "--sample", "no-such-sample"]) == 2


def test_export_writes_json_and_text_by_the_name(file: Path, tmp_path: Path) -> None:
    for name in ("out.json", "out.txt"):
        target = tmp_path / name
        assert main(["export", *DAY, str(file), str(target)]) == 0
        assert target.read_text(encoding="utf-8")
    assert main(["export", *DAY, str(file), str(tmp_path / "out.odt")]) == 2
    assert main(["export", *DAY, str(file)]) == 2


def test_the_text_says_how_sure_the_plan_is_and_which_numbers_are_decisive(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["estimate", *DAY, "--language", "en", str(file)])
    text = capsys.readouterr().out
    assert "How sure the plan is" in text
    assert "P90" in text
    assert "Chance to miss the limit" in text
    assert "Decisive numbers" in text
    assert "Conversion › Duration" in text


def test_the_json_has_the_risk_of_every_plan_and_the_ends_of_every_range(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["estimate", *DAY, "--json", str(file)])
    found = json.loads(capsys.readouterr().out)
    plans = {plan["id"] for one in found["organisations"] for plan in one["plans"]}
    risks = {one["plan"]: one for one in found["risk"]}
    assert set(risks) == plans
    shown = risks[found["shown_plan"]]
    times = shown["duration_ms"]
    assert times["p10"] <= times["p50"] <= times["p90"]
    assert shown["replications"] == 10_000
    assert float(shown["gross"]["p10"]) <= float(shown["gross"]["p90"])
    durations = next(one for one in found["assumptions"] if one["id"] == "duration:conversion")
    assert (durations["low"]["value"], durations["high"]["value"]) == ("6", "24")
    assert durations["decisive"] is True
