"""The terminal: check, estimate, export and compare quotes, score the engines; text for people, JSON for programs.

Exit status: 0 fine, 1 problems found, 2 a file that cannot be read or written.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import locale
import os
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from estimator.checks import problems_of
from estimator.estimate import estimate, with_flips
from estimator.exports.json_text import as_json, json_text, problem_json
from estimator.problems import FileRefused, Problem, Severity
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.score import memory_score, score_json, score_text
from estimator.score.lots import lots_json, lots_text, score_lots
from estimator.score.schedule import DEFAULT_EFFORT, report_text, schedule_json, score_schedule
from estimator.storage import SUFFIX, quote_from_text, read_quote, write_atomically
from estimator.terminal import comparison_text, estimate_text, problems_text
from estimator.wording import Language, NumberFormat, Wording

FINE, PROBLEMS, UNREADABLE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    words = _system_words()
    options = _parser(words).parse_args(arguments)
    if options.language or options.numbers:
        words = _chosen_words(options.language, options.numbers, words)
    try:
        status: int = options.run(options, words)
    except FileRefused as refusal:
        print(words.refused(refusal), file=sys.stderr)
        return UNREADABLE
    return status


def _check(options: argparse.Namespace, words: Wording) -> int:
    quote = _quote(options)
    problems = problems_of(quote, options.today)
    if options.json:
        _print_json({"problems": [problem_json(one) for one in problems]})
    else:
        print(problems_text(words, quote, problems))
    return _status(problems)


def _estimate(options: argparse.Namespace, words: Wording) -> int:
    result = estimate(_quote(options), options.today)
    if options.flips:
        result = with_flips(result)
    print(json_text(result) if options.json else estimate_text(words, result), end="")
    return _status(result.problems)


def _export(options: argparse.Namespace, words: Wording) -> int:
    # With --sample there is no file to read, so the first path is the one to write.
    target = options.target or options.quote
    if target is None:
        print(words.t("Name the file to write."), file=sys.stderr)
        return UNREADABLE
    if options.target is None and not options.sample:
        print(words.t("Name the file to write."), file=sys.stderr)
        return UNREADABLE
    result = estimate(_quote(options), options.today)
    path = Path(target)
    match path.suffix.lower():
        case ".json":
            write_atomically(path, json_text(result).encode("utf-8"))
        case ".txt":
            write_atomically(path, estimate_text(words, result).encode("utf-8"))
        case ".xlsx":
            from estimator.exports.workbook import write_workbook  # only here: it takes long to import

            write_workbook(result, path, words, options.today)
        case _:
            print(words.t("Export to a name that ends in .xlsx, .json or .txt."), file=sys.stderr)
            return UNREADABLE
    print(words.t("Written: {name}", name=str(path)))
    return _status(result.problems)


def _compare(options: argparse.Namespace, words: Wording) -> int:
    results: list[tuple[str, Estimate]] = []
    for name in options.quotes:
        quote = read_quote(Path(name))
        results.append((quote.name or Path(name).stem, estimate(quote, options.today)))
    if options.json:
        _print_json({"quotes": [as_json(one) for _, one in results]})
    else:
        print(comparison_text(words, results), end="")
    return max(_status(one.problems) for _, one in results)


def _score(options: argparse.Namespace, words: Wording) -> int:
    if options.engine == "schedule":
        return _score_schedule(options, words)
    if options.engine == "lots":
        return _score_lots(options, words)
    score = memory_score(Path(options.points))
    if options.json:
        _print_json(score_json(score))
    else:
        print(score_text(words, score), end="")
    return FINE if any(one.n for one in score.summary) else PROBLEMS


def _score_schedule(options: argparse.Namespace, words: Wording) -> int:
    score = score_schedule(Path(options.points), options.effort)
    if options.json:
        _print_json(schedule_json(score))
    else:
        print(report_text(words, score), end="")
    return FINE if any(one.n for one in score.summary) else PROBLEMS


def _score_lots(options: argparse.Namespace, words: Wording) -> int:
    score = score_lots(Path(options.points))
    if options.json:
        _print_json(lots_json(score))
    else:
        print(lots_text(words, score), end="")
    return FINE if any(not point.skipped for point in score.points) else PROBLEMS


def _quote(options: argparse.Namespace) -> Quote:
    if options.sample:
        sample = files("resources.samples").joinpath(f"{options.sample}{SUFFIX}")
        if not sample.is_file():
            raise FileRefused("not_found", name=options.sample)
        return quote_from_text(sample.read_text(encoding="utf-8"))
    if not options.quote:
        raise FileRefused("no_file_named")
    return read_quote(Path(options.quote))


def _status(problems: Sequence[Problem]) -> int:
    return PROBLEMS if any(one.severity is not Severity.WARNING for one in problems) else FINE


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def _parser(words: Wording) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cabida-cli", description=words.t("From a GPU workload to a quote, offline.")
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--language", choices=[one.value for one in Language])
    common.add_argument("--numbers", choices=[one.value for one in NumberFormat])
    common.add_argument("--json", action="store_true", help=words.t("print JSON for programs"))
    common.add_argument(
        "--today",
        type=dt.date.fromisoformat,
        default=dt.date.today(),
        help=words.t("the day on which prices are judged, as 2026-11-30"),
    )
    one_quote = argparse.ArgumentParser(add_help=False)
    one_quote.add_argument("--sample", help=words.t("the name of an embedded sample, in place of a file"))
    one_quote.add_argument("quote", nargs="?", help=words.t("a .cabida file"))
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, text in (
        ("check", _check, words.t("say what is wrong or missing")),
        ("estimate", _estimate, words.t("say cards, memory, time, lots and cost")),
        ("export", _export, words.t("write a workbook, JSON or text")),
    ):
        command = commands.add_parser(name, parents=[common, one_quote], help=text)
        command.set_defaults(run=run)
        if name == "estimate":
            command.add_argument(
                "--flips",
                action="store_true",
                help=words.t("also say at which values another plan is the cheapest"),
            )
        if name == "export":
            command.add_argument("target", nargs="?", help=words.t("the file to write"))
    compare = commands.add_parser("compare", parents=[common], help=words.t("quotes side by side"))
    compare.add_argument("quotes", nargs="+")
    compare.set_defaults(run=_compare)
    score = commands.add_parser(
        "score", parents=[common], help=words.t("hold an engine against a file of known answers")
    )
    score.add_argument("engine", choices=["memory", "schedule", "lots"])
    score.add_argument("points", help=words.t("a .json file of known answers"))
    score.add_argument(
        "--effort", type=int, default=DEFAULT_EFFORT, help=words.t("steps of the search, about milliseconds")
    )
    score.set_defaults(run=_score)
    return parser


def _system_words() -> Wording:
    name = os.environ.get("LC_ALL") or os.environ.get("LANG") or (locale.getlocale()[0] or "")
    language = Language.SPANISH if name.lower().startswith("es") else Language.ENGLISH
    code = name.split(".")[0]
    formats = {one.value: one for one in NumberFormat}
    default = NumberFormat.ES_ES if language is Language.SPANISH else NumberFormat.EN_US
    return Wording(language, formats.get(code, default))


def _chosen_words(language: str | None, numbers: str | None, words: Wording) -> Wording:
    chosen = words.language if language is None else Language(language)
    default = NumberFormat.ES_ES if chosen is Language.SPANISH else NumberFormat.EN_US
    return Wording(chosen, default if numbers is None else NumberFormat(numbers))


if __name__ == "__main__":
    sys.exit(main())
