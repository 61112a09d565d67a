"""The planner's own catalogue beside the embedded one: read once, kept in the application's own folder."""

from __future__ import annotations

from pathlib import Path

from estimator.catalogue import Catalogue, merged
from estimator.catalogue.embedded import embedded_catalogue
from estimator.catalogue_store import CatalogueChange, added, read_own, save_own
from estimator.problems import FileRefused


class OwnCatalogue:
    """What the planner added, laid over the embedded catalogue. Kept across quotes."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "own.cabida-catalogue"
        self._own: Catalogue | None = None
        self._merged: Catalogue | None = None
        self.refusal: FileRefused | None = None
        """Why the kept file could not be read; it is left as it is."""

    @property
    def own(self) -> Catalogue:
        """The planner's records alone."""
        if self._own is None:
            self._own = Catalogue()
            if self._file.exists():
                try:
                    self._own = read_own(self._file)
                except FileRefused as refusal:
                    self.refusal = refusal
        return self._own

    def merged(self) -> Catalogue:
        """Return the embedded catalogue with the planner's records laid over it."""
        if self._merged is None:
            self._merged = merged(embedded_catalogue(), self.own)
        return self._merged

    def add(self, other: Catalogue) -> tuple[CatalogueChange, ...]:
        """Add records and keep them; return what changed. Raises FileRefused where they cannot be kept."""
        own, changes = added(self.own, other)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        if self.refusal is not None:
            # The unreadable file is the planner's: it is put aside, never written over.
            self._file.replace(self._file.with_suffix(".unreadable"))
            self.refusal = None
        save_own(own, self._file)
        self._own, self._merged = own, None
        return changes

    def export(self, path: Path) -> None:
        """Write the planner's records to a file for a colleague. Raises FileRefused."""
        save_own(self.own, path)
