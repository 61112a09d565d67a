"""What the window does with files: open, save, recover, import. Says what happened; asks through Dialogs.

Widgets never open files; they ask here. What a quote is exported to is in `exporting`.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from estimator.catalogue import Card, Catalogue, HourlyOffer, Lot
from estimator.catalogue_store import read_own, refreshed
from estimator.problems import FileRefused
from estimator.quote import Quote
from estimator.storage import SUFFIX, quote_from_text, read_quote
from estimator.wording import Wording
from estimator.wording.phrases import quote_name
from estimator.wording.refreshing import change_text
from ui.dialogs import Choice, Dialogs
from ui.own_catalogue import OwnCatalogue
from ui.runner import Runner
from ui.session import Session
from ui.settings import Settings

if TYPE_CHECKING:
    from estimator.imports.work import WorkList

_MOST_LINES = 12


class Files(QObject):
    """File actions of one window.

    `said`: a sentence for the status bar; `opened`: another quote is shown; `kept`: the planner's catalogue has
    other records.
    """

    said = Signal(str)
    opened = Signal()
    kept = Signal()

    def __init__(
        self,
        session: Session,
        runner: Runner,
        settings: Settings,
        catalogue: OwnCatalogue,
        dialogs: Dialogs,
        today: Callable[[], dt.date],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._settings = settings
        self.catalogue = catalogue
        self.dialogs = dialogs
        self._today = today
        self._stamp: tuple[float, int] | None = None
        session.refused.connect(self._say_refusal)

    @property
    def words(self) -> Wording:
        """The window's language."""
        return self.dialogs.words

    def new(self, quote: Quote) -> bool:
        """Show a new quote, once the open one is dealt with."""
        if not self.may_leave():
            return False
        self._session.show(quote, modified=True)
        self._stamp = None
        self.opened.emit()
        return True

    def open_sample(self, name: str) -> bool:
        """Open an embedded sample as an untitled copy."""
        text = files("resources.samples").joinpath(f"{name}{SUFFIX}").read_text(encoding="utf-8")
        if not self.may_leave():
            return False
        self._session.show(quote_from_text(text))
        self._stamp = None
        self.opened.emit()
        return True

    def open(self, path: Path | None = None) -> bool:
        """Open a file, asking for one where none is named. A refused one leaves the open quote as it is."""
        if path is None:
            path = self.dialogs.open_file(self.folder)
        if path is None or not self.may_leave():
            return False
        if not self._session.open_file(path):
            return False
        self._settings.remember_file(path)
        self._stamp = _stamp(path)
        self.opened.emit()
        return True

    def save(self) -> bool:
        """Save to the quote's own file, or ask for one."""
        path = self._session.path
        if path is None:
            return self.save_as()
        was_changed = self._stamp is not None and _stamp(path) not in (None, self._stamp)
        if was_changed and self.dialogs.replace_changed(path.name) is not Choice.REPLACE:
            return False
        return self._save_to(path)

    def save_as(self) -> bool:
        """Ask for a file and save to it; the extension is added where it is missing."""
        if self._session.quote is None:
            return False
        kinds = self.words.t("Cabida quotes (*.cabida);;All files (*)")
        path = self.dialogs.save_file(str(Path(self.folder) / f"{self.stem()}{SUFFIX}"), kinds)
        return path is not None and self._save_to(with_suffix(path, SUFFIX))

    def may_leave(self) -> bool:
        """Return whether the open quote may be left: saved, given up, or nothing to lose."""
        quote = self._session.quote
        if quote is None or not self._session.is_modified:
            return True
        choice = self.dialogs.save_changes(quote_name(self.words, quote))
        if choice is Choice.SAVE:
            return self.save()
        if choice is Choice.DISCARD:
            self._session.drop_recovery_copy()
            return True
        return False

    def offer_recovery(self) -> bool:
        """Offer the copies of quotes that were not saved; a broken one is put aside and never stops the start."""
        copies = self._session.recovery
        if copies is None:
            return False
        for file in copies.left_behind():
            try:
                quote = read_quote(file)
                when = dt.datetime.fromtimestamp(file.stat().st_mtime)
            except (FileRefused, OSError):
                with contextlib.suppress(OSError):
                    file.replace(file.with_suffix(".unreadable"))
                continue
            choice = self.dialogs.recover(self.words.date_time(when))
            if choice is Choice.RECOVER and copies.take_over(file):
                self._session.recover(quote)
                self._stamp = None
                self.opened.emit()
                return True
            if choice is not Choice.DISCARD:
                return False  # Escape decides nothing: the copy is offered again at the next start
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)
        return False

    def import_prices(self, path: Path | None = None) -> bool:
        """Read a table of prices, or a colleague's catalogue, into the planner's own after a preview."""
        words = self.words
        if path is None:
            path = self.dialogs.open_table(self.folder)
        if path is None:
            return False
        try:
            other, notes = self._read_prices(path)
        except FileRefused as refusal:
            self._say_refusal(refusal)
            return False
        read = len(other.lots) + len(other.hourly) + len(other.cards)
        if not read:
            nothing = words.sentence("no_offers_read", {"name": path.name})
            self.said.emit(" ".join([nothing, *notes[:1]]))
            return False
        title = words.n(
            "{count} record read from {name}", "{count} records read from {name}", read, name=path.name
        )
        lines = [offer.name for offer in (*other.hourly, *other.lots)][:_MOST_LINES] + notes
        if self.dialogs.apply_changes(title, tuple(lines)) is not Choice.APPLY:
            return False
        return self._keep(other)

    def add_logo(self, path: Path | None = None) -> bool:
        """Put a picture into the quote as the issuer's logo, asking for a file where none is named."""
        from ui.logo import logo_from_file

        words = self.words
        path = path or self.dialogs.open_picture(self.folder)
        if path is None:
            return False
        try:
            logo = logo_from_file(path)
        except FileRefused as refusal:
            self._say_refusal(refusal)
            return False
        self._session.edit(
            words.t("add a logo"), lambda quote: quote.replaced(issuer=quote.issuer.replaced(logo=logo))
        )
        return True

    def import_work(self, path: Path | None = None, text: str | None = None) -> bool:
        """Read a task list or a project plan and show its preview; `text`: a pasted table in place of a file."""
        from estimator.imports.projects import read_project
        from estimator.imports.tables import read_table
        from estimator.imports.work import read_work
        from ui.import_dialog import unit_of

        quote = self._session.quote
        if quote is None:
            return False
        if path is None and text is None:
            path = self.dialogs.open_work(self.folder)
        if path is None and text is None:
            return False
        words = self.words
        name = words.t("clipboard") if path is None else path.name
        try:
            if path is not None and path.suffix.lower() in (".xml", ".gan"):
                work = read_project(path)
            else:
                table = read_table(path or (text or "").encode("utf-8"), name)
                work = read_work(table, words.number_format.value, unit_of(quote))
        except FileRefused as refusal:
            self._say_refusal(refusal)
            return False
        if not work.rows:
            nothing = words.sentence("no_tasks_read", {"name": name})
            self.said.emit(" ".join([nothing, *(words.problem(one) for one in work.problems[:1])]))
            return False
        self.dialogs.preview_work(work, quote, lambda stage_id: self._apply_work(work, stage_id))
        return True

    def _apply_work(self, work: WorkList, stage_id: str) -> None:
        from estimator.imports.into import with_stages_of, with_tasks_of

        words = self.words
        label = words.t("import tasks from {name}", name=work.source)
        if stage_id:
            self._session.edit(label, lambda quote: with_tasks_of(quote, stage_id, work))
        else:
            self._session.edit(label, lambda quote: with_stages_of(quote, work))
        self.said.emit(words.n("{count} row imported", "{count} rows imported", len(work.rows)))

    def keep_own_offers(self) -> bool:
        """Keep the quote's own offers, with their cards, for other quotes."""
        quote = self._session.quote
        own = () if quote is None else tuple(offer for offer in quote.offers if offer.own)
        if quote is None or not own:
            self.said.emit(self.words.t("The quote has no offer of your own."))
            return False
        cards = (quote.card(offer.card_id) for offer in own)
        kept = Catalogue(
            cards=tuple({card.id: card for card in cards if card is not None and card.own}.values()),
            lots=tuple(offer for offer in own if isinstance(offer, Lot)),
            hourly=tuple(offer for offer in own if isinstance(offer, HourlyOffer)),
        )
        return self._keep(kept)

    def keep_card(self, card: Card) -> bool:
        """Keep a card model of the planner's own for this and other quotes."""
        return self._keep(Catalogue(cards=(card,)))

    def _keep(self, other: Catalogue) -> bool:
        try:
            changes = self.catalogue.add(other)
        except FileRefused as refusal:
            self._say_refusal(refusal)
            return False
        self.said.emit(self.words.n("{count} record kept", "{count} records kept", len(changes)))
        self.kept.emit()
        return True

    def export_catalogue(self) -> bool:
        """Write the planner's own records to a file for a colleague."""
        suggested = str(Path(self.folder) / f"{self.words.t('catalogue')}.cabida-catalogue.json")
        path = self.dialogs.save_file(suggested, self.words.t("Cabida catalogues (*.json)"))
        if path is None:
            return False
        try:
            self.catalogue.export(with_suffix(path, ".json"))
        except FileRefused as refusal:
            self._export_failed(refusal)
            return False
        self.said.emit(self.words.t("Written: {name}", name=path.name))
        return True

    def refresh_prices(self) -> bool:
        """Compare the quote's copied prices with the catalogue, show what differs, and apply on request."""
        quote = self._session.quote
        if quote is None:
            return False
        words = self.words
        _, changes = refreshed(quote, self.catalogue.merged())
        if not changes:
            self.said.emit(words.t("The copied prices are those of the catalogue."))
            return False
        lines = tuple(change_text(words, one) for one in changes)
        title = words.n("{count} copied value differs", "{count} copied values differ", len(changes))
        shown = lines[:_MOST_LINES]
        if len(lines) > len(shown):
            shown = (*shown, words.t("and {count} more", count=words.number(len(lines) - len(shown))))
        if self.dialogs.apply_changes(title, shown) is not Choice.APPLY:
            return False
        catalogue = self.catalogue.merged()
        self._session.edit(
            words.t("refresh the copied prices"), lambda before: refreshed(before, catalogue)[0]
        )
        return True

    def _read_prices(self, path: Path) -> tuple[Catalogue, list[str]]:
        if path.suffix.lower() == ".json" or path.suffix == ".cabida-catalogue":
            return read_own(path), []
        from estimator.imports.prices import read_offers
        from estimator.imports.tables import read_table

        words = self.words
        table = read_table(path)
        offers, problems = read_offers(
            table, self.catalogue.merged().cards, words.number_format.value, self._currency()
        )
        lots = tuple(offer for offer in offers if isinstance(offer, Lot))
        hourly = tuple(offer for offer in offers if isinstance(offer, HourlyOffer))
        notes = [words.problem(problem) for problem in (*table.notes, *problems)]
        return Catalogue(lots=lots, hourly=hourly), notes

    def _currency(self) -> str:
        quote = self._session.quote
        return "EUR" if quote is None else quote.pricing.currency

    def _save_to(self, path: Path) -> bool:
        if not self._session.save(path):
            return False
        self._settings.remember_file(path)
        self._stamp = _stamp(path)
        self.said.emit(self.words.t("Saved: {name}", name=path.name))
        return True

    @property
    def folder(self) -> str:
        """Where a file dialog starts: beside the quote, else beside the newest recent file, else at home."""
        path = self._session.path
        if path is not None:
            return str(path.parent)
        recent = next((one for one in self._settings.recent_files if one.parent.is_dir()), None)
        return str(recent.parent if recent is not None else Path.home())

    def stem(self) -> str:
        path, quote = self._session.path, self._session.quote
        if path is not None:
            return path.stem
        name = "" if quote is None else quote.name
        kept = "".join(one if one.isalnum() or one in " -_" else "-" for one in name).strip()
        return kept or self.words.t("quote")

    def _say_refusal(self, refusal: FileRefused) -> None:
        self.said.emit(self.words.refused(refusal))

    def _export_failed(self, error: FileRefused) -> None:
        self.said.emit(refused_export(self.words, error))


def refused_export(words: Wording, refusal: FileRefused) -> str:
    """Return what to say where a file could not be written."""
    return words.t("{reason} Export again under another name.", reason=words.refused(refusal))


def with_suffix(path: Path, suffix: str) -> Path:
    """Return the path with the suffix, added where the name has another one or none."""
    return path if path.suffix.lower() == suffix else path.with_name(path.name + suffix)


def _stamp(path: Path) -> tuple[float, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime, found.st_size
