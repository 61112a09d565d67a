"""Decisions that only the planner can take: files, unsaved changes, recovery. Buttons are verbs.

One object with plain methods, so that tests answer in its place and nothing else opens a dialog.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.wording import Wording
from ui.theme import Theme

if TYPE_CHECKING:
    from estimator.exports.csv_text import CsvFormat, CsvTable
    from estimator.imports.work import WorkList


class Choice(StrEnum):
    """What the planner decided."""

    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"
    RECOVER = "recover"
    REPLACE = "replace"
    APPLY = "apply"


class Dialogs:
    """Asks over `parent` in the window's language."""

    def __init__(self, words: Wording, parent: QWidget, theme: Theme) -> None:
        self.words = words
        self._theme = theme
        self._parent = parent

    def save_changes(self, name: str) -> Choice:
        """Ask what to do with unsaved changes."""
        words = self.words
        return self._ask(
            words.t("Save the changes to {name}?", name=name),
            words.t("Without saving they are lost."),
            ((words.t("Save"), Choice.SAVE), (words.t("Do not save"), Choice.DISCARD)),
        )

    def recover(self, when: str) -> Choice:
        """Ask whether to open the copy of a quote that was not saved; refusing once ends it."""
        words = self.words
        return self._ask(
            words.t("A quote was not saved. Its copy is of {when}.", when=when),
            words.t("Recover opens the copy as untitled; Discard deletes it."),
            ((words.t("Recover"), Choice.RECOVER), (words.t("Discard"), Choice.DISCARD)),
        )

    def replace_changed(self, name: str) -> Choice:
        """Ask whether to write over a file that somebody else changed meanwhile."""
        words = self.words
        return self._ask(
            words.t("{name} was changed on disk after you opened it.", name=name),
            words.t("Replace writes over that change. Cancel keeps it: save under another name."),
            ((words.t("Replace"), Choice.REPLACE),),
        )

    def apply_changes(self, title: str, lines: tuple[str, ...]) -> Choice:
        """Show what an action would change and ask whether to do it."""
        words = self.words
        return self._ask(title, "\n".join(lines), ((words.t("Apply"), Choice.APPLY),))

    def open_file(self, folder: str) -> Path | None:
        """Ask for a quote to open."""
        words = self.words
        kinds = words.t("Cabida quotes (*.cabida);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self._parent, words.t("Open a quote"), folder, kinds)
        return Path(name) if name else None

    def open_table(self, folder: str) -> Path | None:
        """Ask for a table of prices or another planner's catalogue."""
        words = self.words
        kinds = words.t("Prices (*.csv *.tsv *.txt *.xlsx *.json);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self._parent, words.t("Import prices"), folder, kinds)
        return Path(name) if name else None

    def open_workbook(self, folder: str) -> Path | None:
        """Ask for a workbook that was exported and changed."""
        words = self.words
        kinds = words.t("Excel workbooks (*.xlsx)")
        name, _ = QFileDialog.getOpenFileName(self._parent, words.t("Take back a workbook"), folder, kinds)
        return Path(name) if name else None

    def open_work(self, folder: str) -> Path | None:
        """Ask for a task list or a project plan."""
        words = self.words
        kinds = words.t("Task lists and plans (*.csv *.tsv *.txt *.xlsx *.xml *.gan);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self._parent, words.t("Import tasks"), folder, kinds)
        return Path(name) if name else None

    def choose_csv(self, chosen: Callable[[CsvTable, CsvFormat], object]) -> None:
        """Ask which table is written as CSV and how."""
        from ui.csv_dialog import CsvDialog

        dialog = CsvDialog(self.words, self._theme, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(chosen)
        dialog.open()

    def open_picture(self, folder: str) -> Path | None:
        """Ask for a picture."""
        kinds = self.words.t("Pictures (*.png *.jpg *.jpeg *.bmp *.svg);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self._parent, self.words.t("Choose a logo"), folder, kinds)
        return Path(name) if name else None

    def preview_work(self, work: WorkList, quote: Quote, apply: Callable[[str], object]) -> None:
        """Show what was read; `apply` gets the stage's id, or "" for a stage a row."""
        from ui.import_dialog import ImportDialog

        dialog = ImportDialog(self.words, self._theme, work, quote, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.applied.connect(apply)
        dialog.open()

    def open_config(self, folder: str) -> Path | None:
        """Ask for a model's configuration."""
        words = self.words
        kinds = words.t("Model configurations (*.json);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self._parent, words.t("Read a config.json"), folder, kinds)
        return Path(name) if name else None

    def save_file(self, suggested: str, kinds: str) -> Path | None:
        """Ask where to save; the system's dialog asks before replacing."""
        name, _ = QFileDialog.getSaveFileName(self._parent, self.words.t("Save as"), suggested, kinds)
        return Path(name) if name else None

    def print_quote(self, estimate: Estimate, words: Wording, font: QFont) -> bool:
        """Ask for a printer and print a quote in its own words; return whether it was sent there."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter

        from ui.printing import PrintedQuote, page_layout, print_quote

        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setPageLayout(page_layout(estimate.quote.paper))
        printer.setDocName(estimate.quote.number or estimate.quote.name)
        dialog = QPrintDialog(printer, self._parent)
        dialog.setWindowTitle(self.words.t("Print the quote"))
        if dialog.exec() != QPrintDialog.DialogCode.Accepted:
            return False
        print_quote(printer, printer.resolution(), PrintedQuote(estimate, words, font))
        return True

    def _ask(self, text: str, details: str, buttons: tuple[tuple[str, Choice], ...]) -> Choice:
        box = QMessageBox(self._parent)
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(text)
        box.setInformativeText(details)
        made = {}
        for number, (label, choice) in enumerate(buttons):
            role = (
                QMessageBox.ButtonRole.AcceptRole if number == 0 else QMessageBox.ButtonRole.DestructiveRole
            )
            made[box.addButton(label, role)] = choice
        cancel = box.addButton(self.words.t("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setEscapeButton(cancel)
        box.exec()
        return next(
            (choice for button, choice in made.items() if button is box.clickedButton()), Choice.CANCEL
        )
