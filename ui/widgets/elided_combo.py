"""A selector whose text is elided where it has no room; its tooltip says it whole."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from ui.widgets.combo import Combo


class ElidedCombo(Combo):
    """WORKAROUND: under a stylesheet Qt 6.11 cuts the text of a combo box instead of eliding it."""

    def __init__(
        self, elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._elide = elide
        self.currentTextChanged.connect(self.setToolTip)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option

    def _shown(self, option: QStyleOptionComboBox) -> str:
        part = QStyle.SubControl.SC_ComboBoxEditField
        box = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        room = box.width() - 4
        if not option.currentIcon.isNull():
            room -= self.iconSize().width() + 4
        return self.fontMetrics().elidedText(self.currentText(), self._elide, room)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = self._option()
        option.currentText = self._shown(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
