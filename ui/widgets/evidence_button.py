"""An evidence chip that opens its editor: for a number beside which the whole editor would be too much.

The popup holds the ordinary `EvidenceEditor`; Esc or a click elsewhere closes it. It edits an `Evidence` and
knows no quote.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QSizePolicy, QVBoxLayout

from estimator.evidence import Evidence, EvidenceKind
from estimator.wording import Wording
from ui.theme import TextRole, Theme
from ui.widgets.evidence_chip import chip_size, paint_chip
from ui.widgets.evidence_editor import EvidenceEditor

_RING = 2
_POPUP_WIDTH = 300


class EvidenceButton(QAbstractButton):
    """Shows an evidence as a chip and emits `committed(Evidence)`; hidden while it has none."""

    committed = Signal(object)

    def __init__(self, words: Wording, theme: Theme, unit: str = "") -> None:
        """`unit` is that of the number whose range can be edited."""
        super().__init__()
        self._words = words
        self._theme = theme
        self._unit = unit
        self._subject = ""
        self._evidence: Evidence | None = None
        self._popup: QFrame | None = None
        self.editor: EvidenceEditor | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self.open_editor)
        theme.changed.connect(self.updateGeometry)
        self.set_evidence("", None)

    @property
    def kind(self) -> EvidenceKind | None:
        """The kind shown."""
        return None if self._evidence is None else self._evidence.kind

    def set_evidence(self, subject: str, evidence: Evidence | None) -> None:
        """Show the evidence of `subject` ("Licences"), or nothing; nothing is committed."""
        self._subject = subject
        self._evidence = evidence
        self.setVisible(evidence is not None)
        if evidence is not None:
            word = self._words.evidence(evidence.kind)
            self.setAccessibleName(self._words.t("Evidence: {subject}, {kind}", subject=subject, kind=word))
            self.setToolTip(self._words.t("Change the evidence"))
            if self.editor is not None and self.editor.evidence != evidence:
                self.editor.set_evidence(evidence)
        self.updateGeometry()
        self.update()

    def open_editor(self) -> None:
        """Open the editor under the chip, with the focus in it."""
        if self._evidence is None:
            return
        popup = self._made_popup()
        self._title.setText(self._words.t("Evidence: {subject}", subject=self._subject))
        if self.editor is not None:
            self.editor.set_evidence(self._evidence)
        popup.adjustSize()
        screen = self.screen().availableGeometry()
        corner = self.mapToGlobal(QPoint(0, self.height() + 2))
        left = max(screen.left(), min(corner.x(), screen.right() - popup.width()))
        top = max(screen.top(), min(corner.y(), screen.bottom() - popup.height()))
        popup.move(left, top)
        popup.show()
        if self.editor is not None:
            self.editor.kinds.setFocus(Qt.FocusReason.PopupFocusReason)

    def _made_popup(self) -> QFrame:
        if self._popup is None:
            self._popup = QFrame(self, Qt.WindowType.Popup)
            self._popup.setProperty("look", "popup")
            self._popup.setFixedWidth(_POPUP_WIDTH)
            self._title = QLabel()
            self._title.setWordWrap(True)
            self._title.setFont(self._theme.font(TextRole.SECTION))
            self.editor = EvidenceEditor(self._words, self._theme, unit=self._unit)
            self.editor.committed.connect(self.committed)
            column = QVBoxLayout(self._popup)
            column.setContentsMargins(14, 12, 14, 14)
            column.setSpacing(8)
            column.addWidget(self._title)
            column.addWidget(self.editor)
        return self._popup

    def sizeHint(self) -> QSize:
        if self._evidence is None:
            return QSize(0, 0)
        size = chip_size(self._evidence.kind, self._theme, self._words)
        return QSize(size.width() + 2 * _RING, size.height() + 2 * _RING)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._evidence is None:
            return
        painter = QPainter(self)
        inside = self.rect().adjusted(_RING, _RING, -_RING, -_RING)
        paint_chip(painter, inside, self._evidence.kind, self._theme, self._words)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()
