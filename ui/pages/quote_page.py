"""Page 8, Quote: what the customer receives and signs: the data of the document and what it says.

Asks for files by signals; the window writes them.
"""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from estimator.issuing import figures_of, issued, next_revision
from estimator.problems import Place
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from estimator.wording.answers import Answer, answer_titles, answers
from estimator.wording.phrases import sample_word
from estimator.wording.vocabulary import (
    VocabularyRow,
    document_words,
    indispensable,
    other_conditions,
    request_lines,
    standing_text,
    vocabulary,
)
from ui.models.table import Column
from ui.models.table_view import TableView
from ui.page_preview import PagePreview
from ui.pages.changing_table import ChangingTableModel
from ui.pages.page import GAP, Context, Page
from ui.pages.quote_details import QuoteDetails
from ui.pages.quote_issues import IssuesBox
from ui.theme import TextRole
from ui.widgets.evidence_chip import EvidenceChip
from ui.widgets.icons import icon

_FORM = 312
_CELLS = 5
_SHARES = (0.30, 0.27)
"""Widths of the vocabulary's first columns; the last one takes the rest."""


class QuotePage(Page):
    """The form at the left, the content of the document at the right."""

    excel_asked = Signal()
    pdf_asked = Signal()
    print_asked = Signal()
    markdown_asked = Signal()
    save_asked = Signal()
    logo_asked = Signal()
    json_asked = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        words = context.words
        super().__init__(
            context, words.t("Quote"), words.t("What does the customer receive and sign?"), parent
        )
        self.details = QuoteDetails(words, self.theme)
        self.details.setFixedWidth(_FORM)
        self.details.committed.connect(self._committed)
        self.details.logo_asked.connect(self._logo_asked)
        self._said = said = QWidget()
        self._content = QVBoxLayout(said)
        self._content.setContentsMargins(0, 0, 0, 0)
        self._content.setSpacing(GAP)
        self._build_standing()
        self.issues = IssuesBox(words, self.theme)
        self.issues.issue_asked.connect(self._issue)
        self._content.addWidget(self.issues)
        self._build_answers()
        self._build_vocabulary()
        self._build_request()
        self._content.addStretch(1)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self.details, 0, Qt.AlignmentFlag.AlignTop)
        self.preview = PagePreview(self.words, self.theme)
        self.preview.hide()
        row.addWidget(said, 1)
        row.addWidget(self.preview, 1)
        self._build_buttons()
        self.theme.changed.connect(self._dress)
        self._dress()
        stops = [*self.details.stops(), self.conditions_button, *self.issues.stops(), self.table]
        if self.previous_button is not None:
            stops.append(self.previous_button)
        stops += [self.preview, self.preview_button, self.more_button, self.save_button]
        stops += [self.pdf_button, self.excel_button]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def show_state(self, quote: Quote, estimate: Estimate | None, stale: bool) -> None:
        self.details.show_quote(quote)
        words = document_words(quote, self.words)
        standing = standing_text(words, estimate)
        self._standing.setText(standing)
        self._standing_box.setVisible(bool(standing))
        waiting = estimate is not None and bool(estimate.open_conditions)
        self.conditions_button.setVisible(waiting)
        self.issues.show_state(quote, estimate, stale)
        self._show_answers(words, estimate)
        self._vocabulary_title.setText(words.t("Shared vocabulary"))
        self.model.show_table(_columns(words), vocabulary(words, quote, estimate))
        self._share_columns()
        self.table.fit_height(8)
        self._show_request(words, quote, estimate)
        self.preview.show_quote(None if stale else estimate, words)

    def go_to(self, place: Place) -> bool:
        return self.details.focus_place(place)

    def focus_first(self) -> None:
        self.details.customer.setFocus()
        self.details.customer.selectAll()

    # Building

    def _build_standing(self) -> None:
        self._standing_box = QFrame()
        self._standing_box.setProperty("look", "box")
        self._mark = QLabel()
        self._standing = QLabel()
        self._standing.setWordWrap(True)
        self._standing.setProperty("look", "warning")
        self.conditions_button = QPushButton(self.words.t("See the conditions"))
        self.conditions_button.setProperty("look", "link")
        self.conditions_button.clicked.connect(lambda: self.asked.emit(("conditions",)))
        row = QHBoxLayout(self._standing_box)
        row.setContentsMargins(12, 8, 12, 8)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._standing, 1)
        row.addWidget(self.conditions_button)
        self._content.addWidget(self._standing_box)

    def _build_answers(self) -> None:
        frame = QFrame()
        frame.setProperty("look", "box")
        grid = QGridLayout(frame)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(2)
        self._cells: list[tuple[QLabel, QLabel, QLabel, EvidenceChip]] = []
        for at in range(_CELLS):
            title, figure, line = QLabel(), QLabel(), QLabel()
            title.setProperty("look", "muted")
            line.setProperty("look", "muted")
            for label in (title, figure, line):
                label.setWordWrap(True)
                label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
                label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            chip = EvidenceChip(self.words, self.theme)
            for row, widget in enumerate((title, figure, line, chip)):
                if widget is chip:
                    grid.addWidget(widget, row, at, Qt.AlignmentFlag.AlignLeft)
                else:
                    grid.addWidget(widget, row, at)
            grid.setColumnStretch(at, 1)
            self._cells.append((title, figure, line, chip))
        self._content.addWidget(frame)

    def _build_vocabulary(self) -> None:
        self._vocabulary_title = QLabel()
        self.model: ChangingTableModel[VocabularyRow] = ChangingTableModel(
            _columns(self.words), self.words, self.theme
        )
        self.table = TableView(
            self.model, self.words, self.theme, self.words.t("Shared vocabulary"), whole_rows=True
        )
        self._content.addWidget(self._vocabulary_title)
        self._content.addWidget(self.table)

    def _build_request(self) -> None:
        self._request_box = QFrame()
        self._request_box.setProperty("look", "box")
        self._request_title = QLabel()
        self._request = QLabel()
        self._open_title = QLabel()
        self._open = QLabel()
        self._others_title = QLabel()
        self._others = QLabel()
        column = QVBoxLayout(self._request_box)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(6)
        for title, text in self._lists():
            text.setWordWrap(True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            column.addWidget(title)
            column.addWidget(text)
        self._content.addWidget(self._request_box)

    def _build_buttons(self) -> None:
        words = self.words
        self.add_steps(words.t("Conditions"), "")
        self.more_button = QPushButton(words.t("More"))
        menu = QMenu(self.more_button)
        for title, signal in (
            (words.t("Print…"), self.print_asked),
            (words.t("Export Markdown…"), self.markdown_asked),
        ):
            menu.addAction(title).triggered.connect(lambda checked, signal=signal: signal.emit())
        self.json_action = menu.addAction(words.t("Export JSON…"))
        self.json_action.triggered.connect(lambda: self.json_asked.emit())
        self.more_button.setMenu(menu)
        self.save_button = QPushButton(words.t("Save"))
        self.save_button.clicked.connect(lambda: self.save_asked.emit())
        self.preview_button = QPushButton(words.t("See the pages"))
        self.preview_button.setCheckable(True)
        self.preview_button.toggled.connect(self._preview_toggled)
        self.pdf_button = QPushButton(words.t("Export PDF…"))
        self.pdf_button.clicked.connect(lambda: self.pdf_asked.emit())
        self.excel_button = QPushButton(words.t("Export Excel…"))
        self.excel_button.setProperty("look", "primary")
        self.excel_button.clicked.connect(lambda: self.excel_asked.emit())
        for button in (
            *(self.preview_button, self.more_button, self.save_button, self.pdf_button, self.excel_button),
        ):
            self.header.addWidget(button)

    def _lists(self) -> tuple[tuple[QLabel, QLabel], ...]:
        return (
            (self._request_title, self._request),
            (self._open_title, self._open),
            (self._others_title, self._others),
        )

    def _preview_toggled(self, shown: bool) -> None:
        self.preview.setVisible(shown)
        self._said.setVisible(not shown)

    # Showing

    def _show_answers(self, words: Wording, estimate: Estimate | None) -> None:
        known: tuple[Answer, ...] = () if estimate is None else answers(words, estimate)
        titles = answer_titles(words, estimate)
        for at, (title, figure, line, chip) in enumerate(self._cells):
            title.setText(titles[at][0])
            answer = known[at] if known else Answer(words.unknown)
            tag = f" {sample_word(words)}" if answer.is_sample else ""
            figure.setText(f"{answer.figure} {answer.unit}".strip() + tag)
            line.setText(answer.line)
            chip.set_kind(answer.kind, words)

    def _show_request(self, words: Wording, quote: Quote, estimate: Estimate | None) -> None:
        lines = request_lines(words, quote, estimate)
        self._request_title.setText(words.t("Capacity request"))
        self._request.setText("\n".join(f"{line.name}: {line.value}" for line in lines))
        self._open_title.setText(words.t("Indispensable conditions, open"))
        self._open.setText(_ticked(indispensable(words, estimate)))
        self._others_title.setText(words.t("Other open conditions"))
        self._others.setText(_ticked(other_conditions(words, estimate)))
        for title, text in self._lists():
            title.setVisible(bool(text.text()))
            text.setVisible(bool(text.text()))
        self._request_box.setVisible(any(text.text() for _, text in self._lists()))

    def _dress(self) -> None:
        self.excel_button.setIcon(icon("grid", self.theme.color("accent_text")))
        self._mark.setPixmap(icon("triangle", self.theme.color("warn")).pixmap(16, 16))
        self._vocabulary_title.setFont(self.theme.font(TextRole.SECTION))
        for title, _ in self._lists():
            title.setFont(self.theme.font(TextRole.SECTION))
        for title, figure, line, _chip in self._cells:
            title.setFont(self.theme.font(TextRole.SECONDARY))
            figure.setFont(self.theme.font(TextRole.SECTION))
            line.setFont(self.theme.font(TextRole.SECONDARY))

    def _share_columns(self) -> None:
        for column, share in enumerate(_SHARES):
            self.table.setColumnWidth(column, int(self.table.viewport().width() * share))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_columns()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._share_columns()

    # Edits

    def _committed(self, name: str, value: object) -> None:
        part, _, field = name.partition(".")

        def change(quote: Quote) -> Quote:
            if not field:
                return quote.replaced(**{part: value})
            party = quote.customer if part == "customer" else quote.issuer
            return quote.replaced(**{part: party.replaced(**{field: value})})

        self.edit(self._labels()[part], change)

    def _logo_asked(self) -> None:
        quote = self.context.session.quote
        if quote is not None and quote.issuer.logo:
            self._committed("issuer.logo", "")
        else:
            self.logo_asked.emit()

    def _issue(self) -> None:
        """Freeze the answer as the next revision, dated today."""
        session = self.context.session
        estimate = session.estimate
        if estimate is None or session.is_stale or session.quote is None:
            return
        figures, day = figures_of(estimate), session.today
        number = self.words.number(next_revision(session.quote))
        label = self.words.t("issue revision {number}", number=number)
        self.edit(label, lambda quote: issued(quote, figures, day))

    def _labels(self) -> dict[str, str]:
        words = self.words
        return {
            "customer": words.t("change the customer"),
            "issuer": words.t("change the issuer"),
            "name": words.t("rename the quote"),
            "number": words.t("change the number"),
            "date": words.t("change the date"),
            "valid_days": words.t("change the validity"),
            "language": words.t("change the language of the document"),
            "number_format": words.t("change the number format of the document"),
            "paper": words.t("change the paper"),
            "notes": words.t("change the notes"),
        }


def _columns(words: Wording) -> tuple[Column[VocabularyRow], ...]:
    return (
        Column(words.t("Purchasing says"), lambda row: row.purchasing, tooltip=lambda row: row.purchasing),
        Column(
            words.t("The application says"), lambda row: row.application, tooltip=lambda row: row.application
        ),
        Column(words.t("In this quote"), lambda row: row.here, tooltip=lambda row: row.here),
    )


def _ticked(texts: tuple[str, ...]) -> str:
    """Return one line a text, each with an empty tick box to sign."""
    return "\n".join(f"☐ {text}" for text in texts)
