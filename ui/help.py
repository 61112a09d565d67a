"""Help inside the program: the first quote in five steps, the keys, and what the words mean. No network."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from estimator.wording import Wording
from ui.theme import Theme


def about_text(words: Wording) -> str:
    """Return the program's name and version."""
    try:
        number = version("cabida")
    except PackageNotFoundError:
        number = "0.1.0"
    return words.t("Cabida {version}: from a GPU workload to a quote, offline.", version=number)


class HelpWindow(QDialog):
    """First steps and keys, as selectable text."""

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(words.t("Help"))
        self.resize(640, 560)
        browser = QTextBrowser()
        browser.setAccessibleName(words.t("Help"))
        browser.setOpenLinks(False)
        browser.setHtml(_html(words, theme))
        buttons = QDialogButtonBox()
        close = buttons.addButton(words.t("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.addWidget(browser, 1)
        column.addWidget(buttons)


def _html(words: Wording, theme: Theme) -> str:
    steps = (
        words.t("Say what is computed, how many, whether each can be computed alone, and what is shared."),
        words.t("Write the minutes of one unit, the memory of a task and the minutes of the assembly."),
        words.t("Compare the organisations: which delivers earlier, and what would cancel the gain."),
        words.t("Tick an offer that fits; the cheapest plan within the limit is recommended."),
        words.t("Verify the decisive conditions, name the customer, and export the workbook."),
    )
    keys = (
        ("F4", words.t("explain the figure or cell")),
        ("F6", words.t("next part of the window")),
        ("F8", words.t("next problem or missing datum")),
        ("Ctrl+1 … 8", words.t("page")),
        ("Ctrl+PgUp, Ctrl+PgDn", words.t("previous and next page")),
        ("Alt+1 … 5", words.t("explain a figure of the answer")),
        ("Ctrl+Z, Ctrl+Y", words.t("undo and redo")),
        ("Ctrl+E", words.t("export Excel")),
        ("Ctrl+T", words.t("chart or table")),
        ("+ − 0", words.t("zoom the Gantt, show all of it")),
    )
    items = "".join(f"<li>{text}</li>" for text in steps)
    rows = "".join(f"<tr><td><b>{key}</b>&nbsp;&nbsp;</td><td>{text}</td></tr>" for key, text in keys)
    first, second = words.t("A first quote in five steps"), words.t("Keys")
    return (
        f"<div style='color:{theme.tokens.text}'><h3>{first}</h3><ol>{items}</ol>"
        f"<h3>{second}</h3><table>{rows}</table></div>"
    )
