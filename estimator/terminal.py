"""The estimate as text for a person at a terminal, in both languages: answers, comparison, lines, conditions.

No colours and no cursor control: the text goes into mails and logs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from estimator.problems import Absent, Problem
from estimator.quote import Quote
from estimator.results.estimate import Estimate, Timing
from estimator.wording import Wording
from estimator.wording.answers import answer_titles, answers
from estimator.wording.certainty import assumption_name, chances, range_text, worth_text
from estimator.wording.phrases import (
    amount_text,
    condition_text,
    gap_text,
    idle_card_text,
    key_text,
    line_name,
    line_quantity,
    missing_text,
    names_of,
    organisation_label,
    plan_name,
    policy_needs,
    project_text,
    quote_name,
)
from estimator.wording.rent import (
    break_even_text,
    equivalent_text,
    flip_text,
    idle_text,
    owning_text,
    point_text,
    rent_proof,
    same_rent_sentence,
    way_name,
)
from estimator.wording.ways import way_rows


def estimate_text(words: Wording, estimate: Estimate) -> str:
    """Return the whole estimate as lines of text."""
    parts = [
        _heading(quote_name(words, estimate.quote), "="),
        _answer_lines(words, estimate),
        _organisations(words, estimate),
        _projects(words, estimate),
        _policies(words, estimate),
        _staircase(words, estimate),
        _cost(words, estimate),
        _rent(words, estimate),
        _ways(words, estimate),
        _flips(words, estimate),
        _certainty(words, estimate),
        _assumptions(words, estimate),
        _conditions(words, estimate),
        problems_text(words, estimate.quote, estimate.problems),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def problems_text(words: Wording, quote: Quote, problems: Sequence[Problem]) -> str:
    """Return one line a problem: severity, sentence, place."""
    names = names_of(words, quote)
    lines = [
        f"{words.word(problem.severity)}: {words.problem(problem)} [{words.place(problem.where, names)}]"
        for problem in problems
    ]
    return "\n".join([_heading(words.t("Problems")), *lines]) if lines else words.t("No problems.")


def comparison_text(words: Wording, estimates: Sequence[tuple[str, Estimate]]) -> str:
    """Return several quotes side by side: a row an answer, a column a quote."""
    titles = [title for title, _ in answer_titles(words, None)]
    columns = [[f"{one.figure} {one.unit}".strip() for one in answers(words, each)] for _, each in estimates]
    header = ["", *(name for name, _ in estimates)]
    rows = [[title, *(column[index] for column in columns)] for index, title in enumerate(titles)]
    return table([header, *rows]) + "\n"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as aligned columns, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([first, *rest]).rstrip())
    return "\n".join(lines)


def _heading(text: str, mark: str = "-") -> str:
    return f"{text}\n{mark * len(text)}"


def _answer_lines(words: Wording, estimate: Estimate) -> str:
    rows: list[tuple[str, str, str]] = []
    titles = answer_titles(words, estimate)
    for (title, _), answer in zip(titles, answers(words, estimate), strict=True):
        evidence = "" if answer.kind is None else f" [{words.evidence(answer.kind)}]"
        sample = f" {words.t('SAMPLE')}" if answer.is_sample else ""
        rows.append((title, f"{answer.figure} {answer.unit}".strip() + sample, f"{answer.line}{evidence}"))
    width = max(len(row[0]) for row in rows)
    figure = max(len(row[1]) for row in rows)
    return "\n".join(f"{title:<{width}}  {value:<{figure}}  {line}".rstrip() for title, value, line in rows)


def _organisations(words: Wording, estimate: Estimate) -> str:
    if not estimate.organisations:
        return ""
    header = [
        words.t("Organisation"),
        words.t("Key"),
        words.t("Delivery"),
        words.t("Gap"),
        words.t("Net"),
        words.t("Plan"),
    ]
    rows = [header]
    for result in estimate.organisations:
        plan = estimate.shown_plan if result is estimate.shown else result.plan(result.best_plan_id)
        label = organisation_label(words, estimate, result.organisation_id)
        timing = result.timing if plan is None else plan.timing
        if not isinstance(timing, Timing):
            rows.append([label, key_text(words, result), words.unknown, "", "", missing_text(words, result)])
            continue
        net = (
            words.unknown
            if plan is None
            else amount_text(words, plan.price.net, plan.price.currency, symbol=True)
        )
        name = words.unknown if plan is None else plan_name(words, estimate.quote, plan)
        delivery = words.duration(timing.delivery_ms)
        rows.append([label, key_text(words, result), delivery, gap_text(words, timing), net, name])
    return f"{_heading(words.t('Organisations'))}\n{table(rows)}"


def _projects(words: Wording, estimate: Estimate) -> str:
    rows = [
        words.t("{project}: {times}", project=one.name, times=project_text(words, one))
        for one in estimate.projects
    ]
    return "\n".join([_heading(words.t("Projects")), *rows]) if rows else ""


def _policies(words: Wording, estimate: Estimate) -> str:
    shown = estimate.shown
    if shown is None or not shown.policies:
        return ""
    heads = (
        words.t("Assignment, same tasks"),
        words.t("Delivery"),
        words.t("Lower bound"),
        words.t("Idle card time"),
        words.t("Longest tail"),
        words.t("Needs"),
    )
    rows = [
        (
            words.word(one.policy),
            words.duration(one.delivery_ms),
            words.duration(one.lower_bound_ms),
            idle_card_text(words, one),
            words.duration(one.longest_tail_ms),
            policy_needs(words, one.policy),
        )
        for one in shown.policies
    ]
    return f"{_heading(words.t('Assignment policies'))}\n{table([heads, *rows])}"


def _staircase(words: Wording, estimate: Estimate) -> str:
    if not estimate.staircase:
        return ""
    rows = [[words.t("Cards"), words.t("Delivery"), words.t("Net"), ""]]
    currency = estimate.quote.pricing.currency
    for step in estimate.staircase:
        net = words.unknown if step.net is None else words.money(step.net, currency)
        note = words.t("changes nothing") if step.useless else ""
        rows.append([words.number(step.cards), words.duration(step.delivery_ms), net, note])
    return f"{_heading(words.t('Staircase of cards'))}\n{table(rows)}"


def _cost(words: Wording, estimate: Estimate) -> str:
    plan = estimate.shown_plan
    if plan is None:
        return ""
    price = plan.price
    rows = [
        [line_name(words, line), line_quantity(words, line), amount_text(words, line.amount, price.currency)]
        for line in price.lines
    ]
    rows.append([words.t("Net"), "", amount_text(words, price.net, price.currency)])
    if isinstance(price.tax, Absent):
        rows.append([words.t("Tax"), "", words.t("not included")])
    else:
        for tax in price.tax_by_rate:
            if tax.percent is not None:
                tax_name = words.t("Tax, {rate}", rate=words.percent(tax.percent))
                rows.append([tax_name, "", amount_text(words, tax.tax, price.currency)])
    rows.append([words.t("Total"), "", amount_text(words, price.gross, price.currency)])
    title = words.t("Cost, {currency}", currency=price.currency)
    return f"{_heading(title)}\n{table(rows)}"


def _rent(words: Wording, estimate: Estimate) -> str:
    study, plan, quote = estimate.rental, estimate.shown_plan, estimate.quote
    if study is None or plan is None:
        return ""
    lines = [rent_proof(words, quote, plan)]
    lines += [idle_text(words, quote, one) for one in study.idle]
    lines += [same_rent_sentence(words, one) for one in study.same_rent[:1]]
    text = "\n".join([_heading(words.t("Rent")), *(line for line in lines if line)])
    if isinstance(study.frontier, Absent):
        return text
    rows = [[words.t("Cheapest by delivery"), words.t("Delivery"), words.t("Rent"), ""]]
    for point in study.frontier:
        rent = words.money(point.rent, quote.pricing.currency)
        proof = words.t("proven") if point.proven else words.t("not proven")
        rows.append([point_text(words, quote, point), words.duration(point.delivery_ms), rent, proof])
    lines = [text, "", table(rows)]
    if not all(point.timed for point in study.frontier):
        lines.append(words.t("Times are from the work's total: its schedule may need more cards."))
    return "\n".join(lines)


def _ways(words: Wording, estimate: Estimate) -> str:
    study = estimate.rental
    if study is None:
        return ""
    figures = way_rows(words, estimate)
    rows = [["", *(row.name for row in figures)]]
    for at, one in enumerate(study.ways):
        rows.append([way_name(words, one.way), *(row.figures[at] for row in figures)])
    quote = estimate.quote
    lines = [equivalent_text(words, quote, found) for found in study.equivalents]
    lines += [break_even_text(words, quote, found) for found in study.term_break_evens]
    if quote.pricing.ownership is not None:
        lines += [owning_text(words, quote, found) for found in study.owning]
    return "\n".join([_heading(words.t("Lots, by the hour, own cards")), table(rows), *lines])


def _flips(words: Wording, estimate: Estimate) -> str:
    if estimate.rental is None or not estimate.rental.flips:
        return ""
    lines = [flip_text(words, estimate.quote, flip) for flip in estimate.rental.flips]
    return "\n".join([_heading(words.t("When another plan is the cheapest")), *lines])


def _certainty(words: Wording, estimate: Estimate) -> str:
    risk = estimate.risk(estimate.shown_plan_id)
    if risk is None:
        return ""
    title = _heading(words.t("How sure the plan is"))
    spread = risk.spread
    if isinstance(spread, Absent):
        return f"{title}\n{words.absent(spread)}"
    currency = estimate.quote.pricing.currency
    times = (spread.delivery.p10, spread.delivery.p50, spread.delivery.p90)
    rows = [["", "P10", "P50", "P90"], [words.t("Delivery"), *(words.duration(one) for one in times)]]
    for name, amounts in ((words.t("Net"), spread.net), (words.t("Total"), spread.gross)):
        if not isinstance(amounts, Absent):
            known = (amounts.p10, amounts.p50, amounts.p90)
            rows.append([name, *(words.money(one, currency) for one in known)])
    lines = [table(rows), *(f"{name}: {chance}" for name, chance in chances(words, spread))]
    count = words.number(spread.replications)
    lines.append(words.t("{count} replications. {form}.", count=count, form=words.word(spread.form)))
    return "\n".join([title, *lines])


def _assumptions(words: Wording, estimate: Estimate) -> str:
    decisive = [one for one in estimate.assumptions if one.is_decisive]
    if not decisive:
        return ""
    quote = estimate.quote
    rows = [[words.t("Number"), words.t("Range"), words.t("Worth verifying"), words.t("Why")]]
    for one in decisive:
        name = assumption_name(words, quote, one)
        rows.append([name, range_text(words, one), worth_text(words, quote, one), words.word(one.why)])
    return f"{_heading(words.t('Decisive numbers'))}\n{table(rows)}"


def _conditions(words: Wording, estimate: Estimate) -> str:
    lines = [
        words.t("{mark} {condition} [{evidence}]", mark=mark, condition=text, evidence=evidence)
        for mark, text, evidence in _condition_rows(words, estimate)
    ]
    return "\n".join([_heading(words.t("Open conditions; * decisive")), *lines]) if lines else ""


def _condition_rows(words: Wording, estimate: Estimate) -> Iterable[tuple[str, str, str]]:
    for one in estimate.open_conditions:
        yield (
            "*" if one.decisive else "-",
            condition_text(words, one, estimate.quote),
            words.evidence(one.kind),
        )
