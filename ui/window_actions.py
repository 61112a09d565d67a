"""What the menus, the pages' buttons and the status bar ask of the window, one method each.

A field that is being edited hands over its text before anything else happens.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from estimator.problems import FileRefused
from ui.actions import Commands

if TYPE_CHECKING:
    from estimator.results.estimate import Estimate
    from ui.main_window import MainWindow
    from ui.pages.new_quote import FirstAnswers
    from ui.pages.schedule_chart import ChartRequest
    from ui.pages.schedule_gantt import Chart
    from ui.tour import Tour

_MEMORY_PAGE, _SCHEDULE_PAGE = 2, 4


class WindowActions:
    """The actions of one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._tour: Tour | None = None

    def commands(self) -> Commands:
        """Return what the menus call."""
        return Commands(
            new=self.close_document,
            open=self.open,
            save=self.save,
            save_as=self.save_as,
            close=self.close_document,
            quit=self._window.close,
            undo=self.undo,
            redo=self.redo,
            excel=self.export_excel,
            pdf=self.export_pdf,
            paper=self.print_quote,
            csv=self.export_csv,
            markdown=self.export_markdown,
            request=self.export_request,
            json=self.export_json,
            take_back=self.take_back,
            add_organisation=self.add_organisation,
            add_stage=self.add_stage,
            page=self._window.show_page,
            next_page=lambda step: self._window.document.turn(step),
            next_part=self.next_part,
            problems=self.toggle_problems,
            next_problem=self.next_problem,
            explain=lambda cell: self._window.document.explain(cell),
            table=lambda: self._window.document.toggle_table(),
            find=self.find,
            prove=self.prove,
            settings=self.open_settings,
            import_work=self.import_work,
            paste_work=self.paste_work,
            import_prices=self.import_prices,
            export_catalogue=lambda: self._window.files.export_catalogue(),
            keep_offers=self.keep_offers,
            add_card=self.add_card,
            refresh_prices=lambda: self._window.files.refresh_prices(),
            help=self.help,
            tour=self.start_tour,
            about=self.about,
            open_recent=self.open,
            recent=lambda: self._window.parts.settings.recent_files,
        )

    def create(self, answers: FirstAnswers) -> None:
        """Show the first quote that the three answers make."""
        from ui.pages.new_quote import quote_from

        self._window.files.new(quote_from(answers, self._window.words))

    def start_blank(self) -> None:
        """Show a quote in which nothing is stated yet."""
        from ui.window_edits import blank_quote

        self._window.files.new(blank_quote(self._window.words))

    def open(self, path: Path | None = None) -> bool:
        """Open a file, asking for one where none is named; return whether it is shown."""
        self.commit_open_field()
        return self._window.files.open(path)

    def close_document(self) -> None:
        """Go back to the start page, once unsaved changes are dealt with."""
        self.commit_open_field()
        if self._window.has_quote and self._window.files.may_leave():
            self._window.session.close()

    def save(self) -> bool:
        """Save to the file of the quote, or ask for one; return whether it is saved."""
        self.commit_open_field()
        return self._window.files.save()

    def save_as(self) -> bool:
        """Ask for a file and save to it; return whether it is saved."""
        self.commit_open_field()
        return self._window.files.save_as()

    def undo(self) -> None:
        """Take back the last edit."""
        self.commit_open_field()
        self._window.session.undo()

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.commit_open_field()
        self._window.session.redo()

    def export_excel(self) -> None:
        """Write the workbook."""
        self.after_commit(self._window.exports.workbook)

    def export_pdf(self) -> None:
        """Write the printed quote as a PDF file."""
        self.after_commit(self._window.exports.pdf)

    def print_quote(self) -> None:
        """Print the quote."""
        self.after_commit(self._window.exports.on_paper)

    def export_csv(self) -> None:
        """Write one table as CSV."""
        self.after_commit(self._window.exports.ask_csv)

    def export_markdown(self) -> None:
        """Write the printed quote as text."""
        self.after_commit(self._window.exports.markdown)

    def export_request(self, scheduler: str) -> None:
        """Write the capacity request for a cluster's scheduler: slurm, kubernetes or ray."""
        from estimator.exports.requests import Scheduler

        self.after_commit(lambda: self._window.exports.request(Scheduler(scheduler)))

    def import_work(self) -> None:
        """Read a task list or a project plan into the quote, after a preview."""
        self.commit_open_field()
        self._window.files.import_work()

    def paste_work(self) -> None:
        """Read the table on the clipboard as a task list, after a preview."""
        self.commit_open_field()
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._window.files.import_work(text=text)
        else:
            self._window.say(self._window.words.t("There is no table on the clipboard."))

    def keep_offers(self) -> None:
        """Keep the quote's own offers in the planner's catalogue."""
        self.commit_open_field()
        self._window.files.keep_own_offers()

    def add_card(self) -> None:
        """Ask for a card of the planner's own and keep it in the planner's catalogue."""
        from ui.own_card_dialog import OwnCardDialog

        window = self._window
        taken = [card.id for card in window.files.catalogue.merged().cards]
        dialog = OwnCardDialog(window.words, window.parts.theme, taken, window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.made.connect(window.files.keep_card)
        dialog.open()

    def export_json(self) -> None:
        """Write the JSON for programs."""
        self.after_commit(self._window.exports.json)

    def take_back(self) -> None:
        """Take back the input cells of an exported workbook that somebody changed."""
        self.after_commit(self._window.exports.take_back)

    def after_commit(self, do: Callable[[], object]) -> None:
        """Commit the open field and do something once the answer belongs to the quote as it stands."""
        self.commit_open_field()
        session = self._window.session
        if not session.is_stale or session.quote is None:
            do()
            return

        def once() -> None:
            if not session.is_stale:
                session.estimated.disconnect(once)
                do()

        session.estimated.connect(once)
        if session.is_cancelled:
            session.estimate_again()

    def import_prices(self) -> None:
        """Read prices into the own catalogue."""
        self.commit_open_field()
        self._window.files.import_prices()

    def read_config(self) -> None:
        """Ask for a model's config.json and hand it to the page on memory."""
        self.commit_open_field()
        path = self._window.files.dialogs.open_config(self._window.files.folder)
        page = self._window.document.page(_MEMORY_PAGE)
        read = getattr(page, "read_config", None)
        if path is not None and read is not None:
            read(path)

    def save_picture(self, kind: str) -> None:
        """Save the Gantt chart as a picture of that kind, folded and marked as the page shows it."""
        from ui.files import with_suffix
        from ui.pages.schedule_chart import chart_for, chart_work
        from ui.pages.schedule_picture import PictureOptions, picture_request

        estimate = self._window.session.estimate
        kinds = self._window.words.t("Pictures (*.{kind})", kind=kind)
        path = self._window.files.dialogs.save_file(f"gantt.{kind}", kinds)
        if path is None or estimate is None:
            return
        options_of = getattr(self._window.document.page(_SCHEDULE_PAGE), "picture_options", PictureOptions)
        options = options_of()
        request = picture_request(estimate, self._window.words, options)
        target = with_suffix(path, f".{kind}")
        if request.is_quick:
            chart = chart_for(request, lambda _share: None, lambda: False)
            self._write_picture(chart, request, target, options.folded)
        else:
            self._window.session.work(
                "picture",
                chart_work,
                request,
                on_done=lambda chart: self._write_picture(chart, request, target, options.folded),
            )

    def _write_picture(
        self, chart: Chart | None, request: ChartRequest, path: Path, closed: frozenset[str]
    ) -> None:
        from ui.pages.schedule_picture import save_gantt_picture

        try:
            save_gantt_picture(chart, request, self._window.font(), path, closed)
        except FileRefused as refusal:
            self._window.say(self._window.words.refused(refusal))
            return
        self._window.say(self._window.words.t("Written: {name}", name=path.name))

    def gantt_picture(self, estimate: Estimate) -> bytes | None:
        """Return the chart that goes into the workbook."""
        from ui.pages.schedule_picture import gantt_picture

        return gantt_picture(estimate, self._window.words, self._window.font())

    def add_organisation(self) -> None:
        """Add an organisation and show their page."""
        from ui.window_edits import add_organisation

        self.commit_open_field()
        add_organisation(self._window.session, self._window.words)
        self._window.show_page(1)

    def add_stage(self) -> None:
        """Add a stage and show its page."""
        from ui.window_edits import add_stage

        self.commit_open_field()
        add_stage(self._window.session, self._window.words)
        self._window.show_page(0)

    def next_part(self, step: int) -> None:
        """Give focus to the next part of the window (F6); the balloon of a tour comes after the page."""
        if self._tour is not None and self._tour.take_part(step):
            return
        if self._window.has_quote:
            self._window.document.next_part(step)
        else:
            self._window.start.focus_first()

    def find(self, step: int) -> None:
        """Open the find line of the focused table or the page's first (Ctrl+F), or go on with it (F3, Shift+F3)."""
        page = self._window.document.page(self._window.current)
        focus_search = getattr(page, "focus_search", None)
        if focus_search is not None:
            focus_search()  # a page with a search of its own shows only what it finds
            return
        from ui.models.table_view import TableView

        table: QWidget | None = QApplication.focusWidget()
        while table is not None and not isinstance(table, TableView):
            table = table.parentWidget()
        if table is None or not page.isAncestorOf(table):
            shown = (one for one in page.findChildren(TableView) if one.isVisible())
            table = next(shown, None)
        self.commit_open_field()
        if table is None:
            self._window.say(self._window.words.t("This page shows no table to look in."))
        else:
            table.find_text(step)

    def prove(self) -> None:
        """Show the schedule and prove its plan, or find a better one."""

        def start() -> None:
            if self._window.current != _SCHEDULE_PAGE:
                self._window.show_page(_SCHEDULE_PAGE)
            prove = getattr(self._window.document.page(_SCHEDULE_PAGE), "prove", None)
            if prove is not None:
                prove()

        self.after_commit(start)

    def toggle_problems(self) -> None:
        """Show or hide the problems."""
        if self._window.has_quote:
            self._window.document.toggle_problems()

    def next_problem(self, step: int) -> None:
        """Go to the field of the next problem (F8)."""
        self.commit_open_field()
        self._window.document.next_problem(step)

    def open_settings(self) -> None:
        """Show the settings; what is chosen holds at once."""
        from ui.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self._window.parts.settings, self._window.words, self._window)
        dialog.changed.connect(self._window.apply_settings)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def help(self) -> None:
        """Show the first steps and the keys."""
        from ui.help import HelpWindow

        window = HelpWindow(self._window.words, self._window.parts.theme, self._window)
        window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        window.show()

    def start_tour(self) -> None:
        """Show the first balloon of the tour."""
        from ui.tour import Tour

        self.commit_open_field()
        self.end_tour()
        self._tour = Tour(self._window)
        self._tour.start()

    def end_tour(self) -> None:
        """Take the tour away, where one runs: what it points at is about to go."""
        if self._tour is not None:
            self._tour.leave()
            self._tour.deleteLater()
            self._tour = None

    def about(self) -> None:
        """Tell the name and version."""
        from ui.help import about_text

        self._window.say(about_text(self._window.words))

    def cancel_work(self) -> None:
        """Stop what runs. The former answer stays, marked as belonging to the quote before the last change."""
        runner = self._window.parts.runner
        self._window.session.proof.cancel()
        if not runner.is_running():
            return  # it was a proof: its page says so
        self._window.exports.cancel()
        self._window.session.cancel()
        self._window.show_frame()
        self._window.say(self._window.words.t("Cancelled. Any change computes the answer again."))

    def commit_open_field(self) -> None:
        """Let the field that is being edited hand over its text before anything else happens."""
        focus = QApplication.focusWidget()
        commit = getattr(focus, "commit", None)
        if commit is not None:
            commit()
        elif focus is not None and focus is not self._window:
            focus.clearFocus()
            focus.setFocus()
