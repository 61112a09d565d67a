"""The start page: three questions to a first quote, samples, recent files, open. It opens nothing by itself.

Not one of the eight pages: it stands in their place while no quote is open.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from estimator.wording import Wording
from ui.models.table import Column, TupleTableModel
from ui.models.table_view import TableView
from ui.theme import TextRole, Theme
from ui.widgets.box import box
from ui.widgets.field import Field
from ui.widgets.icons import icon
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import TextField

if TYPE_CHECKING:
    from ui.pages.new_quote import FirstAnswers

WIDTH = 1010
CARDS_SHOWN = 3
# The values of `estimator.quote.Independence`: the first picture does not wait for the import of documents.
_CHOICES = ("independent", "cooperative", "by_stage")


@dataclass(frozen=True, slots=True)
class SampleCard:
    """A sample quote as offered: what it is called, its trade, one sentence, how many stages where known."""

    id: str
    title: str
    trade: str
    sentence: str
    stages: int | None = None


@dataclass(frozen=True, slots=True)
class RecentFile:
    """A file opened or saved before, in words; `reason` says why it cannot be opened, empty where it can."""

    path: Path
    name: str
    folder: str
    modified: str = ""
    reason: str = ""


class StartPage(QWidget):
    """Questions, samples and recent files. What a person decides is a signal.

    `created` carries `FirstAnswers`, `sample_opened` a sample's id, `file_opened` and `recent_forgotten` a Path.
    """

    created = Signal(object)
    started_blank = Signal()
    sample_opened = Signal(str)
    file_opened = Signal(object)
    open_asked = Signal()
    recent_forgotten = Signal(object)

    def __init__(
        self,
        words: Wording,
        theme: Theme,
        samples: tuple[SampleCard, ...] = (),
        recent: tuple[RecentFile, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme
        self._samples = samples
        self._recent = recent
        self._fonts: list[tuple[QLabel, TextRole]] = []
        self._tags: list[QLabel] = []
        self.setAccessibleName(words.t("Start"))
        self._make_questions()
        self.open_button = QPushButton(words.t("Open a file…"))
        self.forget_button = QPushButton(words.t("Take off the list"))
        self.sample_buttons: dict[str, QPushButton] = {}
        self.recent_model: TupleTableModel[RecentFile] = TupleTableModel(
            _recent_columns(words), words, theme, self
        )
        self.recent_table = TableView(
            self.recent_model, words, theme, words.t("Recent files"), whole_rows=True
        )
        self._lay_out()
        self._connect()
        self.show_recent(recent)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def answers(self) -> FirstAnswers:
        """What the three questions say at this moment."""
        from estimator.quote import Independence
        from ui.pages.new_quote import FirstAnswers

        count = self.count.number
        return FirstAnswers(
            unit=self.unit.text().strip(),
            count=None if count is None else int(count),
            independence=Independence(next(one for one in _CHOICES if self.radios[one].isChecked())),
            assembly=self.assembly.isChecked(),
            licences=self.licences.isChecked(),
            storage=self.storage.isChecked(),
            link=self.link.isChecked(),
        )

    def show_recent(self, recent: tuple[RecentFile, ...]) -> None:
        """Show the recent files, newest first; none hides the table."""
        self._recent = recent
        self.recent_model.show_rows(recent)
        self.recent_table.fit_height()
        self._recent_part.setVisible(bool(recent))

    def focus_first(self) -> None:
        """Give focus to the first question."""
        self.unit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.unit.selectAll()

    def finish(self) -> None:
        """Ask for the first quote; an unreadable count keeps the person here and says why."""
        self.unit.commit()
        if self.count.commit():
            self.created.emit(self.answers)
        else:
            self.count.setFocus(Qt.FocusReason.OtherFocusReason)
            self.count.selectAll()

    def _make_questions(self) -> None:
        words = self._words
        self.unit = TextField(words)
        self.unit.setPlaceholderText(words.t("such as conversion of a document"))
        self.count = NumberField(words, minimum=Decimal(1), whole=True)
        texts = (
            words.t("Yes: independent tasks"),
            words.t("No: one job spread over cards"),
            words.t("Depends on the stage"),
        )
        self.radios = {one: QRadioButton(text) for one, text in zip(_CHOICES, texts, strict=True)}
        self._group = QButtonGroup(self)
        for radio in self.radios.values():
            self._group.addButton(radio)
        self.radios[_CHOICES[0]].setChecked(True)
        self.assembly = QCheckBox(words.t("An assembly at the end"))
        self.assembly.setChecked(True)
        self.licences = QCheckBox(words.t("Licences"))
        self.storage = QCheckBox(words.t("Storage with a limit"))
        self.link = QCheckBox(words.t("Link between cards"))
        self.blank_button = QPushButton(words.t("Start blank"))
        self.blank_button.setProperty("look", "link")
        self.create_button = QPushButton(words.t("Create the quote"))
        self.create_button.setProperty("look", "primary")
        self.create_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)

    def _lay_out(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 16, 0, 16)
        column.setSpacing(12)
        column.addLayout(self._head())
        column.addWidget(self._questions())
        column.addSpacing(4)
        for part in self._sample_part():
            column.addLayout(part)
        column.addSpacing(4)
        column.addWidget(self._recent_files())
        column.addStretch(1)
        inside.setMaximumWidth(WIDTH)
        centred = QWidget()
        row = QHBoxLayout(centred)
        row.setContentsMargins(24, 0, 24, 0)
        row.addStretch(1)
        row.addWidget(inside, 1000)
        row.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(centred)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)

    def _head(self) -> QHBoxLayout:
        words = self._words
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self._label(words.t("Does it fit?"), TextRole.FIGURE))
        about = words.t("From a workload to a quote: cards, memory, schedule, lots and cost. Works offline.")
        names.addWidget(self._label(about, TextRole.BODY, muted=True))
        row = QHBoxLayout()
        row.addLayout(names, 1)
        row.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignBottom)
        return row

    def _questions(self) -> QFrame:
        words = self._words
        self._frame, column = box()
        self._frame.setObjectName("questions")
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(12)
        column.addWidget(
            self._label(words.t("New quote: before counting cards, three answers"), TextRole.SECTION)
        )
        row = QHBoxLayout()
        row.setSpacing(40)
        unit = Field(self._theme, words.t("Unit of computation"), self.unit)
        count = Field(self._theme, words.t("How many?"), self.count)
        count.setMaximumWidth(110)
        first = self._question(words.t("1. What is delivered?"), unit, count)
        second = self._question(words.t("2. Is each unit computed alone?"), *self.radios.values())
        ticks = (self.assembly, self.licences, self.storage, self.link)
        third = self._question(words.t("3. What is shared or put together?"), *ticks)
        for part in (first, second, third):
            row.addLayout(part, 1)
        column.addLayout(row)
        end = QHBoxLayout()
        end.setSpacing(16)
        note = words.t(
            "Everything can change later. What you do not know stays blank, and the answer says so."
        )
        end.addWidget(self._label(note, TextRole.SECONDARY, muted=True), 1)
        end.addWidget(self.blank_button)
        end.addWidget(self.create_button)
        column.addLayout(end)
        return self._frame

    def _question(self, title: str, *widgets: QWidget) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(8)
        heading = self._label(title, TextRole.SECTION)
        column.addWidget(heading)
        for widget in widgets:
            column.addWidget(widget)
        column.addStretch(1)
        return column

    def _sample_part(self) -> tuple[QHBoxLayout, QGridLayout]:
        words = self._words
        head = QHBoxLayout()
        head.addWidget(self._label(words.t("Or start from a sample"), TextRole.SECTION), 1)
        note = words.t("They open as untitled copies; their prices are samples")
        about = self._label(note, TextRole.SECONDARY, muted=True)
        about.setWordWrap(False)
        head.addWidget(about)
        self.more_button = QPushButton(words.t("More samples"))
        if len(self._samples) <= CARDS_SHOWN:
            self.more_button.hide()  # never shown by itself: without a parent yet it would be a window
        menu = QMenu(self)
        for sample in self._samples[CARDS_SHOWN:]:
            action = menu.addAction(words.t("{sample} ({trade})", sample=sample.title, trade=sample.trade))
            action.triggered.connect(lambda _on=False, id_=sample.id: self.sample_opened.emit(id_))
        self.more_button.setMenu(menu)
        cards = QGridLayout()
        cards.setSpacing(12)
        for place, sample in enumerate(self._samples[:CARDS_SHOWN]):
            cards.addWidget(self._sample(sample), 0, place)
            cards.setColumnStretch(place, 1)
        head.addSpacing(12)
        head.addWidget(self.more_button)
        return head, cards

    def _sample(self, sample: SampleCard) -> QFrame:
        words = self._words
        frame, column = box()
        column.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(self._label(sample.title, TextRole.SECTION), 1)
        tag = self._label(words.t("SAMPLE"), TextRole.CHIP)
        tag.setWordWrap(False)
        self._tags.append(tag)
        head.addWidget(tag, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        column.addWidget(self._label(sample.trade, TextRole.SECONDARY, muted=True))
        column.addWidget(self._label(sample.sentence, TextRole.BODY))
        column.addStretch(1)
        button = QPushButton(words.t("Open a copy"))
        button.setAccessibleName(words.t("Open a copy of {sample}", sample=sample.title))
        button.clicked.connect(lambda: self.sample_opened.emit(sample.id))
        self.sample_buttons[sample.id] = button
        foot = QHBoxLayout()
        foot.addWidget(button)
        foot.addStretch(1)
        if sample.stages is not None:
            stages = words.n("{count} stage", "{count} stages", sample.stages)
            foot.addWidget(self._label(stages, TextRole.SECONDARY, muted=True))
        column.addLayout(foot)
        return frame

    def _recent_files(self) -> QWidget:
        self._recent_part = QWidget()
        column = QVBoxLayout(self._recent_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(self._label(self._words.t("Recent"), TextRole.SECTION), 1)
        self.forget_button.setEnabled(False)
        column.addLayout(head)
        column.addWidget(self.recent_table)
        head.addWidget(self.forget_button)
        header = self.recent_table.horizontalHeader()
        header.setStretchLastSection(False)
        for place, mode in enumerate(
            (
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.ResizeToContents,
            )
        ):
            header.setSectionResizeMode(place, mode)
        return self._recent_part

    def _label(self, text: str, role: TextRole, *, muted: bool = False) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        if muted:
            label.setProperty("look", "muted")
        self._fonts.append((label, role))
        return label

    def _connect(self) -> None:
        self.create_button.clicked.connect(self.finish)
        self.blank_button.clicked.connect(self.started_blank)
        self.open_button.clicked.connect(self.open_asked)
        self.forget_button.clicked.connect(self._forget)
        self.recent_table.opened.connect(self._open_recent)
        self.recent_table.selectionModel().selectionChanged.connect(self._selection_changed)
        self.recent_model.modelReset.connect(self._selection_changed)
        order = (
            self.open_button,
            self.unit,
            self.count,
            *self.radios.values(),
            self.assembly,
            self.licences,
            self.storage,
            self.link,
            self.blank_button,
            self.create_button,
            self.more_button,
            *self.sample_buttons.values(),
            self.forget_button,
            self.recent_table,
        )
        for former, following in pairwise(order):
            QWidget.setTabOrder(former, following)

    def _dress(self) -> None:
        accent = self._theme.color("accent").name()
        # Before the fonts: a style sheet makes its widgets forget theirs.
        self._frame.setStyleSheet(f"#questions {{ border: 1px solid {accent}; }}")
        warn = self._theme.color("warn").name()
        for tag in self._tags:
            tag.setStyleSheet(f"color: {warn}; border: 1px solid {warn}; border-radius: 3px; padding: 0 5px;")
        for label, role in self._fonts:
            label.setFont(self._theme.font(role))
        self.open_button.setIcon(icon("file", self._theme.color("text")))
        self.create_button.setIcon(icon("chevron-right", self._theme.color("accent_text")))

    def _selection_changed(self) -> None:
        self.forget_button.setEnabled(bool(self.recent_table.selectionModel().selectedRows()))

    def _open_recent(self, place: int) -> None:
        recent = self._recent[place]
        if not recent.reason:
            self.file_opened.emit(recent.path)

    def _forget(self) -> None:
        for index in self.recent_table.selectionModel().selectedRows():
            row = self.recent_model.row_at(index)
            if row is not None:
                self.recent_forgotten.emit(row.path)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._dress()  # a page that was given a parent has forgotten its fonts

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The lines let Enter through, so it is heard here alone: once.
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        focused = self.focusWidget()
        if isinstance(focused, QPushButton):
            focused.click()
        else:
            self.finish()


def _recent_columns(words: Wording) -> tuple[Column[RecentFile], ...]:
    def color(row: RecentFile) -> str | None:
        return "muted" if row.reason else None

    return (
        Column(words.t("File"), lambda row: row.name, color=color),
        Column(words.t("Folder"), lambda row: row.folder, color=color, tooltip=lambda row: row.folder),
        Column(
            words.t("Modified"),
            lambda row: row.modified or words.unknown,
            color=color,
        ),
        Column(
            "",
            lambda row: row.reason,
            icon=lambda row: "triangle" if row.reason else None,
            color=color,
        ),
    )
