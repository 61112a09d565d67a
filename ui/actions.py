"""The menus: every action with its words, keys and what it does. Labels of undo and redo say what.

The window hands over the functions; nothing here decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from estimator.wording import Wording
from ui.shortcut_keeper import ShortcutKeeper

Do = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Commands:
    """What the menus call."""

    new: Do
    open: Do
    save: Do
    save_as: Do
    close: Do
    quit: Do
    undo: Do
    redo: Do
    excel: Do
    pdf: Do
    paper: Do
    csv: Do
    markdown: Do
    request: Callable[[str], object]
    json: Do
    take_back: Do
    add_organisation: Do
    add_stage: Do
    page: Callable[[int], object]
    next_page: Callable[[int], object]
    next_part: Callable[[int], object]
    problems: Do
    next_problem: Callable[[int], object]
    explain: Callable[[int], object]
    table: Do
    find: Callable[[int], object]
    prove: Do
    settings: Do
    import_work: Do
    paste_work: Do
    import_prices: Do
    export_catalogue: Do
    keep_offers: Do
    add_card: Do
    refresh_prices: Do
    help: Do
    tour: Do
    about: Do
    open_recent: Callable[[Path], object]
    recent: Callable[[], tuple[Path, ...]]


class Actions:
    """The window's actions and menus, built anew in each language."""

    def __init__(
        self, window: QMainWindow, words: Wording, commands: Commands, pages: tuple[str, ...]
    ) -> None:
        self._window = window
        self._words = words
        self._commands = commands
        self._needs_quote: list[QAction] = []
        if window.findChild(ShortcutKeeper) is None:
            ShortcutKeeper(window)
        bar = window.menuBar()
        bar.clear()
        for former in bar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            former.deleteLater()  # with its actions: a change of language leaves none behind
        self._file(bar.addMenu(words.t("&File")))
        self._edit(bar.addMenu(words.t("&Edit")))
        insert = bar.addMenu(words.t("&Insert"))
        self._add(insert, words.t("Stage"), "", commands.add_stage, quote=True)
        self._add(insert, words.t("Organisation"), "", commands.add_organisation, quote=True)
        self._add(insert, words.t("Own card…"), "", commands.add_card)
        self._view(bar.addMenu(words.t("&View")), pages)
        tools = bar.addMenu(words.t("&Tools"))
        self._add(tools, words.t("Import tasks…"), "Ctrl+I", commands.import_work, quote=True)
        self._add(tools, words.t("Import tasks from the clipboard"), "", commands.paste_work, quote=True)
        self._add(tools, words.t("Import prices…"), "", commands.import_prices)
        self._add(tools, words.t("Keep own offers for other quotes"), "", commands.keep_offers, quote=True)
        self._add(tools, words.t("Export own catalogue…"), "", commands.export_catalogue)
        self._add(tools, words.t("Refresh copied prices…"), "", commands.refresh_prices, quote=True)
        tools.addSeparator()
        self._add(tools, words.t("Prove the plan"), "Ctrl+Shift+P", commands.prove, quote=True)
        tools.addSeparator()
        self._add(tools, words.t("Settings…"), "Ctrl+,", commands.settings)
        helps = bar.addMenu(words.t("&Help"))
        self._add(helps, words.t("Keys and first steps"), "F1", commands.help)
        self._add(helps, words.t("Two-minute tour"), "", commands.tour)
        self._add(helps, words.t("About Cabida"), "", commands.about)

    def show_state(self, *, has_quote: bool, undo: str | None, redo: str | None) -> None:
        """Enable what can be done and say what undo and redo would do."""
        words = self._words
        for action in self._needs_quote:
            action.setEnabled(has_quote)
        self.undo.setEnabled(undo is not None)
        self.redo.setEnabled(redo is not None)
        self.undo.setText(words.t("Undo") if undo is None else words.t("Undo: {what}", what=undo))
        self.redo.setText(words.t("Redo") if redo is None else words.t("Redo: {what}", what=redo))

    def _file(self, menu: QMenu) -> None:
        words, commands = self._words, self._commands
        self._add(menu, words.t("New"), "Ctrl+N", commands.new)
        self._add(menu, words.t("Open…"), "Ctrl+O", commands.open)
        self.recent = menu.addMenu(words.t("Open recent"))
        self.recent.aboutToShow.connect(self._fill_recent)
        menu.addSeparator()
        self._add(menu, words.t("Save"), "Ctrl+S", commands.save, quote=True)
        self._add(menu, words.t("Save as…"), "Ctrl+Shift+S", commands.save_as, quote=True)
        self._add(menu, words.t("Export Excel…"), "Ctrl+E", commands.excel, quote=True)
        self._add(menu, words.t("Export PDF…"), "Ctrl+Shift+E", commands.pdf, quote=True)
        self._add(menu, words.t("Print…"), "Ctrl+P", commands.paper, quote=True)
        more = menu.addMenu(words.t("Export as text"))
        self._add(more, words.t("Export CSV…"), "", commands.csv, quote=True)
        self._add(more, words.t("Export Markdown…"), "", commands.markdown, quote=True)
        self._add(more, words.t("Export JSON…"), "", commands.json, quote=True)
        for scheduler, name in (("slurm", "Slurm"), ("kubernetes", "Kubernetes"), ("ray", "Ray")):
            title = words.t("Capacity request for {scheduler}…", scheduler=name)
            self._add(more, title, "", partial(commands.request, scheduler), quote=True)
        self._add(menu, words.t("Take back a workbook…"), "", commands.take_back, quote=True)
        menu.addSeparator()
        self._add(menu, words.t("Close"), "Ctrl+W", commands.close, quote=True)
        self._add(menu, words.t("Quit"), "Ctrl+Q", commands.quit)

    def _edit(self, menu: QMenu) -> None:
        words, commands = self._words, self._commands
        self.undo = self._add(menu, words.t("Undo"), "Ctrl+Z", commands.undo)
        self.redo = self._add(menu, words.t("Redo"), "Ctrl+Y", commands.redo)
        self.redo.setShortcuts([QKeySequence("Ctrl+Y"), QKeySequence("Ctrl+Shift+Z")])
        menu.addSeparator()
        self._add(menu, words.t("Find in the table"), "Ctrl+F", partial(commands.find, 0), quote=True)
        self._add(menu, words.t("Find next"), "F3", partial(commands.find, 1), quote=True)
        self._add(menu, words.t("Find previous"), "Shift+F3", partial(commands.find, -1), quote=True)

    def _view(self, menu: QMenu, pages: tuple[str, ...]) -> None:
        words, commands = self._words, self._commands
        for number, name in enumerate(pages):
            self._add(menu, name, f"Ctrl+{number + 1}", partial(commands.page, number), quote=True)
        menu.addSeparator()
        self._add(menu, words.t("Next page"), "Ctrl+PgDown", partial(commands.next_page, 1), quote=True)
        self._add(menu, words.t("Previous page"), "Ctrl+PgUp", partial(commands.next_page, -1), quote=True)
        self._add(menu, words.t("Next part of the window"), "F6", partial(commands.next_part, 1))
        self._add(menu, words.t("Previous part of the window"), "Shift+F6", partial(commands.next_part, -1))
        menu.addSeparator()
        self._add(menu, words.t("Chart or table"), "Ctrl+T", commands.table, quote=True)
        self._add(menu, words.t("Problems"), "", commands.problems, quote=True)
        self._add(menu, words.t("Next problem"), "F8", partial(commands.next_problem, 1), quote=True)
        self._add(
            menu, words.t("Previous problem"), "Shift+F8", partial(commands.next_problem, -1), quote=True
        )
        explain = menu.addMenu(words.t("Explain a figure"))
        figures = (
            words.t("Cards required"),
            words.t("Worst card, peak"),
            words.t("Delivery"),
            words.t("Cost"),
            words.t("Status"),
        )
        for number, name in enumerate(figures):
            self._add(explain, name, f"Alt+{number + 1}", partial(commands.explain, number), quote=True)

    def _fill_recent(self) -> None:
        self.recent.clear()
        files = self._commands.recent()
        for file in files:
            action = self.recent.addAction(file.name)
            action.setToolTip(str(file))
            action.setEnabled(file.exists())
            action.triggered.connect(partial(_call, partial(self._commands.open_recent, file)))
        if not files:
            self.recent.addAction(self._words.t("None yet")).setEnabled(False)

    def _add(self, menu: QMenu, text: str, keys: str, do: Do, *, quote: bool = False) -> QAction:
        action = QAction(text, menu)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.triggered.connect(partial(_call, do))
        menu.addAction(action)
        if quote:
            self._needs_quote.append(action)
        return action


def _call(do: Do, _checked: bool = False) -> None:
    """Do what an action is for; Qt's claim "checked" is of no use here."""
    do()
