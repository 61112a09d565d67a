"""The settings a person can change: language, number format, colours, density. Applied at once, kept by `Settings`."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from estimator.wording import Language, NumberFormat, Wording
from ui.settings import Settings
from ui.theme import Density, Scheme
from ui.widgets.combo import Combo


class SettingsDialog(QDialog):
    """Emits `changed` after each choice; closing keeps what was chosen."""

    changed = Signal()

    def __init__(self, settings: Settings, words: Wording, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle(words.t("Settings"))
        self.language = _choice(
            (("Español", Language.SPANISH), ("English", Language.ENGLISH)), settings.language
        )
        formats = (
            (words.t("1.234,50 (Spain)"), NumberFormat.ES_ES),
            (words.t("1,234.50 (Mexico)"), NumberFormat.ES_MX),
            (words.t("1,234.50 (United States)"), NumberFormat.EN_US),
            (words.t("1,234.50 (United Kingdom)"), NumberFormat.EN_GB),
        )
        self.numbers = _choice(formats, settings.number_format)
        schemes = (
            (words.t("As the system"), Scheme.SYSTEM),
            (words.t("Light"), Scheme.LIGHT),
            (words.t("Dark"), Scheme.DARK),
            (words.t("High contrast"), Scheme.HIGH_CONTRAST),
        )
        self.scheme = _choice(schemes, settings.scheme)
        densities = (
            (words.t("Comfortable"), Density.COMFORTABLE),
            (words.t("Compact"), Density.COMPACT),
        )
        self.density = _choice(densities, settings.density)
        form = QFormLayout()
        form.addRow(words.t("Language"), self.language)
        form.addRow(words.t("Numbers"), self.numbers)
        form.addRow(words.t("Colours"), self.scheme)
        form.addRow(words.t("Density"), self.density)
        buttons = QDialogButtonBox()
        close = buttons.addButton(words.t("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(buttons)
        for box in (self.language, self.numbers, self.scheme, self.density):
            box.activated.connect(self._chosen)

    def _chosen(self) -> None:
        # Qt hands an enum of text back as plain text.
        self._settings.language = Language(self.language.currentData())
        self._settings.number_format = NumberFormat(self.numbers.currentData())
        self._settings.scheme = Scheme(self.scheme.currentData())
        self._settings.density = Density(self.density.currentData())
        self.changed.emit()


def _choice(entries: tuple[tuple[str, object], ...], chosen: object) -> QComboBox:
    box = Combo()
    for text, value in entries:
        box.addItem(text, value)
    box.setCurrentIndex([value for _, value in entries].index(chosen))
    return box
