"""What the parts of the Work page share: showing a value without taking it from under a person's hands.

A field that is being edited keeps its text while its value stays the same. No quote is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from estimator.evidence import Evidence, Stated, StatedDuration
from estimator.units import TimeUnit
from ui.pages.page import box
from ui.session import Edit
from ui.theme import TextRole, Theme
from ui.widgets.compound import end_of
from ui.widgets.evidence_editor import EvidenceEditor
from ui.widgets.number_field import DurationField, MoneyField, NumberField
from ui.widgets.typed_line import TextField

Ask = Callable[[str, Edit], bool]
"""Changes the quote by one step: a label for the menu, and the edit."""


def show_text(field: TextField, text: str, *, anew: bool = False) -> None:
    """Show a text unless the field shows it already. `anew`: the field now stands for another thing."""
    if anew or field.value != text:
        field.set_value(text)


def show_number(field: NumberField, value: Decimal | int | None, *, anew: bool = False) -> None:
    """Show a number unless the field holds it already."""
    number = Decimal(value) if isinstance(value, int) else value
    if anew or field.number != number:
        field.set_value(number)


def show_duration(field: DurationField, value: Decimal | None, unit: TimeUnit, *, anew: bool = False) -> None:
    """Show a duration unless the field holds it already. Of a blank one the field's own unit may stand."""
    held = field.duration
    if anew or held.value != value or (value is not None and held.unit is not unit):
        field.set_value(value, unit)


def show_stated_duration(field: DurationField, stated: StatedDuration | None, unit: TimeUnit) -> None:
    """Show an optional duration: blank, in `unit`, where there is none."""
    if stated is None:
        show_duration(field, None, unit)
    else:
        show_duration(field, stated.value, stated.unit)


def show_money(field: MoneyField, stated: Stated | None) -> None:
    """Show an optional amount."""
    amount = None if stated is None else stated.value
    if field.amount != amount:
        field.set_value(amount)


def show_evidence(editor: EvidenceEditor, evidence: Evidence, *, anew: bool = False) -> None:
    """Show an evidence unless the editor shows it already."""
    if anew or editor.evidence != evidence:
        editor.set_evidence(evidence)


def focus_on(widget: QWidget) -> None:
    """Give a field the focus, select its text and scroll whatever it lies in so that it is seen."""
    target = end_of(widget)
    target.setFocus(Qt.FocusReason.OtherFocusReason)
    if isinstance(target, QLineEdit):
        target.selectAll()
    around: QObject | None = target.parent()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(target, 24, 48)
        around = around.parent()


def line_of(widget: QWidget) -> QLineEdit | None:
    """Return the line in which a field is typed, None where it is no line."""
    end = end_of(widget)
    return end if isinstance(end, QLineEdit) else None


def titled_box(theme: Theme, title: str) -> tuple[QFrame, QVBoxLayout]:
    """Return a frame and the column to fill, under a title in the font of sections."""
    frame, column = box()
    column.setSpacing(6)
    label = QLabel(title)
    label.setWordWrap(True)
    label.setFont(theme.font(TextRole.SECTION))
    theme.changed.connect(lambda: label.setFont(theme.font(TextRole.SECTION)))
    column.addWidget(label)
    return frame, column


def in_a_row(*widgets: QWidget, stretches: tuple[int, ...] = ()) -> QHBoxLayout:
    """Return a row of widgets, each aligned at the top; `stretches` share the room."""
    row = QHBoxLayout()
    row.setSpacing(8)
    for index, widget in enumerate(widgets):
        row.addWidget(widget, stretches[index] if stretches else 0, Qt.AlignmentFlag.AlignTop)
    return row


def stops_in(widget: QWidget) -> Iterator[QWidget]:
    """Yield the focus stops inside a widget in reading order: that in which its layouts hold them."""
    if isinstance(widget, QRadioButton) or widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    elif isinstance(widget, QScrollArea):
        inside = widget.widget()
        if inside is not None:
            yield from stops_in(inside)
    elif widget.layout() is not None:
        yield from _stops_of(widget.layout())


def _stops_of(layout: object) -> Iterator[QWidget]:
    # PySide types layout() as never None, though an item that holds a widget has none.
    count = getattr(layout, "count", None)
    for index in range(count() if callable(count) else 0):
        item = layout.itemAt(index)  # type: ignore[attr-defined]  # a QLayout, as said above
        inner = item.widget()
        if inner is not None:
            yield from stops_in(inner)
        elif item.layout() is not None:
            yield from _stops_of(item.layout())


def chain(stops: Iterator[QWidget]) -> None:
    """Make the tab order that of `stops`."""
    former: QWidget | None = None
    for stop in stops:
        if former is not None:
            QWidget.setTabOrder(former, stop)
        former = stop
