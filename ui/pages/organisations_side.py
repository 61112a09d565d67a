"""Beside the comparison: what cancels the gain, and accepted results. It shows what was computed."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from estimator.problems import Absent
from estimator.results.estimate import BreakEven, Estimate
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name
from ui.pages.charts import RecalculatingTag
from ui.theme import TextRole, Theme
from ui.widgets.evidence_chip import EvidenceChip


class GainBox(QFrame):
    """What cancels the gain of the shown organisation, and cases near the plan in which it pays less."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self._title = QLabel()
        self._title.setWordWrap(True)
        self._chip = EvidenceChip(words, theme)
        self.tag = RecalculatingTag(words, theme)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        head.addWidget(self.tag)
        head.addWidget(self._chip)
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(12)
        self._rows.setVerticalSpacing(4)
        self._rows.setColumnStretch(0, 1)
        self._shown: tuple[tuple[str, str, str], ...] = ()
        self._labels: list[tuple[QLabel, QLabel]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(self._rows)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def lines(self) -> tuple[tuple[str, str, str], ...]:
        """What is shown: (what, value, role of its text)."""
        return self._shown

    def show_gain(self, estimate: Estimate | None, stale: bool) -> None:
        """Show break-evens and cases; while they are not computed yet, the former ones with a tag."""
        waiting = estimate is None or stale or not estimate.is_complete
        self.tag.set_waiting(waiting and bool(self._shown))
        if estimate is None or waiting:
            return
        found = _break_even(estimate)
        name = ""
        if found is not None:
            organisation = estimate.quote.organisation(found.organisation_id)
            name = "" if organisation is None else organisation_name(organisation)
            result = estimate.organisation(found.organisation_id)
            self._chip.set_kind(None if result is None else result.time_kind)
            self._title.setText(self._words.t("What cancels the gain of {organisation}", organisation=name))
        else:
            self._chip.set_kind(None)
            self._title.setText(self._words.t("What cancels the gain"))
        self._fill((*self._break_even_lines(found), *self._case_lines(estimate)))

    def _break_even_lines(self, found: BreakEven | None) -> list[tuple[str, str, str]]:
        words = self._words
        if found is None:
            return [
                (words.t("No organisation delivers sooner than the reference: no gain yet."), "", "muted")
            ]
        factor = (
            words.t("none up to 100")
            if found.slow_down is None
            else words.t("k = {factor}", factor=words.number(found.slow_down, 2))
        )
        lines = [(words.t("Mutual slow-down between the cards"), factor, "text")]
        if found.serial_ms is not None:
            lines.append((words.t("Assembly longer by"), f"+{words.duration(found.serial_ms)}", "text"))
        return lines

    def _case_lines(self, estimate: Estimate) -> list[tuple[str, str, str]]:
        words = self._words
        limit = estimate.quote.workload.limit
        limit_ms = None if limit is None else limit.ms
        return [
            (
                words.counter_example(case.code, dict(case.values)).rstrip("."),
                words.duration(case.delivery_ms),
                "err" if limit_ms is not None and case.delivery_ms > limit_ms else "text",
            )
            for case in estimate.counter_examples
        ]

    def _fill(self, lines: tuple[tuple[str, str, str], ...]) -> None:
        if lines == self._shown:
            return
        self._shown = lines
        for label in (label for pair in self._labels for label in pair):
            self._rows.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = [(QLabel(what), QLabel(value)) for what, value, _ in lines]
        for row, (name, value) in enumerate(self._labels):
            name.setWordWrap(True)
            self._rows.addWidget(name, row, 0)
            self._rows.addWidget(value, row, 1)
        self._dress()

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))
        for (name, value), (_, _, role) in zip(self._labels, self._shown, strict=True):
            font = self._theme.font(TextRole.BODY)
            font.setWeight(font.Weight.DemiBold)
            value.setFont(font)
            value.setStyleSheet(f"color: {self._theme.color(role).name()}")
            name.setFont(self._theme.font(TextRole.SECONDARY))


class ThroughputBox(QFrame):
    """Accepted results per hour, and in whole runs within 3, 7 and 30 days."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self.setProperty("look", "box")
        self._title = QLabel(words.t("Accepted results"))
        heads = [words.t("per hour"), *(words.n("{count} day", "{count} days", days) for days in (3, 7, 30))]
        self._heads = [QLabel(head) for head in heads]
        self.values = [QLabel(words.unknown) for _ in heads]
        grid = QGridLayout()
        grid.setVerticalSpacing(0)
        for column, (head, value) in enumerate(zip(self._heads, self.values, strict=True)):
            head.setProperty("look", "muted")
            grid.addWidget(head, 0, column)
            grid.addWidget(value, 1, column)
            grid.setColumnStretch(column, 1)
        column_box = QVBoxLayout(self)
        column_box.setContentsMargins(12, 8, 12, 8)
        column_box.setSpacing(4)
        column_box.addWidget(self._title)
        column_box.addLayout(grid)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._dress)
        self._dress()

    def show_throughput(self, estimate: Estimate | None, stale: bool) -> None:
        """Show the throughput of the shown organisation; while it is not computed yet, the former one."""
        if estimate is None or stale or not estimate.is_complete:
            return
        found = estimate.throughput
        if found is None or isinstance(found.per_hour, Absent):
            texts = [self._words.unknown] * len(self.values)
        else:
            texts = [self._words.number(found.per_hour, 2)]
            texts += [self._words.number(results) for _, results in found.per_term]
        for label, text in zip(self.values, texts, strict=False):
            label.setText(text)

    def _dress(self) -> None:
        self._title.setFont(self._theme.font(TextRole.SECTION))
        for head, value in zip(self._heads, self.values, strict=True):
            head.setFont(self._theme.font(TextRole.SECONDARY))
            font = self._theme.font(TextRole.BODY)
            font.setWeight(font.Weight.DemiBold)
            value.setFont(font)


def _break_even(estimate: Estimate) -> BreakEven | None:
    """Return that of the shown organisation, else the first there is."""
    for one in estimate.break_evens:
        if one.organisation_id == estimate.shown_organisation_id:
            return one
    return next(iter(estimate.break_evens), None)
