"""The editor of an evidence: kind, range and how likely its values are, source, date. It knows no quote."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from estimator.evidence import Distribution, Evidence, EvidenceKind, span_of
from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.combo import Combo
from ui.widgets.compound import Compound
from ui.widgets.field import Field
from ui.widgets.icons import EVIDENCE_ICONS, icon
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import DateField, TextField

# A person states all kinds but one: derived is what the program computes, offered where it stands.
_STATED = tuple(kind for kind in EvidenceKind if kind is not EvidenceKind.DERIVED)


class EvidenceEditor(QWidget):
    """Shows an evidence and emits `committed(Evidence)` at each change of one part."""

    committed = Signal(object)

    def __init__(
        self, words: Wording, theme: Theme, *, unit: str = "", parent: QWidget | None = None
    ) -> None:
        """`unit` is the unit of the number whose range is edited; it is spoken with low and high."""
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._evidence = Evidence()
        self.kinds = Combo()
        self.low = NumberField(words)
        self.high = NumberField(words)
        self.shape = Combo()
        self.shape.setProperty("look", "low")
        self.shape.setAccessibleName(words.t("How likely the values of the range are"))
        for distribution, (name, meaning) in _shapes(words).items():
            self.shape.addItem(name, distribution)
            self.shape.setItemData(self.shape.count() - 1, meaning, Qt.ItemDataRole.ToolTipRole)
        self.source = TextField(words)
        self.date = DateField(words)
        low_name, high_name = words.t("Low end of the range"), words.t("High end of the range")
        self.low.setAccessibleName(f"{low_name}, {unit}" if unit else low_name)
        self.high.setAccessibleName(f"{high_name}, {unit}" if unit else high_name)
        self.source.setAccessibleName(words.t("Source"))
        self.source.setPlaceholderText(words.t("Who or what says so"))
        self.date.setAccessibleName(words.t("Date of the source"))
        self._lay_out(unit)
        self.kinds.activated.connect(self._kind_chosen)
        self.low.committed.connect(self._low_typed)
        self.high.committed.connect(self._high_typed)
        self.shape.activated.connect(self._shape_chosen)
        self.source.committed.connect(self._source_typed)
        self.date.committed.connect(self._date_typed)
        theme.changed.connect(self._fill_kinds)
        self._fill_kinds()

    @property
    def evidence(self) -> Evidence:
        """The evidence shown."""
        return self._evidence

    def set_evidence(self, evidence: Evidence) -> None:
        """Show an evidence; nothing is committed."""
        self._evidence = evidence
        self._fill_kinds()
        self.low.set_value(evidence.low)
        self.high.set_value(evidence.high)
        self.source.set_value(evidence.source)
        self.date.set_value(evidence.date)
        self._range.set_problem("")
        self._show_shape()

    def stops(self) -> list[QWidget]:
        """Return what takes the focus, in reading order."""
        return [self.kinds, self.low, self.high, self.shape, self.source, self.date]

    def _lay_out(self, unit: str) -> None:
        between = Compound()
        row = QHBoxLayout(between)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for word, line in ((self._words.t("between"), self.low), (self._words.t("and"), self.high)):
            label = QLabel(word)
            label.setProperty("look", "muted")
            label.setFont(self._theme.font(TextRole.SECONDARY))
            row.addWidget(label)
            row.addWidget(line, 1)
        if unit:
            row.addWidget(QLabel(unit))
        between.first = self.low
        self._kind = Field(self._theme, self._words.t("Evidence"), self.kinds)
        self._range = Field(self._theme, self._words.t("Possible range"), between)
        origin = Compound()
        row = QHBoxLayout(origin)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.source, 3)
        row.addWidget(self.date, 2)
        origin.first = self.source
        self._origin = Field(self._theme, self._words.t("Source and date"), origin)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._kind)
        column.addWidget(self._range)
        self._shape = QWidget()
        row = QHBoxLayout(self._shape)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        label = QLabel(self._words.t("likely"))
        label.setProperty("look", "muted")
        label.setFont(self._theme.font(TextRole.SECONDARY))
        row.addWidget(label)
        row.addWidget(self.shape, 1)
        column.addWidget(self._shape)
        column.addWidget(self._origin)
        self.date.problem_changed.connect(self._origin.show_problem)
        for line in (self.low, self.high):
            line.problem_changed.connect(self._range.show_problem)

    def _fill_kinds(self) -> None:
        kinds = _STATED if self._evidence.kind in _STATED else (*_STATED, self._evidence.kind)
        self.kinds.clear()
        for kind in kinds:
            drawing = icon(EVIDENCE_ICONS[kind], self._theme.color("text"))
            self.kinds.addItem(drawing, self._words.evidence(kind), kind)
        self.kinds.setCurrentIndex(kinds.index(self._evidence.kind))

    def _kind_chosen(self, index: int) -> None:
        self._change(kind=EvidenceKind(self.kinds.itemData(index)))

    def _show_shape(self) -> None:
        """Show how likely the values are, where there is a range: typed, or that of the kind."""
        low, high = span_of(Decimal(1), self._evidence.replaced(low=None, high=None))
        stated = self._evidence.low is not None or self._evidence.high is not None
        self._shape.setVisible(stated or low < high)
        self.shape.setCurrentIndex(self.shape.findData(self._evidence.distribution))

    def _shape_chosen(self, index: int) -> None:
        self._change(distribution=Distribution(self.shape.itemData(index)))

    def _low_typed(self, value: object) -> None:
        self._change_range(value if isinstance(value, Decimal) else None, self._evidence.high)

    def _high_typed(self, value: object) -> None:
        self._change_range(self._evidence.low, value if isinstance(value, Decimal) else None)

    def _change_range(self, low: Decimal | None, high: Decimal | None) -> None:
        if low is not None and high is not None and low > high:
            self._range.set_problem(self._words.sentence("range_reversed"))
        else:
            self._range.set_problem("")
            self._change(low=low, high=high)

    def _source_typed(self, value: object) -> None:
        self._change(source=value if isinstance(value, str) else "")

    def _date_typed(self, value: object) -> None:
        self._change(date=value if isinstance(value, dt.date) else None)

    def _change(self, **parts: object) -> None:
        changed = self._evidence.replaced(**parts)
        if changed != self._evidence:
            self._evidence = changed
            self._show_shape()
            self.committed.emit(changed)


def _shapes(words: Wording) -> dict[Distribution, tuple[str, str]]:
    """Return name and meaning of each distribution."""
    return {
        Distribution.TRIANGULAR: (
            words.t("near the value"),
            words.t("Triangular: the value is the likeliest, the ends hardly happen."),
        ),
        Distribution.PERT: (
            words.t("mostly at the value"),
            words.t("PERT: as triangular, closer to the value."),
        ),
        Distribution.UNIFORM: (
            words.t("all alike"),
            words.t("Uniform: any value of the range is as likely as another."),
        ),
        Distribution.LOGNORMAL: (
            words.t("long tail above"),
            words.t("Lognormal: the ends are P10 and P90, and values beyond them happen."),
        ),
    }
