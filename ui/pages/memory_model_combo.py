"""The selector of a model of the catalogue, found by any part of its name."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from estimator.catalogue import ModelRecord
from estimator.wording import Wording
from ui.widgets.combo import Combo


class ModelCombo(Combo):
    """The models of the catalogue, found by any part of their names. `chosen(ModelRecord)`."""

    chosen = Signal(object)

    def __init__(self, words: Wording, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._records: tuple[ModelRecord, ...] = ()
        self._shown = ""
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)
        self.setMaxVisibleItems(16)
        line = self.lineEdit()
        if line is not None:
            line.setPlaceholderText(words.t("type or choose a model"))
            line.editingFinished.connect(self._finish)
        completer = self.completer()
        if completer is not None:
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.activated.connect(self._choose)

    def show_models(self, records: tuple[ModelRecord, ...], name: str) -> None:
        """Offer these models and show the name of the one in use, be it of the catalogue or not."""
        if records != self._records:
            self._records = records
            self.clear()
            self.addItems([record.name for record in records])
            self.setCurrentIndex(-1)
            self.setEditText(self._shown)
        if name != self._shown or not self.hasFocus():
            self._shown = name
            self._restore()

    def _choose(self, at: int) -> None:
        if 0 <= at < len(self._records) and self._records[at].name != self._shown:
            self.chosen.emit(self._records[at])

    def _finish(self) -> None:
        """Take a name that is typed whole; put the one in use back where the text is no name."""
        typed = self.currentText().strip().casefold()
        if typed == self._shown.casefold():
            return
        named = [at for at, record in enumerate(self._records) if record.name.casefold() == typed]
        if named:
            self._choose(named[0])

    def _restore(self) -> None:
        names = [record.name for record in self._records]
        self.setCurrentIndex(names.index(self._shown) if self._shown in names else -1)
        self.setEditText(self._shown)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._finish()
            self._restore()
