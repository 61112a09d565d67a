"""The status bar: problems, computing and progress, the last thing said, saved or not, language and currency."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from estimator.wording import Wording
from ui.runner import Runner

PROGRESS_AFTER_MS = 1000


class StatusBar(QObject):
    """Fills a window's status bar. `cancelled`: the planner asked to stop what runs."""

    cancelled = Signal()

    def __init__(
        self,
        bar: QStatusBar,
        words: Wording,
        runner: Runner,
        show_problems: Callable[[], object],
        open_settings: Callable[[], object],
    ) -> None:
        super().__init__(bar)
        self._words = words
        self._runner = runner
        for former in bar.findChildren(StatusBar):
            if former is not self:
                former.retire()
        for widget in bar.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.removeWidget(widget)
            widget.deleteLater()
        bar.setSizeGripEnabled(False)
        self.problems = _quiet_button(show_problems)
        self._message = QLabel()
        self._computing = QLabel()
        self._progress = QProgressBar()
        self._progress.setRange(0, 100)
        self._progress.setMaximumSize(140, 12)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(words.t("Progress"))
        self._cancel = _quiet_button(self._ask_to_cancel)
        self._cancel.setText(words.t("Cancel"))
        self._saved = QLabel()
        self.settings = _quiet_button(open_settings)
        self.settings.setAccessibleName(words.t("Language, numbers and currency"))
        for shown in (self.problems, self._computing, self._progress, self._cancel):
            bar.addWidget(shown)
        bar.addWidget(self._message, 1)
        bar.addPermanentWidget(self._saved)
        bar.addPermanentWidget(self.settings)
        self._progress.hide()
        self._cancel.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PROGRESS_AFTER_MS)
        self._timer.timeout.connect(self._show_progress)
        runner.started.connect(self._started)
        runner.progressed.connect(self._progressed)
        runner.finished.connect(self._finished)

    def retire(self) -> None:
        """Hear nothing more: another one fills the bar, in another language."""
        self._timer.stop()
        self._runner.started.disconnect(self._started)
        self._runner.progressed.disconnect(self._progressed)
        self._runner.finished.disconnect(self._finished)
        self.setParent(None)
        self.deleteLater()

    @property
    def message(self) -> str:
        """What was said last."""
        return self._message.text()

    @property
    def is_showing_progress(self) -> bool:
        """Whether the bar and its button are shown."""
        return not self._progress.isHidden()

    def say(self, sentence: str) -> None:
        """Tell something; it stays until the next."""
        self._message.setText(sentence)
        self._message.setToolTip(sentence)

    def show_document(self, problems: str, stale: bool, cancelled: bool = False) -> None:
        """Show the count of problems and whether the answer is being computed, or was stopped."""
        words = self._words
        self.problems.setText(problems)
        if not stale:
            self._computing.setText(words.t("computed"))
        else:
            self._computing.setText(words.t("not computed") if cancelled else words.t("recalculating"))

    def show_start(self) -> None:
        """Show what holds before any document."""
        self.problems.setText(self._words.t("Offline: no data leave this computer"))
        self._computing.setText("")
        self._saved.setText("")

    def show_saved(self, modified: bool) -> None:
        """Show whether the document is saved."""
        self._saved.setText(self._words.t("Not saved") if modified else self._words.t("Saved"))

    def show_formats(self, currency: str) -> None:
        """Show language, number format and currency."""
        words = self._words
        language = {"es": "Español", "en": "English"}[words.language.value]
        rest = f" · {currency}" if currency else ""
        self.settings.setText(f"{language} · {words.number(1234.5, 2)}{rest}")

    def _ask_to_cancel(self) -> None:
        self.cancelled.emit()
        self._hide()

    def _started(self, _key: str) -> None:
        if not self._timer.isActive() and self._progress.isHidden():
            self._timer.start()

    def _progressed(self, _key: str, share: float) -> None:
        self._progress.setValue(round(100 * share))

    def _finished(self, _key: str) -> None:
        if not self._runner.is_running():
            self._hide()

    def _hide(self) -> None:
        self._timer.stop()
        self._progress.hide()
        self._cancel.hide()

    def _show_progress(self) -> None:
        if self._runner.is_running():
            self._progress.show()
            self._cancel.show()


def _quiet_button(do: Callable[[], object]) -> QPushButton:
    button = QPushButton()
    button.setProperty("look", "quiet")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(lambda: do())
    return button
