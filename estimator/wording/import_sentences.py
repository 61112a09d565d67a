"""The sentences about tables and project plans that planners bring: what was refused, left out or assumed."""

from __future__ import annotations


def _(sentence: str) -> str:
    return sentence


IMPORT_SENTENCES: dict[str, str] = {
    # columns
    "column_ignored": _("The column {header} was left out."),
    "column_missing_card": _("No column names the card. Call one Card, GPU or Model."),
    "column_missing_duration": _("No column has durations. Call one Duration, Hours or Minutes."),
    "column_missing_name": _("No column names the tasks. Call one Task or Name."),
    "column_missing_price": _(
        "No column has prices. Call one Price, Price per hour, or by its term: 3 days."
    ),
    "column_twice": _("Two columns have the same meaning; {header} is the second. Remove one."),
    "number_mark_assumed": _(
        "Whether a mark in {header} is decimal is not certain: {mark} was taken as decimal."
    ),
    "number_marks_contradict": _(
        "{header} uses both the comma and the point as decimal mark: nothing was taken from it."
    ),
    "dates_contradict": _("The dates of {header} are day first and month first: none was taken."),
    "date_order_assumed": _(
        "Whether day or month comes first in {header} is not certain: the usual order was taken."
    ),
    "date_unreadable": _("Line {line}: {text} is no date. It was left out."),
    "duration_unit_assumed": _("The durations have no unit: {unit} was taken."),
    "currency_assumed": _("No currency is named: {currency} was taken."),
    "lines_above_header": _("The headings end at line {line}; what stands above them was not read as data."),
    # rows
    "card_ambiguous": _("Line {line}: {card} may be {candidates}. {used} was taken."),
    "card_counts_differ": _(
        "Line {line}: the column says {in_column} cards and the name {in_name}. It was left out."
    ),
    "card_memory_differs": _(
        "Line {line}: no {card} has {memory_gb} GB, nor do all its cards together. It was left out."
    ),
    "row_card_unknown": _("Line {line}: the card {card} is in no catalogue. Add it as your own card first."),
    "currencies_differ": _("Line {line}: prices in {currencies}. It was left out."),
    "currency_unknown": _("Line {line}: {text} is no currency. It was left out."),
    "duration_unreadable": _("Line {line}: {text} in {header} is no duration. It was left out."),
    "memory_is_of_all_cards": _(
        "Line {line}: {memory_gb} GB is the memory of its {cards} cards together; each has its share."
    ),
    "nodes_unequal": _("Line {line}: {cards} cards do not divide over {nodes} nodes. It was left out."),
    "not_a_count": _("Line {line}: {text} in {header} is no whole count. It was left out."),
    "number_negative": _("Line {line}: {text} in {header} is negative. It was left out."),
    "number_unreadable": _("Line {line}: {text} in {header} is no number. It was left out."),
    "row_without_card": _("Line {line} names no card. It was left out."),
    "row_without_currency": _("Line {line} has a price in no currency. It was left out."),
    "row_without_name": _("Line {line} has no name. It was left out."),
    "row_without_price": _("Line {line} has no price. It was left out."),
    "term_twice": _("Line {line}: {name} has a price for {days} days already. The first was kept."),
    # task lists and project plans
    "days_count_24_hours": _("Durations in days count 24 hours each: calendars are not taken over."),
    "job_steps_left_out": _(
        "{count} lines are steps of a job whose time the job's own line has. They were left out."
    ),
    "link_kind_left_out": _("{name} has a link that is not from end to start. It was left out."),
    "calendars_left_out": _("The file's calendars are not taken over: state working hours at the stages."),
    "constraint_left_out": _("{name} has a date constraint that is not taken over."),
    "deadline_left_out": _("{name} has a deadline that could not be read. It was left out."),
    "link_lag_left_out": _("{name} has a link with a lag. The lag was left out."),
    "predecessor_missing": _("Line {line} waits for {text}, which is not in the table."),
    "predecessors_in_a_circle": _("These wait for each other in a circle: {names}. No link was taken over."),
    # files
    "not_a_project": _("{name} is no project plan of MS Project (XML) or GanttProject."),
    "project_broken": _("{name} is a broken project plan. It was not imported."),
    "project_has_entities": _("{name} declares entities, which are not read. It was not imported."),
    "project_too_deep": _("{name} is nested too deep or too long. It was not imported."),
    "no_tasks_read": _("No task could be read from {name}."),
}
