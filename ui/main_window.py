"""The window: menus, start page or document, notice, status bar. It only places panels and calls the files.

It paints before the libraries of a document are imported: until `load` there are menus and the start page alone.
A change of language builds the panels anew around the same session.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, QTranslator, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from estimator.problems import Place
from estimator.wording import Wording
from ui.actions import Actions
from ui.page_list import PAGES as PAGES
from ui.page_list import page_names
from ui.pages.start import StartPage
from ui.qt_texts import speak
from ui.runner import Runner
from ui.settings import Settings
from ui.start_cards import SAMPLES, recent_files, sample_cards
from ui.status_bar import StatusBar
from ui.theme import Theme
from ui.widgets.error_notice import ErrorNotice
from ui.window_actions import WindowActions

if TYPE_CHECKING:
    from ui.document_view import DocumentView
    from ui.exporting import Exports
    from ui.files import Files
    from ui.own_catalogue import OwnCatalogue
    from ui.pages.page import Page
    from ui.session import Session
    from ui.widgets.answer_strip import AnswerStrip
    from ui.widgets.explanation import Explanation
    from ui.widgets.problems_panel import ProblemsPanel
    from ui.widgets.steps import StepsList

RAIL_BELOW = 1280
SMALLEST = (1180, 680)
STALE_AFTER_MS = 150
_TABLES = (".csv", ".tsv", ".xlsx")


@dataclass(frozen=True, slots=True)
class Parts:
    """The collaborators of a window. `folder` holds recovery copies and the planner's own catalogue."""

    runner: Runner
    settings: Settings
    theme: Theme
    folder: Path
    today: Callable[[], dt.date]
    translator: QTranslator
    """What Qt's own texts are said with."""


class MainWindow(QMainWindow):
    """One document in one window. `painted`: the first picture is on the screen."""

    painted = Signal()

    def __init__(self, parts: Parts, words: Wording) -> None:
        super().__init__()
        self.parts = parts
        self.words = words
        self._is_painted = False
        self._session: Session | None = None
        self._files: Files | None = None
        self._exports: Exports | None = None
        self._catalogue: OwnCatalogue | None = None
        self._document: DocumentView | None = None
        room = self.screen().availableGeometry()
        # Where scaling leaves less than the smallest window, it takes the screen and pages scroll both ways.
        self.setMinimumSize(min(SMALLEST[0], room.width()), min(SMALLEST[1], room.height()))
        self.resize(min(1366, room.width()), min(768, room.height()))
        self.setAcceptDrops(True)
        self._stale_timer = QTimer(self)
        self._stale_timer.setSingleShot(True)
        self._stale_timer.setInterval(STALE_AFTER_MS)
        self._stale_timer.timeout.connect(self.show_frame)
        self.do = WindowActions(self)
        self._build()

    # What a person or a test asks of the window

    def load(self) -> None:
        """Make what a document needs; the libraries for it are imported here, once."""
        if self._session is not None:
            return
        from ui.dialogs import Dialogs
        from ui.exporting import Exports
        from ui.files import Files
        from ui.own_catalogue import OwnCatalogue
        from ui.session import Session

        parts = self.parts
        self._session = Session(parts.runner, parts.today, parts.folder / "recovery", self)
        self._catalogue = OwnCatalogue(parts.folder)
        self._files = Files(
            self._session,
            parts.runner,
            parts.settings,
            self._catalogue,
            Dialogs(self.words, self, parts.theme),
            parts.today,
            self,
        )
        self._exports = Exports(
            self._session, parts.runner, self._files, parts.today, self.do.gantt_picture, self.font, self
        )
        self._build_document()
        self._session.changed.connect(self._quote_changed)
        self._session.estimated.connect(self._estimate_arrived)
        self._session.saved.connect(self._show_title)
        self._files.said.connect(self.say)
        self._exports.said.connect(self.say)
        self._files.opened.connect(self._opened)
        self._files.kept.connect(self._catalogue_changed)

    def _catalogue_changed(self) -> None:
        if self.has_quote:
            self.document.show_page_state()

    @property
    def exports(self) -> Exports:
        """What the quote is exported to."""
        self.load()
        if self._exports is None:
            raise RuntimeError("the exports are not made yet")
        return self._exports

    @property
    def session(self) -> Session:
        """The open document."""
        self.load()
        if self._session is None:
            raise RuntimeError("the window has no session")
        return self._session

    @property
    def files(self) -> Files:
        """What the window does with files."""
        self.load()
        if self._files is None:
            raise RuntimeError("the window has no files")
        return self._files

    @property
    def document(self) -> DocumentView:
        """Strip, steps, pages and problems."""
        self.load()
        if self._document is None:
            raise RuntimeError("the window has no document")
        return self._document

    @property
    def strip(self) -> AnswerStrip:
        """The answer strip."""
        return self.document.strip

    @property
    def steps(self) -> StepsList:
        """The list of pages."""
        return self.document.steps

    @property
    def problems(self) -> ProblemsPanel:
        """The panel of problems."""
        return self.document.problems

    @property
    def explanation(self) -> Explanation:
        """The popup that explains a figure."""
        return self.document.explanation

    @property
    def pages(self) -> dict[int, Page]:
        """The pages built so far, by number."""
        return self.document.pages

    @property
    def current(self) -> int:
        """The page shown, 0 to 7."""
        return self.document.current

    def show_page(self, number: int, *, focus: bool = True) -> None:
        """Show a page (0 to 7)."""
        self.document.show_page(number, focus=focus)

    def go_to(self, place: Place) -> None:
        """Show the page that owns a place and give focus to its field."""
        self.document.go_to(place)

    def say(self, sentence: str) -> None:
        """Tell something in the status bar."""
        self.status.say(sentence)

    def set_words(self, words: Wording) -> None:
        """Show everything in another language or number format; the document and its history stay."""
        self.do.commit_open_field()
        self.words = words
        speak(self.parts.translator, words.language)
        self.files.dialogs.words = words
        self._build()

    def apply_settings(self) -> None:
        """Show what the settings say: colours and density at once, language and numbers by building anew."""
        settings = self.parts.settings
        self.parts.theme.set_scheme(settings.scheme)
        self.parts.theme.set_density(settings.density)
        wanted = Wording(settings.language, settings.number_format)
        if wanted != self.words:
            self.set_words(wanted)

    # Building

    def _build(self) -> None:
        self.do.end_tour()
        words, theme = self.words, self.parts.theme
        self.actions_ = Actions(self, words, self.do.commands(), page_names(words))
        self.notice = ErrorNotice(words, theme)
        self.start = self._start_page()
        self._views = QStackedWidget()
        self._views.addWidget(self.start)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notice)
        column.addWidget(self._views, 1)
        self.setCentralWidget(central)
        former = getattr(self, "status", None)
        if isinstance(former, StatusBar):
            former.deleteLater()
        self.status = StatusBar(
            self.statusBar(), words, self.parts.runner, self.do.toggle_problems, self.do.open_settings
        )
        self.status.cancelled.connect(self.do.cancel_work)
        if self._session is None:
            self._show_all()
        else:
            self._build_document()

    def _build_document(self) -> None:
        from ui.document_view import DocumentView

        if self._catalogue is None:
            return
        page = 0 if self._document is None else self._document.current
        file_actions: dict[str, Callable[..., object]] = {
            "excel_asked": self.do.export_excel,
            "pdf_asked": self.do.export_pdf,
            "print_asked": self.do.print_quote,
            "markdown_asked": self.do.export_markdown,
            "json_asked": self.do.export_json,
            "save_asked": self.do.save,
            "logo_asked": self.files.add_logo,
            "import_asked": self.do.import_prices,
            "refresh_asked": self.files.refresh_prices,
            "picture_asked": self.do.save_picture,
            "config_asked": self.do.read_config,
        }
        self._document = DocumentView(
            self.session, self.words, self.parts.theme, self._catalogue.merged, file_actions, self._views
        )
        self._document.current = page
        self._document.turning.connect(self.do.commit_open_field)
        self._document.shown.connect(self._page_shown)
        self._views.addWidget(self._document)
        self._show_all()

    def _start_page(self) -> StartPage:
        words, settings = self.words, self.parts.settings
        page = StartPage(
            words,
            self.parts.theme,
            sample_cards(words, SAMPLES),
            recent_files(words, settings.recent_files),
        )
        page.created.connect(self.do.create)
        page.started_blank.connect(self.do.start_blank)
        page.sample_opened.connect(lambda name: self.files.open_sample(name))
        page.file_opened.connect(self.do.open)
        page.open_asked.connect(lambda: self.do.open())
        page.recent_forgotten.connect(settings.forget_file)
        page.recent_forgotten.connect(lambda _: page.show_recent(recent_files(words, settings.recent_files)))
        below = page.layout()
        if below is not None and not settings.tour_seen:
            below.addWidget(self._tour_link())
        return page

    def _tour_link(self) -> QWidget:
        link = QPushButton(self.words.t("Two-minute tour"))
        link.setObjectName("tour")
        link.setProperty("look", "link")
        link.clicked.connect(self.do.start_tour)
        foot = QWidget()
        row = QHBoxLayout(foot)
        row.setContentsMargins(24, 4, 24, 8)
        row.addStretch(1)
        row.addWidget(link)
        row.addStretch(1)
        return foot

    # Showing

    @property
    def has_quote(self) -> bool:
        """Whether a quote is open."""
        return self._session is not None and self._session.quote is not None

    def _show_all(self, *, focus: bool = False) -> None:
        self.show_frame()
        self._show_title()
        if self.has_quote:
            self._views.setCurrentWidget(self.document)
            self.show_page(self.current, focus=focus)
        else:
            self._views.setCurrentWidget(self.start)
            self.start.focus_first()
        self._fold_steps()

    def show_frame(self) -> None:
        """Show strip, steps, problems, status and menus; the page is shown by itself."""
        self._stale_timer.stop()
        quote = None if self._session is None else self._session.quote
        if quote is None or self._session is None:
            self.status.show_start()
        else:
            self.document.show_frame()
            counts = self.document.problem_counts()
            self.status.show_document(counts, self._session.is_stale, self._session.is_cancelled)
        self.status.show_formats("" if quote is None else quote.pricing.currency)
        self._show_menus()

    def _show_menus(self) -> None:
        session = self._session
        self.actions_.show_state(
            has_quote=self.has_quote,
            undo=None if session is None else session.undo_label,
            redo=None if session is None else session.redo_label,
        )

    def _show_title(self) -> None:
        if self._session is None or self._session.quote is None:
            self.setWindowTitle("Cabida")
            return
        from estimator.wording.phrases import quote_name

        path = self._session.path
        name = path.name if path is not None else quote_name(self.words, self._session.quote)
        mark = " *" if self._session.is_modified else ""
        self.setWindowTitle(f"{name}{mark} — Cabida")
        self.status.show_saved(self._session.is_modified)

    def _quote_changed(self) -> None:
        if not self.has_quote:
            self._build()
            return
        self._show_title()
        self._show_menus()
        self._stale_timer.start()
        if self._views.currentWidget() is self._document:
            self.document.show_page_state()

    def _estimate_arrived(self) -> None:
        self.show_frame()
        self.document.show_page_state()

    def _opened(self) -> None:
        self.document.current = 0
        self._show_all(focus=True)

    def _page_shown(self, number: int) -> None:
        self.parts.settings.last_page = number

    def _fold_steps(self) -> None:
        """Fold the steps to a rail where the window is narrow."""
        if self._document is not None:
            self._document.steps.set_rail(self.width() < RAIL_BELOW)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self.painted.emit)  # the children of the window paint after it

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold_steps()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.do.commit_open_field()
        if self.has_quote and not self.files.may_leave():
            event.ignore()
            return
        if self._session is not None:
            self._session.drop_recovery_copy()
            if self._session.recovery is not None:
                self._session.recovery.release()
        self.do.end_tour()
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
        if path.suffix.lower() in _TABLES:
            self.files.import_prices(path)
        else:
            self.do.open(path)
