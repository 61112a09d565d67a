"""What a quote is exported to: workbook, PDF, paper, Markdown, JSON; and the workbook taken back. Asks through Dialogs.

Long exports run in the background with progress and can be cancelled; the file is whole or as it was. What they say
is the core's, in the language of the document.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFont

from estimator.estimate import assessed, completed
from estimator.exports.csv_text import CsvFormat, CsvTable, csv_bytes
from estimator.exports.requests import Scheduler, request_text
from estimator.problems import Absent, FileRefused
from estimator.quote import Quote
from estimator.results.estimate import Estimate
from estimator.storage import write_atomically
from estimator.wording import Wording
from estimator.wording.vocabulary import document_words
from ui.dialogs import Choice
from ui.files import Files, refused_export, with_suffix
from ui.runner import Runner
from ui.session import Session

if TYPE_CHECKING:
    from estimator.imports.workbook_back import CellChange, TakenBack

EXPORT = "export"
TAKE_BACK = "take_back"
_MOST_LINES = 12


class Exports(QObject):
    """The exports of one window. `said`: a sentence for the status bar."""

    said = Signal(str)

    def __init__(
        self,
        session: Session,
        runner: Runner,
        files: Files,
        today: Callable[[], dt.date],
        gantt_picture: Callable[[Estimate], bytes | None],
        font: Callable[[], QFont],
        parent: QObject | None = None,
    ) -> None:
        """`font`: that of the window, for paper too."""
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._files = files
        self._today = today
        self._gantt_picture = gantt_picture
        self._font = font

    def workbook(self, path: Path | None = None) -> bool:
        """Write the workbook in the background, asking for a name where none is given."""
        kinds = self._words.t("Excel workbooks (*.xlsx)")

        def start(estimate: Estimate, target: Path, words: Wording) -> None:
            picture = self._gantt_picture(estimate)
            self._run(target, _write_workbook, estimate, target, words, self._today(), picture)

        return self._export(path, ".xlsx", kinds, start)

    def pdf(self, path: Path | None = None) -> bool:
        """Write the printed quote as a PDF file, on the paper of the document."""

        def start(estimate: Estimate, target: Path, words: Wording) -> None:
            self._run(target, _write_pdf, estimate, target, words, self._font())

        return self._export(path, ".pdf", self._words.t("PDF files (*.pdf)"), start)

    def markdown(self, path: Path | None = None) -> bool:
        """Write the printed quote as Markdown text."""
        from estimator.exports.markdown import markdown_text
        from estimator.exports.paper import paper_of

        def start(estimate: Estimate, target: Path, words: Wording) -> None:
            self._write(target, markdown_text(paper_of(estimate, words)))

        return self._export(path, ".md", self._words.t("Markdown files (*.md)"), start)

    def json(self, path: Path | None = None) -> bool:
        """Write the estimate as JSON for programs."""
        from estimator.exports.json_text import json_text

        def start(estimate: Estimate, target: Path, words: Wording) -> None:
            self._write(target, json_text(estimate))

        return self._export(path, ".json", self._words.t("JSON files (*.json)"), start)

    def csv(self, table: CsvTable, csv_format: CsvFormat, path: Path | None = None) -> bool:
        """Write one table as CSV in the background."""

        def start(estimate: Estimate, target: Path, words: Wording) -> None:
            self._run(target, _write_csv, estimate, target, words, table, csv_format)

        return self._export(path, ".csv", self._words.t("CSV files (*.csv)"), start)

    def ask_csv(self) -> None:
        """Ask which table is written as CSV and how, then where to."""
        if self._current() is not None:
            self._files.dialogs.choose_csv(lambda table, csv_format: self.csv(table, csv_format))

    def request(self, scheduler: Scheduler, path: Path | None = None) -> bool:
        """Write the capacity request in the words of a cluster's scheduler."""

        def start(estimate: Estimate, target: Path, words: Wording) -> None:
            text = request_text(estimate, scheduler)
            if isinstance(text, Absent):
                self.said.emit(self._words.absent(text))
            else:
                self._write(target, text)

        kinds = {
            Scheduler.SLURM: (".sh", self._words.t("Slurm scripts (*.sh)")),
            Scheduler.KUBERNETES: (".yaml", self._words.t("Kubernetes manifests (*.yaml)")),
            Scheduler.RAY: (".py", self._words.t("Ray programs (*.py)")),
        }
        suffix, kind = kinds[scheduler]
        return self._export(path, suffix, kind, start)

    def take_back(self, path: Path | None = None) -> bool:
        """Read an exported workbook in the background, and take its changed cells into the quote after a preview."""
        estimate = self._current()
        if estimate is None:
            return False
        if path is None:
            path = self._files.dialogs.open_workbook(self._files.folder)
        if path is None:
            return False
        self._runner.run(
            TAKE_BACK,
            _take_back,
            path,
            estimate,
            self._document_words(estimate),
            self._today(),
            on_done=lambda taken: self._taken_back(estimate.quote, taken),
            on_failed=self._not_taken_back,
        )
        return True

    def _taken_back(self, quote: Quote, taken: TakenBack) -> None:
        words = self._words
        if not taken.changes:
            self.said.emit(words.t("{name} has the numbers of the quote.", name=taken.name))
            return
        if self._session.quote != quote:
            self.said.emit(words.t("The quote was changed meanwhile. Take the workbook back again."))
            return
        count = len(taken.changes)
        title = words.n(
            "{count} number of {name} was changed",
            "{count} numbers of {name} were changed",
            count,
            name=taken.name,
        )
        lines = [_change_text(words, one) for one in taken.changes[:_MOST_LINES]]
        if count > _MOST_LINES:
            lines.append(words.t("and {count} more", count=words.number(count - _MOST_LINES)))
        lines.append(
            words.t("The plan is calculated again with them. They become assumed: nobody has verified them.")
        )
        if self._files.dialogs.apply_changes(title, tuple(lines)) is Choice.APPLY:
            self._session.edit(words.t("take back a workbook"), lambda _: taken.quote)

    def _not_taken_back(self, error: Exception) -> None:
        if not isinstance(error, FileRefused):
            raise error
        self.said.emit(self._words.refused(error))

    def on_paper(self) -> bool:
        """Ask for a printer and print the quote on it."""
        estimate = self._current()
        if estimate is None:
            return False
        printed = self._files.dialogs.print_quote(estimate, self._document_words(estimate), self._font())
        if printed:
            self.said.emit(self._words.t("Sent to the printer"))
        return printed

    def cancel(self) -> None:
        """Stop the export that runs; the file it was for stays as it was."""
        self._runner.cancel(EXPORT)
        self._runner.cancel(TAKE_BACK)

    @property
    def _words(self) -> Wording:
        return self._files.words

    def _document_words(self, estimate: Estimate) -> Wording:
        return document_words(estimate.quote, self._words)

    def _current(self) -> Estimate | None:
        """Return the answer that belongs to the quote as it stands; say so where there is none yet."""
        estimate = self._session.estimate
        if estimate is None or self._session.is_stale:
            self.said.emit(self._words.t("The answer is being computed. Export when it is there."))
            return None
        return estimate

    def _export(
        self, path: Path | None, suffix: str, kinds: str, start: Callable[[Estimate, Path, Wording], None]
    ) -> bool:
        """Ask for a name where none is given, and write; False where nothing was or could not be written."""
        estimate = self._current()
        if estimate is None:
            return False
        if path is None:
            suggested = str(Path(self._files.folder) / f"{self._files.stem()}{suffix}")
            path = self._files.dialogs.save_file(suggested, kinds)
        if path is None:
            return False
        try:
            start(estimate, with_suffix(path, suffix), self._document_words(estimate))
        except FileRefused as refusal:
            self._failed(refusal)
            return False
        return True

    def _run(self, target: Path, job: Callable[..., None], *arguments: object) -> None:
        self._runner.run(
            EXPORT,
            job,
            *arguments,
            on_done=lambda _: self._written(target),
            on_failed=self._failed,
        )

    def _write(self, target: Path, text: str) -> None:
        write_atomically(target, text.encode("utf-8"))
        self._written(target)

    def _written(self, target: Path) -> None:
        self.said.emit(self._words.t("Written: {name}", name=target.name))

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, FileRefused):
            raise error
        self.said.emit(refused_export(self._words, error))


def _change_text(words: Wording, change: CellChange) -> str:
    gaps = {
        "label": change.label,
        "before": words.number(change.before),
        "after": f"{words.number(change.after)} {change.unit}".rstrip(),
    }
    if change.is_taken:
        return words.t("{label}: {before} → {after}", **gaps)
    return words.t("{label}: {before} → {after}, not taken: the plan decides it", **gaps)


def _take_back(
    path: Path,
    estimate: Estimate,
    words: Wording,
    today: dt.date,
    *,
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> TakenBack:
    from estimator.imports.workbook_back import take_back  # only here: it takes long to import

    if not estimate.is_complete:
        estimate = completed(estimate, cancelled=cancelled)
    return take_back(path, estimate, words, today, cancelled=cancelled)


def _write_workbook(
    estimate: Estimate,
    path: Path,
    words: Wording,
    today: dt.date,
    picture: bytes | None,
    *,
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> None:
    from estimator.exports.workbook import write_workbook  # only here: it takes long to import

    if not estimate.is_assessed:
        estimate = assessed(estimate, cancelled=cancelled)
    write_workbook(estimate, path, words, today, picture, progress=progress, cancelled=cancelled)


def _write_csv(
    estimate: Estimate,
    path: Path,
    words: Wording,
    table: CsvTable,
    csv_format: CsvFormat,
    *,
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> None:
    write_atomically(path, csv_bytes(estimate, table, words, csv_format, progress, cancelled))


def _write_pdf(
    estimate: Estimate,
    path: Path,
    words: Wording,
    font: QFont,
    *,
    progress: Callable[[float], None],
    cancelled: Callable[[], bool],
) -> None:
    from ui.printing import save_quote_pdf

    if not estimate.is_assessed:
        estimate = assessed(estimate, cancelled=cancelled)
    save_quote_pdf(estimate, words, font, path, progress=progress, cancelled=cancelled)
