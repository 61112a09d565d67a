"""Saving, opening, exporting and recovering: what is said, what stays on disk, what is asked."""

from __future__ import annotations

import errno
import json
import os
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from estimator import edits
from estimator.catalogue import Card
from estimator.catalogue_store import read_own
from estimator.exports.csv_text import CsvFormat, CsvTable
from estimator.exports.requests import Scheduler
from estimator.exports.workbook import plan_held, workbook_made
from estimator.plan.replay import replay
from estimator.plan.stated_values import with_value
from estimator.storage import quote_to_text, read_quote, save_quote
from estimator.wording.vocabulary import document_words
from tests.quotes import HIVENET, source_quote
from tests.ui.windows import PATIENCE_MS, Seat, seat
from ui.csv_dialog import CsvDialog
from ui.dialogs import Choice
from ui.own_card_dialog import OwnCardDialog
from ui.own_catalogue import OwnCatalogue

NAMES = ("Presupuesto ñandú – 東京.cabida", "Größe Ω 100 %.cabida", "étude.cabida")


@pytest.fixture
def planner(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Seat]:
    with seat(qapp, qtbot, tmp_path / "data") as found:
        yield found


def rename(planner: Seat, name: str) -> None:
    planner.window.session.edit("rename", lambda quote: quote.replaced(name=name))


def opened(planner: Seat, path: Path) -> None:
    save_quote(source_quote(), path)
    assert planner.window.files.open(path)


def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every write that is made durable fail as on a full disk."""

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)


def test_a_full_disk_keeps_the_old_file_and_the_edit_and_says_why(
    planner: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "obra.cabida"
    opened(planner, path)
    before = path.read_bytes()
    rename(planner, "Changed")
    full_disk(monkeypatch)
    assert not planner.window.files.save()
    assert path.read_bytes() == before
    assert planner.quote.name == "Changed"
    assert planner.window.session.is_modified
    assert "obra.cabida" in planner.said[-1]
    assert "espacio" in planner.said[-1]
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["obra.cabida"]


def test_leaving_with_a_save_that_fails_leaves_nothing(
    planner: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(planner, tmp_path / "obra.cabida")
    rename(planner, "Changed")
    full_disk(monkeypatch)
    planner.answers.choice = Choice.SAVE
    assert not planner.window.close()
    assert planner.quote.name == "Changed"
    monkeypatch.undo()


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_an_export_onto_a_file_without_permission_offers_another_name(
    planner: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(planner, tmp_path / "obra.cabida")
    planner.wait_for_answer()
    old = tmp_path / "oferta.xlsx"
    old.write_bytes(b"old")

    def read_only(path: object, mode: int) -> bool:
        return False

    monkeypatch.setattr(os, "access", read_only)  # who runs tests may be allowed everything
    assert planner.window.exports.workbook(old)
    planner.qtbot.waitUntil(lambda: any("oferta.xlsx" in one for one in planner.said), timeout=PATIENCE_MS)
    assert "permiso" in planner.said[-1]
    assert "otro nombre" in planner.said[-1]
    assert old.read_bytes() == b"old"
    json_file = tmp_path / "oferta.json"
    json_file.write_text("{}")
    assert not planner.window.exports.json(json_file)
    assert "otro nombre" in planner.said[-1]
    assert json_file.read_text() == "{}"


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name_survives_saving_the_recent_list_reopening_and_exporting(
    planner: Seat, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    planner.window.files.new(source_quote())
    planner.answers.path = path
    assert planner.window.files.save()
    assert path.exists()
    assert planner.window.parts.settings.recent_files[0] == path
    planner.window.actions_.recent.aboutToShow.emit()
    assert planner.window.actions_.recent.actions()[0].text().replace("&&", "&") == name
    planner.wait_for_answer()
    assert planner.window.exports.json(path.with_suffix(".json"))
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    planner.window.session.close()
    assert planner.window.files.open(path)
    assert planner.window.windowTitle().startswith(name)


def test_an_accent_in_one_or_two_letters_names_two_files(planner: Seat, tmp_path: Path) -> None:
    composed, apart = (unicodedata.normalize(form, "étude.cabida") for form in ("NFC", "NFD"))
    for name, title in ((composed, "one"), (apart, "two")):
        save_quote(source_quote().replaced(name=title), tmp_path / name)
    if len(list(tmp_path.glob("*.cabida"))) == 2:
        assert planner.window.files.open(tmp_path / composed)
        assert planner.quote.name == "one"
        assert planner.window.files.open(tmp_path / apart)
        assert planner.quote.name == "two"


def test_a_file_changed_on_disk_is_not_replaced_unasked(planner: Seat, tmp_path: Path) -> None:
    path = tmp_path / "obra.cabida"
    opened(planner, path)
    other = quote_to_text(source_quote().replaced(name="A colleague's"))
    path.write_text(other, encoding="utf-8")
    rename(planner, "Mine")
    planner.answers.choice = Choice.CANCEL
    assert not planner.window.files.save()
    assert read_quote(path).name == "A colleague's"
    planner.answers.choice = Choice.REPLACE
    assert planner.window.files.save()
    assert read_quote(path).name == "Mine"
    assert len(planner.answers.asked) == 2


def test_a_file_of_a_newer_format_is_refused_in_a_sentence_and_the_open_quote_stays(
    planner: Seat, tmp_path: Path
) -> None:
    opened(planner, tmp_path / "obra.cabida")
    quote = planner.quote
    newer = tmp_path / "newer.cabida"
    newer.write_text(quote_to_text(quote).replace('"format": 1', '"format": 9', 1), encoding="utf-8")
    assert not planner.window.files.open(newer)
    assert planner.quote is quote
    assert planner.window.session.path == tmp_path / "obra.cabida"
    assert "9" in planner.window.status.message


def test_a_missing_recent_file_is_shown_but_cannot_be_opened(planner: Seat, tmp_path: Path) -> None:
    planner.window.parts.settings.remember_file(tmp_path / "gone.cabida")
    planner.window.actions_.recent.aboutToShow.emit()
    (entry,) = planner.window.actions_.recent.actions()
    assert not entry.isEnabled()


def test_the_recovery_copy_is_offered_and_opens_as_untitled(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    with seat(qapp, qtbot, tmp_path) as first:
        first.window.files.new(source_quote().replaced(name="Not saved"))
        first.window.session.write_recovery_copy()
        copy = first.window.session.recovery.file.read_bytes()
        first.answers.choice = Choice.DISCARD
        file = first.window.session.recovery.file
    assert not file.exists()  # closed on purpose
    file.write_bytes(copy)  # as after a power cut
    with seat(qapp, qtbot, tmp_path) as second:
        second.answers.choice = Choice.RECOVER
        assert second.window.files.offer_recovery()
        assert second.quote.name == "Not saved"
        assert second.window.session.path is None
        assert second.window.session.is_modified
        assert second.window.session.undo_label is None


def recovery_copy(folder: Path, text: str) -> Path:
    file = folder / "recovery" / "recovery.cabida"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_recovery_copy_refused_once_is_deleted(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    file = recovery_copy(tmp_path, quote_to_text(source_quote()))
    with seat(qapp, qtbot, tmp_path) as found:
        found.answers.choice = Choice.DISCARD
        assert not found.window.files.offer_recovery()
        assert not file.exists()
        assert found.window.session.quote is None


def test_escape_decides_nothing_about_a_recovery_copy(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    file = recovery_copy(tmp_path, quote_to_text(source_quote()))
    with seat(qapp, qtbot, tmp_path) as found:
        assert not found.window.files.offer_recovery()
    assert file.exists()


def test_a_broken_recovery_copy_is_put_aside_and_nothing_is_asked(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    file = recovery_copy(tmp_path, '{"format": 1, "quote":')
    with seat(qapp, qtbot, tmp_path) as found:
        assert not found.window.files.offer_recovery()
        assert found.answers.asked == []
        assert not file.exists()
        assert file.with_suffix(".unreadable").exists()


def test_saving_takes_the_recovery_copy_away(planner: Seat, tmp_path: Path) -> None:
    opened(planner, tmp_path / "obra.cabida")
    planner.window.session.edit("count", lambda quote: edits.with_tasks(quote, "conversion", count=(9,)))
    planner.window.session.write_recovery_copy()
    assert planner.window.session.recovery.file.exists()
    assert planner.window.files.save()
    assert not planner.window.session.recovery.file.exists()


def test_a_sample_opens_as_an_untitled_copy(planner: Seat) -> None:
    assert planner.window.files.open_sample("indice-de-las-obras")
    assert planner.window.session.path is None
    assert planner.window.session.undo_label is None
    assert not planner.window.session.is_modified


def test_own_offers_are_kept_for_other_quotes_and_carried_as_a_file(planner: Seat, tmp_path: Path) -> None:
    window = planner.window
    own = HIVENET.replaced(id="own-offer", name="My seller", own=True)
    window.files.new(edits.with_offer(source_quote(), own, None))
    assert window.files.keep_own_offers()
    assert window.files.catalogue.merged().offer("own-offer") == own
    carried = tmp_path / "mine.json"
    window.files.catalogue.export(carried)
    # A colleague reads the same file into a catalogue of their own.
    colleague = OwnCatalogue(tmp_path / "colleague")
    colleague.add(read_own(carried))
    assert colleague.merged().offer("own-offer") == own
    # It is there again after a restart.
    assert OwnCatalogue(tmp_path / "data").merged().offer("own-offer") == own


def test_a_quote_without_own_offers_keeps_nothing_and_says_so(planner: Seat) -> None:
    window = planner.window
    window.files.new(source_quote())
    assert not window.files.keep_own_offers()
    assert window.status.message == window.words.t("The quote has no offer of your own.")


def test_an_own_card_is_asked_for_and_kept(planner: Seat) -> None:
    window = planner.window
    dialog = OwnCardDialog(window.words, window.parts.theme, ["my-card"])
    made: list[Card] = []
    dialog.made.connect(made.append)
    dialog.finish()
    assert made == []
    dialog.name.setText("My card")
    dialog.marketed.setText("48")
    dialog.reported.setText("46068")
    dialog.finish()
    (card,) = made
    assert (card.id, card.own, card.usable_bytes) == ("my-card-2", True, 46_068 * 2**20)
    assert window.files.keep_card(card)
    assert window.files.catalogue.merged().card("my-card-2") == card
    dialog.deleteLater()


def test_prices_are_imported_from_a_table_after_a_preview(planner: Seat, tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    table.write_text(
        "offer;card;cards;3 days;7 days;currency;date\nMy lot;RTX 4090;2;50,00;100,00;EUR;30/11/2026\n",
        encoding="utf-8",
    )
    planner.answers.choice = Choice.APPLY
    assert planner.window.files.import_prices(table)
    lots = [lot for lot in planner.window.files.catalogue.merged().lots if lot.name == "My lot"]
    assert [(lot.cards, [str(term.price) for term in lot.terms], lot.own) for lot in lots] == [
        (2, ["50.00", "100.00"], True)
    ]


def test_the_quote_is_exported_as_pdf_markdown_and_as_a_request(planner: Seat, tmp_path: Path) -> None:
    opened(planner, tmp_path / "obra.cabida")
    planner.wait_for_answer()
    exports = planner.window.exports
    assert exports.markdown(tmp_path / "obra.md")
    assert "58 min" in (tmp_path / "obra.md").read_text(encoding="utf-8")
    for scheduler, suffix in (
        (Scheduler.SLURM, ".sh"),
        (Scheduler.KUBERNETES, ".yaml"),
        (Scheduler.RAY, ".py"),
    ):
        assert exports.request(scheduler, tmp_path / f"obra{suffix}")
        assert (tmp_path / f"obra{suffix}").read_text(encoding="utf-8")
    assert exports.pdf(tmp_path / "obra.pdf")
    planner.qtbot.waitUntil(lambda: any("obra.pdf" in one for one in planner.said), timeout=PATIENCE_MS)
    assert (tmp_path / "obra.pdf").read_bytes().startswith(b"%PDF")


def taken_back(planner: Seat, path: Path) -> None:
    """Take a workbook back and wait until it is read."""
    planner.said.clear()
    planner.answers.asked.clear()
    assert planner.window.exports.take_back(path)
    planner.qtbot.waitUntil(lambda: bool(planner.said or planner.answers.asked), timeout=PATIENCE_MS)


def test_a_changed_workbook_is_taken_back_in_one_step_after_a_preview(planner: Seat, tmp_path: Path) -> None:
    opened(planner, tmp_path / "obra.cabida")
    planner.wait_for_answer()
    result = planner.window.session.estimate
    assert result is not None
    fixed = plan_held(result)
    assert fixed is not None
    words = document_words(result.quote, planner.window.words)
    (place,) = (("offers", offer.id, "price") for offer in result.quote.offers if offer.id == HIVENET.id)
    edited = with_value(result.quote, place, Decimal("0.93"))
    path = tmp_path / "obra.xlsx"
    made = workbook_made(result, words, planner.window.parts.today(), fixed, replay(edited, fixed))
    path.write_bytes(made.data)

    planner.answers.choice = Choice.CANCEL
    taken_back(planner, path)
    assert len(planner.answers.asked) == 1
    assert "0,4 → 0,93 EUR/h" in planner.answers.details[-1]
    assert planner.quote == result.quote

    planner.answers.choice = Choice.APPLY
    taken_back(planner, path)
    offer = planner.quote.offer(HIVENET.id)
    assert offer is not None
    assert (offer.price_per_card_hour, offer.source) == (Decimal("0.93"), "obra.xlsx")
    planner.window.session.undo()
    assert planner.quote == result.quote


def test_a_workbook_that_cannot_be_taken_back_says_why_and_leaves_the_quote(
    planner: Seat, tmp_path: Path
) -> None:
    opened(planner, tmp_path / "obra.cabida")
    planner.wait_for_answer()
    before = planner.quote
    path = tmp_path / "prices.xlsx"
    path.write_bytes(b"no workbook")
    taken_back(planner, path)
    assert planner.said == ["prices.xlsx es un libro dañado. No se importó."]
    assert planner.quote == before


def test_a_table_is_exported_as_csv_in_the_marks_of_the_country(planner: Seat, tmp_path: Path) -> None:
    opened(planner, tmp_path / "obra.cabida")
    planner.wait_for_answer()
    dialog = CsvDialog(planner.window.words, planner.window.parts.theme)
    planner.qtbot.addWidget(dialog)
    heard: list[tuple[CsvTable, CsvFormat]] = []
    dialog.chosen.connect(lambda table, csv_format: heard.append((table, csv_format)))
    dialog.table.setCurrentIndex(dialog.table.findData(CsvTable.COST))
    dialog.export_button.click()
    assert heard == [(CsvTable.COST, CsvFormat(";", ",", leading_mark=True))]
    assert planner.window.exports.csv(*heard[0], path=tmp_path / "costo.csv")
    planner.qtbot.waitUntil(lambda: any("costo.csv" in one for one in planner.said), timeout=PATIENCE_MS)
    assert ";0,64;" in (tmp_path / "costo.csv").read_text(encoding="utf-8-sig")
