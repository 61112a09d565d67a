"""Which table is written as CSV, and how: separator, decimal mark, byte-order mark."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from estimator.exports.csv_text import CsvFormat, CsvTable
from estimator.wording import Wording
from ui.theme import Theme
from ui.widgets.combo import Combo
from ui.widgets.field import Field


class CsvDialog(QDialog):
    """Emits `chosen(CsvTable, CsvFormat)`."""

    chosen = Signal(object, object)

    def __init__(self, words: Wording, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(words.t("Export CSV"))
        self.setMinimumWidth(360)
        self.table, self.separator, self.mark = Combo(), Combo(), Combo()
        for text, table in (
            (words.t("Tasks"), CsvTable.TASKS),
            (words.t("Stages"), CsvTable.STAGES),
            (words.t("Projects"), CsvTable.PROJECTS),
            (words.t("Plans"), CsvTable.PLANS),
            (words.t("Price lines"), CsvTable.COST),
            (words.t("Memory"), CsvTable.MEMORY),
            (words.t("Assumptions"), CsvTable.ASSUMPTIONS),
            (words.t("Conditions"), CsvTable.CONDITIONS),
        ):
            self.table.addItem(text, table)
        for text, separator in (
            (words.t("Comma"), ","),
            (words.t("Semicolon"), ";"),
            (words.t("Tab"), "\t"),
        ):
            self.separator.addItem(text, separator)
        self.mark.addItem(words.t("Point"), ".")
        self.mark.addItem(words.t("Comma"), ",")
        self.leading = QCheckBox(words.t("Begin with a byte-order mark, which Excel needs for accents"))
        self.leading.setChecked(True)
        if words.number_format.decimal_mark == ",":  # a spreadsheet there reads semicolons and decimal commas
            self.separator.setCurrentIndex(1)
            self.mark.setCurrentIndex(1)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(Field(theme, words.t("Table"), self.table))
        column.addWidget(Field(theme, words.t("Between columns"), self.separator))
        column.addWidget(Field(theme, words.t("Decimal mark"), self.mark))
        column.addWidget(self.leading)
        buttons = QDialogButtonBox()
        self.export_button = buttons.addButton(words.t("Export"), QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = buttons.addButton(words.t("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.export_button.clicked.connect(self._finish)
        cancel.clicked.connect(self.reject)
        column.addWidget(buttons)

    def _finish(self) -> None:
        separator, mark = str(self.separator.currentData()), str(self.mark.currentData())
        made = CsvFormat(separator, mark, self.leading.isChecked())
        self.accept()
        self.chosen.emit(CsvTable(self.table.currentData()), made)
