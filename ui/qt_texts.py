"""The texts that Qt itself shows - dialog buttons, the file dialog, menus of fields - in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from estimator.wording import Language


def speak(translator: QTranslator, language: Language) -> None:
    """Let Qt speak that language from now on, with this translator in place of what it said before."""
    application = QCoreApplication.instance()
    if application is None:
        return
    application.removeTranslator(translator)
    path = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(f"qtbase_{language.value}", path):
        application.installTranslator(translator)
