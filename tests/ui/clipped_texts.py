"""Finds texts that their widgets cut off, on every page of a sample. A program of its own: Qt reads the scale once.

    python tests/ui/clipped_texts.py LANGUAGE WIDTHxHEIGHT SAMPLE...

Prints one line a fault: where, what, wanted and given size. An empty SAMPLE ("-") is a blank quote. Elided texts
whose tooltip says them whole are no fault.
"""

from __future__ import annotations

import datetime as dt
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QRadioButton,
    QWidget,
)

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from estimator.wording import Language, NumberFormat  # noqa: E402  (the path is set first)
from ui.app import build  # noqa: E402
from ui.main_window import MainWindow  # noqa: E402
from ui.widgets.elided_combo import ElidedCombo  # noqa: E402
from ui.window_edits import blank_quote  # noqa: E402

DAY = dt.date(2026, 11, 30)
PATIENCE_SECONDS = 30
PAGE_NAMES = ("work", "organisations", "memory", "cards", "schedule", "cost", "conditions", "quote")
HEAD_MARGIN = 12
"""What a table's head needs beside its text."""


def main(language: str, size: str, samples: list[str]) -> int:
    """Print the faults and return how many there are, 100 at most."""
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = QApplication(sys.argv[:1])
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        window, theme, _ = build(application, Path(folder), "es_ES", DAY)
        window.parts.settings.language = Language(language)
        window.parts.settings.number_format = NumberFormat.ES_ES if language == "es" else NumberFormat.EN_GB
        window.apply_settings()
        width, height = (int(part) for part in size.split("x"))
        window.setMinimumSize(1, 1)
        window.resize(width, height)
        window.show()
        settle(application)
        found += [f"start: {fault}" for fault in faults(window)]
        for sample in samples:
            if sample == "-":
                window.files.new(blank_quote(window.words))
            else:
                window.files.open_sample(sample)
            wait_for_estimate(application, window)
            for number, page in enumerate(PAGE_NAMES):
                window.show_page(number)
                settle(application)
                found += [f"{sample} {page}: {fault}" for fault in faults(window)]
        if window.width() > width or window.height() > height:
            found.append(f"window: {window.width()} x {window.height()} instead of {size}")
        window.parts.runner.close()
        theme.changed.disconnect()
    seen = list(dict.fromkeys(found))
    print("\n".join(seen))
    return min(100, len(seen))


def faults(window: QWidget) -> Iterator[str]:
    """Yield what is cut off in the visible part of a window."""
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, QLabel) and widget.text():
            yield from label_faults(widget)
        elif isinstance(widget, QPushButton | QCheckBox | QRadioButton):
            yield from too_small(widget, widget.text())
        elif isinstance(widget, QHeaderView) and widget.orientation() is Qt.Orientation.Horizontal:
            yield from head_faults(widget)
        elif isinstance(widget, QComboBox) and not isinstance(widget, ElidedCombo):
            room = widget.width() - 38
            wanted = widget.fontMetrics().horizontalAdvance(widget.currentText())
            if wanted > room:
                yield f"selector {widget.currentText()!r} wants {wanted}, has {room}"


def label_faults(label: QLabel) -> Iterator[str]:
    text = plain(label)
    if label.toolTip() and "…" in text:
        return
    if label.wordWrap():
        wanted = label.heightForWidth(label.width())
        if wanted > label.height() + 1:
            yield f"label {text!r} wants a height of {wanted}, has {label.height()}"
        words = max((label.fontMetrics().horizontalAdvance(word) for word in text.split()), default=0)
        if words > label.width() + 1:
            yield f"label {text!r} has a word of {words} in {label.width()}"
        return
    yield from too_small(label, text)


def plain(label: QLabel) -> str:
    """Return a label's text without its markup."""
    document = QTextDocument()
    if label.textFormat() is not Qt.TextFormat.PlainText and "</" in label.text():
        document.setHtml(label.text())
        return document.toPlainText()
    return label.text()


def too_small(widget: QLabel | QAbstractButton, text: str) -> Iterator[str]:
    wanted = widget.sizeHint()
    if wanted.width() > widget.width() + 1 or wanted.height() > widget.height() + 2:
        yield (
            f"{type(widget).__name__} {text!r} wants {wanted.width()} x {wanted.height()}, "
            f"has {widget.width()} x {widget.height()}"
        )


def head_faults(head: QHeaderView) -> Iterator[str]:
    model = head.model()
    for section in range(head.count()):
        text = str(model.headerData(section, Qt.Orientation.Horizontal) or "")
        if head.isSectionHidden(section) or not text:
            continue
        wanted = QFontMetrics(head.font()).horizontalAdvance(text) + HEAD_MARGIN
        if wanted > head.sectionSize(section) and head.textElideMode() is Qt.TextElideMode.ElideNone:
            yield f"head {text!r} wants {wanted}, has {head.sectionSize(section)}"


def settle(application: QApplication) -> None:
    """Let layouts and delayed drawing happen."""
    for _ in range(4):
        application.processEvents()
        application.sendPostedEvents(
            None, QEvent.Type.DeferredDelete
        )  # only a running loop does it by itself


def wait_for_estimate(application: QApplication, window: MainWindow) -> None:
    """Return when the answer belongs to the quote; raises TimeoutError after half a minute."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        application.processEvents()
        estimate = window.session.estimate
        if estimate is not None and not window.session.is_stale and estimate.is_complete:
            return
        time.sleep(0.01)
    raise TimeoutError("the estimate did not arrive")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
