"""Help inside the program: the first quote in five steps, the keys, and what the words mean. No network."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from estimator.wording import Wording
from ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The error of the memory forms on one kind of point: points, median and worst in per cent, a peer's median.

    The peer is the best of the estimators in use on the same points; None where none covers them.
    """

    kind: str
    points: int
    median: Decimal
    worst: Decimal
    peer_median: int | None


ACCURACY = (
    Accuracy("train", 84, Decimal("0.002"), Decimal("1.36"), 40),
    Accuracy("train_fsdp", 12, Decimal("0.007"), Decimal("1.27"), 14),
    Accuracy("infer", 14, Decimal("0.000"), Decimal("0.57"), 17),
)
"""As `score memory` prints them for the shipped points; a test holds them to it."""


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
        browser = self.browser = QTextBrowser()
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
        ("Ctrl+Shift+E, Ctrl+P", words.t("export PDF, print")),
        ("Ctrl+T", words.t("chart or table")),
        ("Ctrl+F, F3", words.t("find in the table, find next")),
        ("Ctrl+Shift+P", words.t("prove the plan, or find a better one")),
        ("Ctrl+Ins, Ctrl+D", words.t("add a row, duplicate it (stages and fees)")),
        ("+ − 0", words.t("zoom the Gantt, show all of it")),
        ("C", words.t("mark the critical path in the Gantt")),
        ("F, ⇧F", words.t("fold the group of the selected bar in the Gantt, fold all")),
    )
    items = "".join(f"<li>{text}</li>" for text in steps)
    rows = "".join(f"<tr><td><b>{key}</b>&nbsp;&nbsp;</td><td>{text}</td></tr>" for key, text in keys)
    first, second = words.t("A first quote in five steps"), words.t("Keys")
    third = words.t("How right the memory of models has been")
    names = {
        "train": words.t("Training on one card"),
        "train_fsdp": words.t("Training in shards (FSDP)"),
        "infer": words.t("Generation"),
    }
    heads = (words.t("Points"), words.t("Median error"), words.t("Worst error"), words.t("Best peer, median"))
    scores = "<tr><td></td>" + "".join(f"<td><b>{head}</b>&nbsp;&nbsp;</td>" for head in heads) + "</tr>"
    for one in ACCURACY:
        peer = words.unknown if one.peer_median is None else words.percent(one.peer_median)
        cells = (words.number(one.points), words.percent(one.median, 3), words.percent(one.worst, 2), peer)
        scores += f"<tr><td>{names[one.kind]}&nbsp;&nbsp;</td>" + "".join(
            f"<td>{cell}</td>" for cell in cells
        )
        scores += "</tr>"
    about = words.t(
        "Against reference points: real model code whose tensors were followed byte by byte, without a card."
    )
    return (
        f"<div style='color:{theme.tokens.text}'><h3>{first}</h3><ol>{items}</ol>"
        f"<h3>{second}</h3><table>{rows}</table>"
        f"<h3>{third}</h3><p>{about}</p><table>{scores}</table></div>"
    )
