"""The open document in the window: answer strip, steps, one page at a time, problems. It only places panels.

Pages are built when they are first shown. Menus, files and the status bar are the window's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from estimator.catalogue import Catalogue
from estimator.problems import Place
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name, quote_name
from ui import presenting
from ui.page_list import PAGES
from ui.pages.page import Context, Page
from ui.session import Session
from ui.theme import Theme
from ui.widgets.answer_strip import AnswerStrip
from ui.widgets.explanation import Explanation
from ui.widgets.problems_panel import ProblemsPanel
from ui.widgets.steps import StepsList
from ui.window_edits import choose_organisation

MOST_PROBLEMS_HEIGHT = 240
IMPORT_EVERY_MS = 50
_CHARTS = "pyqtgraph"


class DocumentView(QWidget):
    """Shows the session's quote. `turning`: another page is about to be shown; `shown`: it is, 0 to 7.

    `file_actions` are what some pages ask of the window, by the name of their signal.
    """

    turning = Signal()
    shown = Signal(int)

    def __init__(
        self,
        session: Session,
        words: Wording,
        theme: Theme,
        catalogue: Callable[[], Catalogue],
        file_actions: Mapping[str, Callable[..., object]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._words = words
        self._theme = theme
        self._catalogue = catalogue
        self._file_actions = file_actions
        self.pages: dict[int, Page] = {}
        self.current = 0
        self.strip = AnswerStrip(words, theme)
        self.steps = StepsList(words, theme)
        self.problems = ProblemsPanel(words, theme)
        self.explanation = Explanation(words, theme, self)
        self._stack = QStackedWidget()
        self._lay_out()
        self.strip.organisation_chosen.connect(
            lambda organisation: choose_organisation(session, words, organisation)
        )
        self.strip.explain.connect(self.explain)
        self.steps.chosen.connect(self.show_page)
        self.problems.closed.connect(self.problems.hide)
        for part in (self.strip, self.problems, self.explanation):
            part.jump.connect(self.go_to)
        self._to_import = [PAGES[0][0], _CHARTS, *(module for module, _ in PAGES[1:])]
        self._import_timer = QTimer(self)
        self._import_timer.setInterval(IMPORT_EVERY_MS)
        self._import_timer.timeout.connect(self._import_next)
        self._import_timer.start()

    def show_page(self, number: int, *, focus: bool = True) -> None:
        """Show a page (0 to 7)."""
        if self._session.quote is None:
            return
        self.turning.emit()
        self.current = number
        page = self.page(number)
        self._stack.setCurrentWidget(page)
        self.steps.set_current(number)
        self.show_page_state()
        if focus:
            page.focus_first()
        self.shown.emit(number)

    def turn(self, step: int) -> None:
        """Show the next page, or the one before with -1; the ends stay."""
        self.show_page(max(0, min(len(PAGES) - 1, self.current + step)))

    def page(self, number: int) -> Page:
        """Return a page, built at the first asking."""
        if number not in self.pages:
            module, name = PAGES[number]
            context = Context(self._session, self._words, self._theme, self._catalogue)
            page: Page = getattr(import_module(module), name)(context)
            page.step.connect(self.turn)
            page.asked.connect(self.go_to)
            page.explained.connect(self.explanation.show_explanation)
            for wanted, do in self._file_actions.items():
                signal = getattr(page, wanted, None)
                if signal is not None:
                    signal.connect(do)
            self.pages[number] = page
            self._stack.addWidget(page)
        return self.pages[number]

    def go_to(self, place: Place) -> None:
        """Show the page that owns a place and give focus to its field."""
        for number in presenting.page_of(place):
            self.show_page(number, focus=False)
            if self.page(number).go_to(place):
                return
        self.show_page(presenting.page_of(place)[0])

    def show_frame(self) -> None:
        """Show strip, steps and problems; the page is shown by itself."""
        quote, estimate, words = self._session.quote, self._session.estimate, self._words
        if quote is None:
            return
        reference = quote.reference
        shown = None if estimate is None else estimate.shown_organisation_id
        against = ""
        if reference is not None and shown not in (None, reference.id):
            against = organisation_name(reference)
        self.strip.show_quote(
            quote_name(words, quote), presenting.organisation_choices(words, quote, estimate), shown, against
        )
        self.strip.show_headline(presenting.headline_cells(words, estimate, self._session.is_stale))
        self.steps.show_steps(presenting.steps(words, quote, estimate))
        self.problems.show_problems(presenting.problem_rows(words, quote, estimate))

    def problem_counts(self) -> str:
        """Return the count of problems for the status bar."""
        return presenting.problem_counts(self._words, self._session.estimate)

    def show_page_state(self) -> None:
        """Show the quote and its estimate on the current page."""
        quote = self._session.quote
        if quote is not None:
            self.page(self.current).show_state(quote, self._session.estimate, self._session.is_stale)

    def explain(self, cell: int, anchor: object = None) -> None:
        """Open the explanation of a cell of the strip (0 to 4) under it."""
        estimate = self._session.estimate
        under = anchor if isinstance(anchor, QWidget) else self.strip.cells[cell]
        if estimate is not None:
            content = presenting.explanation_content(self._words, estimate, cell)
            self.explanation.show_explanation(under, content)

    def next_part(self, step: int) -> None:
        """Give focus to the next part: strip, steps, page, problems."""
        page = self.page(self.current)
        parts: list[QWidget] = [self.strip, self.steps, page]
        if self.problems.isVisible():
            parts.append(self.problems)
        focus = QApplication.focusWidget()
        here = next(
            (i for i, one in enumerate(parts) if focus and (one is focus or one.isAncestorOf(focus))), 2
        )
        following = parts[(here + step) % len(parts)]
        if following is page:
            page.focus_first()
        elif following is self.strip:
            self.strip.focus_first()
        else:
            following.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_problems(self) -> None:
        """Show or hide the problems."""
        self.problems.setVisible(not self.problems.isVisible())

    def next_problem(self, step: int) -> None:
        """Go to the field of the next problem, or of the one before with -1."""
        if self.problems.rows:
            self.problems.show()
        self.problems.go_to_next(step)

    def toggle_table(self) -> None:
        """Swap chart and table where the page has both."""
        toggle = getattr(self.page(self.current), "toggle_table", None)
        if toggle is not None:
            toggle()

    def _import_next(self) -> None:
        """Import a part of what the pages need while nothing happens, so that the first look at one is quick."""
        estimate = self._session.estimate
        if self._session.quote is not None and (estimate is None or not estimate.is_assessed):
            return  # beside work in the background even this would be felt
        module = self._to_import.pop(0)
        import_module(module)
        if module == PAGES[0][0] and self._session.quote is None:
            self.page(0)  # every quote opens on it
        if not self._to_import:
            self._import_timer.stop()

    def _lay_out(self) -> None:
        below = QSplitter(Qt.Orientation.Vertical)
        below.addWidget(self._stack)
        below.addWidget(self.problems)
        below.setStretchFactor(0, 1)
        below.setCollapsible(0, False)
        self.problems.hide()
        self.problems.setMaximumHeight(MOST_PROBLEMS_HEIGHT)
        body = QHBoxLayout()
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addWidget(self.steps)
        body.addWidget(below, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addLayout(body, 1)
