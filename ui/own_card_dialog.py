"""A card model of the planner's own: its name, marketed size, and the MiB that a driver reports. Kept across quotes."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from estimator.catalogue import Card
from estimator.edits import new_id
from estimator.units import MIB
from estimator.wording import Wording
from ui.theme import Theme
from ui.widgets.field import Field
from ui.widgets.number_field import NumberField
from ui.widgets.typed_line import TextField


class OwnCardDialog(QDialog):
    """Emits `made(Card)` once name and marketed size are there; what a driver reports may stay blank."""

    made = Signal(object)

    def __init__(
        self, words: Wording, theme: Theme, taken: Iterable[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._words = words
        self._taken = tuple(taken)
        self.setWindowTitle(words.t("Own card"))
        self.setMinimumWidth(360)
        self.name = TextField(words)
        self.marketed = NumberField(words, minimum=Decimal(1), unit="GB")
        self.reported = NumberField(words, minimum=Decimal(1), whole=True, unit="MiB")
        self.source = TextField(words)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        self._name_field = Field(theme, words.t("Name of the card"), self.name)
        self._size_field = Field(theme, words.t("Marketed memory"), self.marketed, unit="GB")
        column.addWidget(self._name_field)
        column.addWidget(self._size_field)
        reported = words.t("Memory as the driver reports")
        column.addWidget(Field(theme, reported, self.reported, unit="MiB", note=words.t("optional")))
        column.addWidget(Field(theme, words.t("Source"), self.source))
        buttons = QDialogButtonBox()
        add = buttons.addButton(words.t("Add the card"), QDialogButtonBox.ButtonRole.AcceptRole)
        cancel = buttons.addButton(words.t("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        add.clicked.connect(self.finish)
        cancel.clicked.connect(self.reject)
        column.addWidget(buttons)

    def finish(self) -> None:
        """Hand over the card, or say what is missing."""
        for line in (self.name, self.marketed, self.reported, self.source):
            line.commit()
        name = self.name.text().strip()
        self._name_field.set_problem("" if name else self._words.t("Write the name of the card."))
        size = self.marketed.number
        self._size_field.set_problem("" if size else self._words.t("Write the marketed size in GB."))
        if not name or size is None:
            return
        reported = self.reported.number
        source = self.source.text().strip()
        card = Card(
            id=new_id(name, self._taken),
            name=name,
            marketed_gb=size,
            reported_bytes=None if reported is None else int(reported) * MIB,
            sources=(source,) if source else (),
            own=True,
        )
        self.made.emit(card)
        self.accept()
