"""The picture of the work: input, stages in the order they wait for each other, acceptance; arrows with paths.

It shows what the table says, for the eye; it is no focus stop, and its text is its accessible description.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from estimator.quote import ConditionState, PathKind, Quote, Stage, StageKind
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from ui.pages.work_stages import duration_text
from ui.theme import TextRole, Theme

_BOX_HEIGHT = 44
_ROW_GAP = 10
_MARGIN = 12
_LEAST_BOX, _MOST_BOX = 96, 170
_LEAST_ARROW = 64
_HEAD = 6
_INPUT, _OUTPUT = "", "\0"  # ids that no stage can have


@dataclass(frozen=True, slots=True)
class FlowBox:
    """One box: title, line under it, its column (how many steps from the input) and row within it."""

    id: str
    title: str
    line: str
    column: int
    row: int
    is_work: bool


@dataclass(frozen=True, slots=True)
class FlowArrow:
    """From one box to another, through what the data go; dashed until that was verified."""

    start: str
    end: str
    path: str
    verified: bool


@dataclass(frozen=True, slots=True)
class Flow:
    """Boxes and arrows of a quote."""

    boxes: tuple[FlowBox, ...] = ()
    arrows: tuple[FlowArrow, ...] = ()


def flow_of(words: Wording, quote: Quote, estimate: Estimate | None) -> Flow:
    """Return the picture of a quote. A path between cards is verified where its topology condition is met."""
    work = quote.workload
    if not work.stages:
        return Flow()
    met = estimate is not None and any(
        one.code == "topology" and one.state is ConditionState.MET for one in estimate.conditions
    )
    columns = _columns(work.stages)
    taken: dict[int, int] = {}
    boxes = [FlowBox(_INPUT, words.t("Input"), _input_line(words, quote), 0, 0, False)]
    arrows = []
    for stage in work.stages:
        column = columns[stage.id]
        row = taken.get(column, 0)
        taken[column] = row + 1
        boxes.append(
            FlowBox(stage.id, stage.name, _stage_line(words, quote, stage), column, row, _works(stage))
        )
        verified = met and stage.path is PathKind.CARD_LINK
        before = [one for one in stage.after if one in columns] or [_INPUT]
        arrows += [FlowArrow(one, stage.id, words.word(stage.path), verified) for one in before]
    if not any(stage.kind is StageKind.GATE for stage in work.stages):
        followed = {one for stage in work.stages for one in stage.after}
        ends = [stage.id for stage in work.stages if stage.id not in followed]
        line = work.delivery_unit
        boxes.append(FlowBox(_OUTPUT, words.t("Acceptance"), line, max(columns.values()) + 1, 0, False))
        arrows += [FlowArrow(one, _OUTPUT, words.word(PathKind.NETWORK), False) for one in ends]
    return Flow(tuple(boxes), tuple(arrows))


def _columns(stages: tuple[Stage, ...]) -> dict[str, int]:
    """Return each stage's distance from the input; in or behind a circle it is as far as the stages are many."""
    known = {stage.id for stage in stages}
    waits = {stage.id: {one for one in stage.after if one in known} for stage in stages}
    followers: dict[str, list[str]] = {stage.id: [] for stage in stages}
    for id_, before in waits.items():
        for one in before:
            followers[one].append(id_)
    column = {id_: 1 for id_, before in waits.items() if not before}
    ready = list(column)
    for id_ in ready:
        for following in followers[id_]:
            waits[following].discard(id_)
            column[following] = max(column.get(following, 1), column[id_] + 1)
            if not waits[following]:
                ready.append(following)
    return {id_: len(stages) if before else column[id_] for id_, before in waits.items()}


def _works(stage: Stage) -> bool:
    return stage.kind is not StageKind.GATE


def _input_line(words: Wording, quote: Quote) -> str:
    main = quote.workload.main_stage
    return "" if main is None else words.n("{count} unit", "{count} units", main.tasks.total)


def _stage_line(words: Wording, quote: Quote, stage: Stage) -> str:
    if stage.kind is StageKind.GATE:
        return quote.workload.delivery_unit
    duration = duration_text(words, stage)
    if stage.kind is StageKind.STATION and stage.tasks.total == 1:
        return duration
    return words.t("{count} × {duration}", count=words.number(stage.tasks.total), duration=duration)


class FlowPicture(QWidget):
    """Paints a `Flow`. As wide as it is given, never narrower than its boxes need."""

    def __init__(self, words: Wording, theme: Theme) -> None:
        super().__init__()
        self._words = words
        self._theme = theme
        self._flow = Flow()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(words.t("Picture of the work"))
        theme.changed.connect(self.update)

    @property
    def flow(self) -> Flow:
        """What is shown."""
        return self._flow

    def show_flow(self, flow: Flow) -> None:
        """Show another picture."""
        if flow == self._flow:
            return
        self._flow = flow
        title = {box.id: box.title for box in flow.boxes}
        spoken = (
            self._words.t(
                "{stage} to {next} through {path}", stage=title[one.start], next=title[one.end], path=one.path
            )
            for one in flow.arrows
        )
        self.setAccessibleDescription("; ".join(spoken))
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    def boxes(self) -> dict[str, QRectF]:
        """Return where each box lies, in pixels of this widget."""
        columns = self._column_count()
        if not columns:
            return {}
        room = self.width() - 2 * _MARGIN
        box = min(_MOST_BOX, max(_LEAST_BOX, (room - (columns - 1) * _LEAST_ARROW) / columns))
        arrow = (room - columns * box) / max(1, columns - 1)
        rows = {one.column: 0 for one in self._flow.boxes}
        for one in self._flow.boxes:
            rows[one.column] = max(rows[one.column], one.row + 1)
        found = {}
        for one in self._flow.boxes:
            high = rows[one.column] * _BOX_HEIGHT + (rows[one.column] - 1) * _ROW_GAP
            top = (self.height() - high) / 2 + one.row * (_BOX_HEIGHT + _ROW_GAP)
            found[one.id] = QRectF(_MARGIN + one.column * (box + arrow), top, box, _BOX_HEIGHT)
        return found

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        columns = self._column_count()
        rows = max((one.row + 1 for one in self._flow.boxes), default=1)
        width = 2 * _MARGIN + columns * _LEAST_BOX + max(0, columns - 1) * _LEAST_ARROW
        return QSize(width, 2 * _MARGIN + rows * _BOX_HEIGHT + (rows - 1) * _ROW_GAP)

    def _column_count(self) -> int:
        return max((one.column + 1 for one in self._flow.boxes), default=0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        places = self.boxes()
        left, right = event.rect().left() - _HEAD, event.rect().right() + _HEAD
        for arrow in self._flow.arrows:
            start, end = places[arrow.start], places[arrow.end]
            if min(start.left(), end.left()) <= right and max(start.right(), end.right()) >= left:
                self._paint_arrow(painter, start, end, arrow)
        for one in self._flow.boxes:
            if places[one.id].left() <= right and places[one.id].right() >= left:
                self._paint_box(painter, places[one.id], one)
        painter.end()

    def _paint_arrow(self, painter: QPainter, start: QRectF, end: QRectF, arrow: FlowArrow) -> None:
        ink = self._theme.color("muted")
        begin = QPointF(start.right() + 2, start.center().y())
        tip = QPointF(end.left() - 2, end.center().y())
        pen = QPen(ink, 1.6)
        if not arrow.verified:
            pen.setDashPattern([3, 2.5])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(begin, QPointF(tip.x() - _HEAD, tip.y()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        half = _HEAD / 2 + 1
        left = tip.x() - _HEAD - 1
        painter.drawPolygon(QPolygonF([tip, QPointF(left, tip.y() - half), QPointF(left, tip.y() + half)]))
        if tip.x() <= begin.x() or begin.y() != tip.y():
            return
        painter.setFont(self._theme.font(TextRole.CHIP))
        painter.setPen(ink)
        height = QFontMetrics(painter.font()).height()
        label = QRectF(begin.x(), begin.y() - height - 3, tip.x() - begin.x() - 2, height)
        shown = painter.fontMetrics().elidedText(arrow.path, Qt.TextElideMode.ElideRight, int(label.width()))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, shown)

    def _paint_box(self, painter: QPainter, place: QRectF, one: FlowBox) -> None:
        painter.setPen(QPen(self._theme.color("accent" if one.is_work else "control"), 1.4))
        painter.setBrush(self._theme.color("surface"))
        painter.drawRoundedRect(place, 4, 4)
        inside = place.adjusted(6, 3, -6, -3)
        half = inside.height() / 2 if one.line else inside.height()
        font = self._theme.font(TextRole.BODY)
        font.setWeight(QFont.Weight.DemiBold)
        self._paint_line(
            painter, QRectF(inside.x(), inside.y(), inside.width(), half), one.title, font, "text"
        )
        if one.line:
            below = QRectF(inside.x(), inside.y() + half, inside.width(), half)
            self._paint_line(painter, below, one.line, self._theme.font(TextRole.SECONDARY), "muted")

    def _paint_line(self, painter: QPainter, place: QRectF, text: str, font: QFont, token: str) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
