"""The program's start: settings, theme, window, then the document. Libraries that the first screen does not need wait.

`cabida [FILE]` opens a quote; `cabida --sample NAME` opens an embedded sample as an untitled copy;
`cabida --export FILE.pdf QUOTE` writes the printed quote without a screen.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLocale, Qt, QTranslator
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from estimator.wording import Wording
from ui.errors import ErrorReporter, log_qt_messages
from ui.main_window import MainWindow, Parts
from ui.qt_texts import speak
from ui.runner import Runner
from ui.settings import Settings, own_data_folder
from ui.theme import Theme

SWITCH_SECONDS = 0.0005
"""How long a thread keeps Python before another may have it; 0.005 unless said.

Qt calls back into Python for each cell that it paints or measures, and each time waits for the thread that
estimates to let go: with the usual interval a table of 100 cells takes half a second instead of 50 ms.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the window until it is closed; return the exit status."""
    options = _parser().parse_args(arguments)
    if options.export:
        return _export(options)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Cabida")
    log_qt_messages()
    window, _theme, _translator = first_screen(application, own_data_folder(), QLocale.system().name())
    reporter = ErrorReporter(lambda report: window.notice.show_report(report))
    reporter.install()
    # What a document needs is imported once the first picture is on the screen.
    window.painted.connect(lambda: _open(window, options))
    window.show()
    status = application.exec()
    reporter.uninstall()
    return status


def build(
    application: QApplication, folder: Path, system_locale: str, today: dt.date | None = None
) -> tuple[MainWindow, Theme, QTranslator]:
    """Return the whole window, not shown yet. `folder` holds settings, the own catalogue, recovery copies."""
    window, theme, translator = first_screen(application, folder, system_locale, today)
    window.load()
    return window, theme, translator


def first_screen(
    application: QApplication, folder: Path, system_locale: str, today: dt.date | None = None
) -> tuple[MainWindow, Theme, QTranslator]:
    """Return the window with its menus and start page; `load` makes the rest."""
    sys.setswitchinterval(SWITCH_SECONDS)
    settings = Settings(folder / "settings.ini", system_locale)
    theme = Theme(settings.scheme, settings.density)
    theme.apply(application)
    words = Wording(settings.language, settings.number_format)
    translator = QTranslator(application)
    speak(translator, words.language)

    def the_day() -> dt.date:
        return today or dt.date.today()

    parts = Parts(Runner(), settings, theme, folder, the_day, translator)
    return MainWindow(parts, words), theme, translator


def _open(window: MainWindow, options: argparse.Namespace) -> None:
    window.load()
    if options.sample:
        window.files.open_sample(options.sample)
    elif options.file:
        window.files.open(Path(options.file).absolute())
    else:
        window.files.offer_recovery()


def _export(options: argparse.Namespace) -> int:
    """Write the PDF of a quote and return 0, or 2 with a sentence where it cannot be read or written."""
    from estimator.estimate import estimate
    from estimator.problems import FileRefused
    from estimator.storage import read_quote
    from estimator.wording.vocabulary import document_words
    from ui.printing import save_quote_pdf

    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # a server has no screen, and none is needed
    application = QApplication(sys.argv[:1])
    settings = Settings(own_data_folder() / "settings.ini", QLocale.system().name())
    words = Wording(settings.language, settings.number_format)
    try:
        if not options.file:
            raise FileRefused("no_file_named")
        quote = read_quote(Path(options.file))
        words = document_words(quote, words)
        save_quote_pdf(estimate(quote, dt.date.today()), words, application.font(), Path(options.export))
    except FileRefused as refusal:
        print(words.refused(refusal), file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cabida")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--sample")
    parser.add_argument("--export", metavar="FILE.pdf")
    return parser
