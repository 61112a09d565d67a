"""A tick whose text is elided where it has no room; its tooltip says it whole."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget


class ElidedCheck(QCheckBox):
    """A check box that never widens the form it stands in: one long text would push every field out of sight."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        whole = super().sizeHint()
        return QSize(min(whole.width(), 6 * whole.height()), whole.height())

    @property
    def shown_text(self) -> str:
        """The text as far as it has room."""
        option = self._option()
        part = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, part.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setToolTip("" if self.shown_text == self.text() else self.text())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = self._option()
        option.text = self.shown_text
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_CheckBox, option)

    def _option(self) -> QStyleOptionButton:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        return option
