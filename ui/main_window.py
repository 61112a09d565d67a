"""The window: menus, answer strip, steps, one page at a time, problems, status bar. It only places panels.

Pages are built when they are first shown, so that the window paints before their libraries are imported. A change
of language builds the panels anew around the same session.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from estimator.problems import FileRefused, Place
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from estimator.wording.phrases import organisation_name, quote_name
from ui import presenting
from ui.actions import Actions, Commands
from ui.dialogs import Dialogs
from ui.files import EXPORT, SAMPLES, Files, with_suffix
from ui.own_catalogue import OwnCatalogue
from ui.pages.page import Context, Page
from ui.pages.start import StartPage
from ui.runner import Runner
from ui.session import WORK_KEYS, Session
from ui.settings import Settings
from ui.status_bar import StatusBar
from ui.theme import Theme
from ui.widgets.answer_strip import AnswerStrip
from ui.widgets.error_notice import ErrorNotice
from ui.widgets.explanation import Explanation
from ui.widgets.problems_panel import ProblemsPanel
from ui.widgets.steps import StepsList
from ui.window_edits import add_organisation, add_stage, blank_quote, choose_organisation

PAGES = (
    ("ui.pages.work", "WorkPage"),
    ("ui.pages.organisations", "OrganisationsPage"),
    ("ui.pages.memory", "MemoryPage"),
    ("ui.pages.cards", "CardsPage"),
    ("ui.pages.schedule", "SchedulePage"),
    ("ui.pages.cost", "CostPage"),
    ("ui.pages.conditions", "ConditionsPage"),
    ("ui.pages.quote_page", "QuotePage"),
)
RAIL_BELOW = 1280
SMALLEST = (1180, 680)
STALE_AFTER_MS = 150


@dataclass(frozen=True, slots=True)
class Parts:
    """The collaborators of a window."""

    session: Session
    runner: Runner
    settings: Settings
    theme: Theme
    catalogue: OwnCatalogue
    today: Callable[[], dt.date]


class MainWindow(QMainWindow):
    """One document in one window."""

    def __init__(self, parts: Parts, words: Wording, dialogs: Dialogs | None = None) -> None:
        super().__init__()
        self.parts = parts
        self.words = words
        self.session = parts.session
        self.files = Files(
            parts.session,
            parts.runner,
            parts.settings,
            parts.catalogue,
            dialogs or Dialogs(words, self),
            parts.today,
            self._gantt_picture,
        )
        self.pages: dict[int, Page] = {}
        self.current = 0
        self.setMinimumSize(*SMALLEST)
        self.resize(1366, 768)
        self.setAcceptDrops(True)
        self._stale_timer = QTimer(self)
        self._stale_timer.setSingleShot(True)
        self._stale_timer.setInterval(STALE_AFTER_MS)
        self._stale_timer.timeout.connect(self._show_frame)
        self._build()
        self.session.changed.connect(self._quote_changed)
        self.session.estimated.connect(self._estimate_arrived)
        self.session.saved.connect(self._show_title)
        self.files.said.connect(self.say)
        self.files.opened.connect(self._opened)

    # What a person or a test asks of the window

    def show_page(self, number: int, *, focus: bool = True) -> None:
        """Show a page (0 to 7)."""
        if self.session.quote is None:
            return
        self._commit_open_field()
        self.current = number
        page = self._page(number)
        self._stack.setCurrentWidget(page)
        self.steps.set_current(number)
        self.parts.settings.last_page = number
        self._show_page_state(page)
        if focus:
            page.focus_first()

    def go_to(self, place: Place) -> None:
        """Show the page that owns a place and give focus to its field."""
        for number in presenting.page_of(place):
            self.show_page(number, focus=False)
            if self._page(number).go_to(place):
                return
        self.show_page(presenting.page_of(place)[0])

    def say(self, sentence: str) -> None:
        """Tell something in the status bar."""
        self.status.say(sentence)

    def set_words(self, words: Wording) -> None:
        """Show everything in another language or number format; the document and its history stay."""
        self._commit_open_field()
        self.words = words
        self.files.dialogs.words = words
        self._build()
        self._show_all()

    # Building

    def _build(self) -> None:
        words, theme = self.words, self.parts.theme
        self.pages = {}
        self.actions_ = Actions(self, words, self._commands(), presenting.step_names(words))
        self.strip = AnswerStrip(words, theme)
        self.steps = StepsList(words, theme)
        self.problems = ProblemsPanel(words, theme)
        self.notice = ErrorNotice(words, theme)
        self.explanation = Explanation(words, theme, self)
        self._stack = QStackedWidget()
        self._below = QSplitter(Qt.Orientation.Vertical)
        self._below.addWidget(self._stack)
        self._below.addWidget(self.problems)
        self._below.setStretchFactor(0, 1)
        self._below.setCollapsible(0, False)
        self.problems.hide()
        self.problems.setMaximumHeight(240)
        self._document = QWidget()
        body = QHBoxLayout()
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addWidget(self.steps)
        body.addWidget(self._below, 1)
        column = QVBoxLayout(self._document)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.notice)
        column.addLayout(body, 1)
        self._views = QStackedWidget()
        self._start = self._start_page()
        self._views.addWidget(self._start)
        self._views.addWidget(self._document)
        self.setCentralWidget(self._views)
        self.status = StatusBar(
            self.statusBar(), words, self.parts.runner, self._toggle_problems, self._open_settings
        )
        self.status.cancelled.connect(self._cancel_work)
        self.strip.organisation_chosen.connect(
            lambda organisation: choose_organisation(self.session, self.words, organisation)
        )
        self.strip.explain.connect(self._explain)
        self.strip.jump.connect(self.go_to)
        self.steps.chosen.connect(self.show_page)
        self.problems.jump.connect(self.go_to)
        self.problems.closed.connect(self.problems.hide)
        self.explanation.jump.connect(self.go_to)
        self._show_all()

    def _start_page(self) -> StartPage:
        from ui.pages.new_quote import quote_from
        from ui.start_cards import recent_files, sample_cards

        page = StartPage(
            self.words,
            self.parts.theme,
            sample_cards(self.words, SAMPLES),
            recent_files(self.words, self.parts.settings.recent_files),
        )
        page.created.connect(lambda answers: self.files.new(quote_from(answers, self.words)))
        page.started_blank.connect(lambda: self.files.new(blank_quote(self.words)))
        page.sample_opened.connect(self.files.open_sample)
        page.file_opened.connect(self.files.open)
        page.open_asked.connect(lambda: self.files.open())
        page.recent_forgotten.connect(self.parts.settings.forget_file)
        page.recent_forgotten.connect(
            lambda _: page.show_recent(recent_files(self.words, self.parts.settings.recent_files))
        )
        return page

    def _commands(self) -> Commands:
        return Commands(
            new=self._new,
            open=lambda: self.files.open(),
            save=self._save,
            save_as=self._save_as,
            close=self._close_document,
            quit=self.close,
            undo=self._undo,
            redo=self._redo,
            excel=self._export_excel,
            json=lambda: self._after_commit(self.files.export_json),
            add_organisation=self._add_organisation,
            add_stage=self._add_stage,
            page=self.show_page,
            next_page=self._next_page,
            next_part=self._next_part,
            problems=self._toggle_problems,
            next_problem=self._next_problem,
            explain=lambda cell: self._explain(cell, self.strip.cells[cell]),
            table=self._toggle_table,
            settings=self._open_settings,
            import_prices=self._import_prices,
            export_catalogue=self.files.export_catalogue,
            refresh_prices=self.files.refresh_prices,
            help=self._help,
            about=self._about,
            open_recent=self.files.open,
            recent=lambda: self.parts.settings.recent_files,
        )

    def _page(self, number: int) -> Page:
        if number not in self.pages:
            module, name = PAGES[number]
            context = Context(self.session, self.words, self.parts.theme, self.parts.catalogue.merged)
            page: Page = getattr(import_module(module), name)(context)
            page.step.connect(self._next_page)
            page.asked.connect(self.go_to)
            page.explained.connect(self.explanation.show_explanation)
            self._connect_extras(page)
            self.pages[number] = page
            self._stack.addWidget(page)
        return self.pages[number]

    def _connect_extras(self, page: Page) -> None:
        """Connect what some pages ask of the window: file actions."""
        wanted: dict[str, Callable[..., object]] = {
            "excel_asked": self._export_excel,
            "json_asked": lambda: self._after_commit(self.files.export_json),
            "save_asked": self._save,
            "import_asked": self._import_prices,
            "refresh_asked": self.files.refresh_prices,
            "picture_asked": self._save_picture,
        }
        for name, do in wanted.items():
            signal = getattr(page, name, None)
            if signal is not None:
                signal.connect(do)

    # Showing

    def _show_all(self) -> None:
        has_quote = self.session.quote is not None
        self._views.setCurrentWidget(self._document if has_quote else self._start)
        self._show_frame()
        self._show_title()
        if has_quote:
            self.show_page(self.current, focus=False)
        else:
            self._start.focus_first()
        self.resize_parts()

    def _show_frame(self) -> None:
        """Show strip, steps, problems and status; the page is shown by itself."""
        quote, estimate = self.session.quote, self.session.estimate
        words = self.words
        if quote is not None:
            stale = self.session.is_stale
            reference = quote.reference
            shown = None if estimate is None else estimate.shown_organisation_id
            against = ""
            if reference is not None and shown not in (None, reference.id):
                against = organisation_name(reference)
            self.strip.show_quote(
                quote_name(words, quote),
                presenting.organisation_choices(words, quote, estimate),
                shown,
                against,
            )
            self.strip.show_headline(presenting.headline_cells(words, estimate, stale))
            self.steps.show_steps(presenting.steps(words, quote, estimate))
            self.problems.show_problems(presenting.problem_rows(words, quote, estimate))
            self.status.show_document(presenting.problem_counts(words, estimate), stale)
        else:
            self.status.show_start()
        self.status.show_formats("" if quote is None else quote.pricing.currency)
        self.actions_.show_state(
            has_quote=quote is not None, undo=self.session.undo_label, redo=self.session.redo_label
        )

    def _show_title(self) -> None:
        quote, path = self.session.quote, self.session.path
        if quote is None:
            self.setWindowTitle("Cabida")
            return
        name = path.name if path is not None else quote_name(self.words, quote)
        mark = " *" if self.session.is_modified else ""
        self.setWindowTitle(f"{name}{mark} — Cabida")
        self.status.show_saved(self.session.is_modified)

    def _show_page_state(self, page: Page) -> None:
        quote = self.session.quote
        if quote is not None:
            page.show_state(quote, self.session.estimate, self.session.is_stale)

    def _quote_changed(self) -> None:
        if self.session.quote is None:
            self._build()
            return
        self._show_title()
        self.actions_.show_state(has_quote=True, undo=self.session.undo_label, redo=self.session.redo_label)
        self._stale_timer.start()
        self._show_page_state(self._page(self.current))

    def _estimate_arrived(self) -> None:
        self._stale_timer.stop()
        self._show_frame()
        self._show_page_state(self._page(self.current))

    def _opened(self) -> None:
        self.current = 0
        self._show_all()
        self.show_page(0)

    def resize_parts(self) -> None:
        """Fold the steps to a rail where the window is narrow."""
        self.steps.set_rail(self.width() < RAIL_BELOW)

    # Actions

    def _new(self) -> None:
        self._close_document()

    def _close_document(self) -> None:
        self._commit_open_field()
        if self.session.quote is not None and self.files.may_leave():
            self.session.close()

    def _save(self) -> bool:
        self._commit_open_field()
        return self.files.save()

    def _save_as(self) -> bool:
        self._commit_open_field()
        return self.files.save_as()

    def _undo(self) -> None:
        self._commit_open_field()
        self.session.undo()

    def _redo(self) -> None:
        self._commit_open_field()
        self.session.redo()

    def _export_excel(self) -> None:
        self._after_commit(self.files.export_workbook)

    def _after_commit(self, do: Callable[[], object]) -> None:
        """Commit the open field and do something once the answer belongs to the quote as it stands."""
        self._commit_open_field()
        if not self.session.is_stale or self.session.quote is None:
            do()
            return

        def once() -> None:
            if not self.session.is_stale:
                self.session.estimated.disconnect(once)
                do()

        self.session.estimated.connect(once)

    def _import_prices(self) -> None:
        self._commit_open_field()
        if self.files.import_prices() and self.session.quote is not None:
            self._show_page_state(self._page(self.current))

    def _save_picture(self, kind: str) -> None:
        from ui.pages.schedule_picture import save_gantt_picture

        estimate = self.session.estimate
        kinds = self.words.t("Pictures (*.{kind})", kind=kind)
        path = self.files.dialogs.save_file(f"gantt.{kind}", kinds)
        if path is None or estimate is None:
            return
        try:
            save_gantt_picture(estimate, self.words, self.font(), with_suffix(path, f".{kind}"))
        except FileRefused as refusal:
            self.say(self.words.refused(refusal))
            return
        self.say(self.words.t("Written: {name}", name=path.name))

    def _gantt_picture(self, estimate: Estimate) -> bytes | None:
        from ui.pages.schedule_picture import gantt_picture

        return gantt_picture(estimate, self.words, self.font())

    def _add_organisation(self) -> None:
        self._commit_open_field()
        add_organisation(self.session, self.words)
        self.show_page(1)

    def _add_stage(self) -> None:
        self._commit_open_field()
        add_stage(self.session, self.words)
        self.show_page(0)

    def _explain(self, cell: int, anchor: object) -> None:
        estimate = self.session.estimate
        if estimate is not None and isinstance(anchor, QWidget):
            content = presenting.explanation_content(self.words, estimate, cell)
            self.explanation.show_explanation(anchor, content)

    def _next_page(self, step: int) -> None:
        self.show_page(max(0, min(len(PAGES) - 1, self.current + step)))

    def _next_part(self, step: int) -> None:
        """Give focus to the next part: strip, steps, page, problems."""
        if self.session.quote is None:
            self._start.focus_first()
            return
        page = self._page(self.current)
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

    def _toggle_problems(self) -> None:
        if self.session.quote is not None:
            self.problems.setVisible(not self.problems.isVisible())

    def _next_problem(self, step: int) -> None:
        self._commit_open_field()
        if self.problems.rows:
            self.problems.show()
        self.problems.go_to_next(step)

    def _toggle_table(self) -> None:
        toggle = getattr(self._page(self.current), "toggle_table", None)
        if toggle is not None:
            toggle()

    def _open_settings(self) -> None:
        from ui.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self.parts.settings, self.words, self)
        dialog.changed.connect(self.apply_settings)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def apply_settings(self) -> None:
        """Show what the settings say: colours and density at once, language and numbers by building anew."""
        settings = self.parts.settings
        self.parts.theme.set_scheme(settings.scheme)
        self.parts.theme.set_density(settings.density)
        wanted = Wording(settings.language, settings.number_format)
        if wanted != self.words:
            self.set_words(wanted)

    def _help(self) -> None:
        from ui.help import HelpWindow

        window = HelpWindow(self.words, self.parts.theme, self)
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        window.show()

    def _about(self) -> None:
        from ui.help import about_text

        self.say(about_text(self.words))

    def _cancel_work(self) -> None:
        for key in (EXPORT, *WORK_KEYS):
            self.parts.runner.cancel(key)

    # Qt

    def _commit_open_field(self) -> None:
        """Let the field that is being edited hand over its text before anything else happens."""
        focus = QApplication.focusWidget()
        commit = getattr(focus, "commit", None)
        if commit is not None:
            commit()
        elif focus is not None and focus is not self:
            focus.clearFocus()
            focus.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resize_parts()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._commit_open_field()
        if not self.files.may_leave():
            event.ignore()
            return
        self.session.drop_recovery_copy()
        self.parts.runner.close()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = next((Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()), None)
        if path is None:
            return
        event.acceptProposedAction()
        if path.suffix.lower() in (".csv", ".tsv", ".xlsx"):
            self.files.import_prices(path)
        else:
            self.files.open(path)
