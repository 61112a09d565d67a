"""Slices of a card in the window: chosen on Organisations, seen in memory, Gantt and conditions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import pytest
from pytestqt.qtbot import QtBot

from estimator.catalogue import HourlyOffer
from estimator.catalogue.embedded import embedded_catalogue
from estimator.edits import with_memory
from estimator.evidence import GIVEN, EvidenceKind
from estimator.quote import (
    CardSlicing,
    GenerationRecipe,
    ModelUse,
    Organisation,
    Quote,
    Stage,
    StageLayout,
    Tasks,
    Workload,
)
from estimator.units import MIB
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.vocabulary import request_lines
from tests.quotes import MEASURED, TODAY, compared, given, whole_memory
from ui.gantt.model import RowKind
from ui.models.table import Group
from ui.pages.cards_rows import need_of, offer_rows
from ui.pages.conditions_rows import ConditionRow, condition_rows
from ui.pages.memory_fits import fit_rows
from ui.pages.memory_model_edits import catalogue_source
from ui.pages.memory_rows import cards_title, quote_verdicts, shown_card, verdict_rows
from ui.pages.organisations import OrganisationsPage
from ui.pages.page import Context
from ui.pages.schedule_gantt import ColourBy, chart_of
from ui.pages.schedule_notes import notes_of
from ui.runner import Runner
from ui.session import Session
from ui.theme import Theme

WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
CATALOGUE = embedded_catalogue()
H100 = CATALOGUE.card("h100-sxm")
OFFER = HourlyOffer(
    id="h100", name="H100", card_id="h100-sxm", price_per_card_hour=Decimal(3), price_date=TODAY
)


def quote_of(slicing: CardSlicing | None = None, at_once: int = 14) -> Quote:
    assert H100 is not None
    work = Stage(
        id="run",
        name="Run",
        tasks=Tasks(count=(56,), duration=(Decimal(10),), evidence=MEASURED),
        memory=whole_memory(6, MEASURED),
    )
    layout = StageLayout(stage_id="run", tasks_at_once=at_once)
    return Quote(
        workload=Workload(stages=(work,), mutual_slow_down=given(1)),
        cards=(H100,),
        offers=(OFFER,),
        organisations=(Organisation(id="A", layouts=(layout,), slicing=slicing),),
    )


def sevenths() -> CardSlicing:
    profile = None if H100 is None else H100.slice_profile("1g.10gb")
    assert profile is not None
    return CardSlicing(per_card=7, card_id="h100-sxm", profile=profile)


@pytest.fixture
def session(qtbot: QtBot) -> Iterator[Session]:
    runner = Runner()
    yield Session(runner, lambda: dt.date(2026, 11, 30))
    runner.close()


@pytest.fixture
def page(qtbot: QtBot, session: Session) -> OrganisationsPage:
    page = OrganisationsPage(Context(session, WORDS, Theme(), embedded_catalogue))
    qtbot.addWidget(page)

    def show() -> None:
        if session.quote is not None:
            page.show_state(session.quote, session.estimate, session.is_stale)

    session.changed.connect(show)
    session.estimated.connect(show)
    page.resize(1166, 620)
    page.show()
    return page


def choices(page: OrganisationsPage) -> list[str]:
    use = page.form.slicing.use
    return [use.itemText(at) for at in range(use.count())]


def chosen(session: Session) -> CardSlicing | None:
    assert session.quote is not None
    return session.quote.organisations[0].slicing


def pick(page: OrganisationsPage, place: int) -> None:
    use = page.form.slicing.use
    use.setCurrentIndex(place)
    use.activated.emit(place)


def test_only_the_ways_of_the_quotes_own_cards_are_offered(session: Session, page: OrganisationsPage) -> None:
    session.show(quote_of())
    assert choices(page) == [
        "Whole cards",
        "7 × 1g.10gb of 9.75 GiB · H100 SXM, 80 GB",
        "4 × 1g.20gb of 19.62 GiB · H100 SXM, 80 GB",
        "3 × 2g.20gb of 19.62 GiB · H100 SXM, 80 GB",
        "2 × 3g.40gb of 39.50 GiB · H100 SXM, 80 GB",
        "Shared by several tasks",
    ]
    assert not page.form.slicing.isVisible()


def test_a_card_copied_before_slices_were_known_takes_them_from_the_catalogue(
    session: Session, page: OrganisationsPage
) -> None:
    quote = quote_of()
    session.show(quote.replaced(cards=tuple(card.replaced(slices=()) for card in quote.cards)))
    assert len(choices(page)) == 6


def test_choosing_a_profile_copies_it_into_the_quote_and_undo_takes_it_back(
    session: Session, page: OrganisationsPage
) -> None:
    session.show(quote_of())
    pick(page, 1)
    assert chosen(session) == sevenths()
    assert page.form.slicing.factor.isVisible()
    assert not page.form.slicing.per_card.isVisible()
    assert page.form.slicing.chip.kind is EvidenceKind.ASSUMED
    session.undo()
    assert chosen(session) is None
    assert not page.form.slicing.isVisible()


def test_slices_of_a_card_that_left_the_quote_are_still_shown(
    session: Session, page: OrganisationsPage
) -> None:
    session.show(quote_of(sevenths()).replaced(cards=(), offers=()))
    assert page.form.slicing.use.currentText() == "7 × 1g.10gb of 9.75 GiB · H100 SXM, 80 GB"
    assert choices(page)[0] == "Whole cards"
    assert len(choices(page)) == 3


def test_tasks_that_share_a_card_are_counted_and_their_part_may_be_stated(
    session: Session, page: OrganisationsPage
) -> None:
    session.show(quote_of())
    pick(page, len(choices(page)) - 1)
    row = page.form.slicing
    row.per_card.committed.emit(Decimal(4))
    row.percent.committed.emit(Decimal(20))
    row.factor.committed.emit(Decimal("1.5"))
    row.chip.committed.emit(GIVEN)
    found = chosen(session)
    assert found is not None
    assert (found.per_card, found.memory_percent, found.is_isolated) == (4, Decimal(20), False)
    assert (found.duration_factor.value, found.duration_factor.kind) == (Decimal("1.5"), EvidenceKind.GIVEN)
    # Another number of tasks on a card: what was said of a task among four no longer holds.
    row.per_card.committed.emit(Decimal(8))
    assert chosen(session) == CardSlicing(per_card=8)


def test_the_use_of_each_card_is_reached_from_its_place(session: Session, page: OrganisationsPage) -> None:
    session.show(quote_of(sevenths()))
    assert page.go_to(("organisations", "A", "slicing"))
    assert page.form.slicing.use.hasFocus()
    assert page.go_to(("organisations", "A", "slicing", "duration_factor"))
    assert page.form.slicing.factor.hasFocus()


def test_memory_is_held_against_one_slice() -> None:
    found = compared(quote_of(sevenths()), TODAY)
    card = shown_card(found)
    assert card is not None
    assert (card.name, card.usable_bytes) == ("H100 SXM, 80 GB · 1g.10gb", 9984 * MIB)
    assert [one.card.name for one in quote_verdicts(found)] == [card.name]
    assert cards_title(WORDS, found) == "14 equal slices"
    rows = verdict_rows(WORDS, found, CATALOGUE)
    assert [row.card.name for row in rows if not isinstance(row, Group)] == [card.name]


def test_whole_cards_are_listed_with_the_slices_they_could_be_cut_into() -> None:
    rows = verdict_rows(WORDS, compared(quote_of(at_once=2), TODAY), CATALOGUE)
    at = next(place for place, row in enumerate(rows) if isinstance(row, Group) and "Slices" in row.title)
    slices = [row.card.name for row in rows[at + 1 :] if not isinstance(row, Group)]
    assert slices == [f"H100 SXM, 80 GB · {name}" for name in ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb")]


def model_quote(slicing: CardSlicing | None) -> Quote:
    """The quote with Qwen2.5 3B generating in bf16 instead of a stated need."""
    record = next(one for one in CATALOGUE.models if one.id == "qwen2.5-3b")
    use = ModelUse(source=catalogue_source(record), recipe=GenerationRecipe())
    return with_memory(quote_of(slicing, at_once=2), "run", phases=(), model=use)


def test_a_models_fits_list_the_slices_and_spread_it_over_none_of_them() -> None:
    quote = model_quote(None)
    rows = fit_rows(WORDS, quote, "run", quote.organisations[0], CATALOGUE)
    at = next(place for place, row in enumerate(rows) if isinstance(row, Group) and "Slices" in row.title)
    slices = [row for row in rows[at + 1 :] if not isinstance(row, Group)]
    assert slices[0].card.name == "H100 SXM, 80 GB · 1g.10gb"
    assert [row.verdict.usable_bytes for row in slices] == [row.card.usable_bytes for row in slices]
    assert {row.fit.least_cards.used for row in slices if row.fit is not None} <= {1, None}
    sliced = fit_rows(WORDS, quote, "run", quote.organisations[0].replaced(slicing=sevenths()), CATALOGUE)
    (only,) = [row for row in sliced if not isinstance(row, Group)]
    assert only.card.name == "H100 SXM, 80 GB · 1g.10gb"
    assert only.verdict == slices[0].verdict


def test_a_row_of_the_gantt_is_a_slice_of_a_card() -> None:
    found = compared(quote_of(sevenths()), TODAY)
    chart = chart_of(WORDS, found, colour_by=ColourBy.LOT)
    assert chart is not None
    rows = [row.name for row in chart.model.rows if row.kind is RowKind.CARD]
    assert (rows[0], rows[6], rows[7], rows[13]) == ("Card 1 · 1", "Card 1 · 7", "Card 2 · 1", "Card 2 · 7")
    assert len(rows) == 14


def test_empty_slices_are_said_while_tasks_wait() -> None:
    said = notes_of(WORDS, compared(quote_of(sevenths(), at_once=10), TODAY)).sentences
    assert said[0].startswith("4 slices of these cards are empty")
    full = notes_of(WORDS, compared(quote_of(sevenths()), TODAY)).sentences
    assert not any("empty" in sentence for sentence in full)


def test_offers_are_asked_for_cards_and_held_against_the_slice() -> None:
    quote = quote_of(sevenths())
    found = compared(quote, TODAY)
    need = need_of(found)
    assert need is not None
    assert (need.tasks_at_once, need.cards) == (14, 2)
    rows = offer_rows(quote, found, CATALOGUE, TODAY)
    own = next(row for row in rows.all if row.used)
    assert own.usable_bytes == 9984 * MIB
    others = {row.barred.code for row in rows.not_admitted if row.barred is not None}
    assert "no_such_slice" in others


def test_the_request_and_the_conditions_say_how_cards_are_cut() -> None:
    quote = quote_of(sevenths())
    found = compared(quote, TODAY)
    lines = {line.name: line.value for line in request_lines(WORDS, quote, found)}
    assert lines["Cards in slices"] == "7 slices 1g.10gb of each H100 SXM, 80 GB"
    assert lines["Cards per task"] == "1/7"
    rows = [row for row in condition_rows(WORDS, found) if isinstance(row, ConditionRow)]
    timed = next(row for row in rows if row.condition.code == "slice_duration")
    assert timed.decisive
    # Stated nowhere: from as long as on the whole card to seven times, its part of the computing.
    assert (timed.value, timed.possible) == ("1", "1 to 7")
