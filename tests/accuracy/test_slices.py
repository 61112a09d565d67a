"""Slices of a card: known answers worked by hand, and what always holds of them."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given as holds
from hypothesis import settings
from hypothesis import strategies as st
from pydantic import ValidationError

from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.catalogue.embedded import embedded_catalogue
from estimator.estimate import headline
from estimator.evidence import GIVEN, Evidence, EvidenceKind, Stated
from estimator.exports.json_text import as_json
from estimator.exports.requests import Scheduler, request_text, stage_requests
from estimator.figures import explain
from estimator.problems import Absent
from estimator.quote import CardSlicing, Organisation, Quote, Stage, StageKind, StageLayout, Tasks, Workload
from estimator.results.estimate import Estimate, OrganisationResult, Plan, Timing
from estimator.results.memory import Fit
from estimator.storage import quote_from_text, quote_to_text
from estimator.units import GIB, MIB
from estimator.wording import Language, NumberFormat, Wording
from estimator.wording.explanations import explanation
from tests.quotes import MEASURED, MINUTE, TODAY, compared, given, whole_memory

D = Decimal
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_US)
SLICED = [(card, profile) for card in embedded_catalogue().cards for profile in card.slices]


def catalogued(card_id: str) -> Card:
    card = embedded_catalogue().card(card_id)
    assert card is not None
    return card


H100, A100 = catalogued("h100-sxm"), catalogued("a100-sxm-80")
HOURLY = HourlyOffer(
    id="h100-hourly", name="H100", card_id=H100.id, price_per_card_hour=D(3), price_date=TODAY
)
A100_HOURLY = HourlyOffer(
    id="a100-hourly", name="A100", card_id=A100.id, price_per_card_hour=D(2), price_date=TODAY
)
LOT = Lot(
    id="h100-lot",
    name="Lot",
    card_id=H100.id,
    cards=1,
    price_date=TODAY,
    terms=(TermPrice(days=3, price=D(150)),),
)


def isolated(name: str, card: Card = H100, factor: Stated | None = None) -> CardSlicing:
    profile = card.slice_profile(name)
    assert profile is not None
    slicing = CardSlicing(per_card=profile.per_card, card_id=card.id, profile=profile)
    return slicing if factor is None else slicing.replaced(duration_factor=factor)


def sliced_quote(
    slicing: CardSlicing | None,
    *,
    tasks: int = 56,
    gib: object = 6,
    at_once: int | None = 14,
    offers: tuple[Lot | HourlyOffer, ...] = (HOURLY,),
    stage: Stage | None = None,
) -> Quote:
    """`tasks` of 10 minutes, measured, in one organisation on H100."""
    work = stage or Stage(
        id="run",
        name="Run",
        tasks=Tasks(count=(tasks,), duration=(D(10),), evidence=MEASURED),
        memory=whole_memory(gib, MEASURED),
    )
    layout = StageLayout(stage_id=work.id, tasks_at_once=at_once)
    organisation = Organisation(id="A", layouts=(layout,), slicing=slicing, mechanism="DDP")
    cards = {offer.card_id: catalogued(offer.card_id) for offer in offers}
    return Quote(
        workload=Workload(stages=(work,), mutual_slow_down=given(1)),
        cards=tuple(cards.values()),
        offers=offers,
        organisations=(organisation,),
    )


def only(found: Estimate) -> tuple[OrganisationResult, Plan]:
    (result,) = found.organisations
    return result, result.plans[0]


def gross(plan: Plan) -> Decimal:
    assert not isinstance(plan.price.gross, Absent)
    return plan.price.gross


def codes(found: Estimate) -> set[str]:
    return {one.code for one in found.conditions}


def test_fifty_six_tasks_on_two_cards_of_seven_slices_take_four_waves() -> None:
    # 2 cards × 7 slices = 14 at once; ⌈56 ÷ 14⌉ = 4 waves of 10 min = 40 min. Paid: 2 cards × 40 min × 3 an
    # hour = 4.00; 14 slices of 40 min would be 28.00.
    result, plan = only(compared(sliced_quote(isolated("1g.10gb")), TODAY))
    assert plan.timing.delivery_ms == 40 * MINUTE
    assert (result.tasks_at_once, result.cards_required, plan.decision.cards) == (14, 2, 2)
    assert (plan.timing.places, plan.timing.slices_per_card) == (14, 7)
    assert plan.holdings[0].paid_card_ms == 2 * 40 * MINUTE
    assert gross(plan) == D("4.00")
    assert plan.unused_card_ms == 0  # 56 × 10 min on sevenths of a card = 80 card minutes, all that is paid


def test_ten_at_once_leave_slices_of_the_second_card_empty() -> None:
    # ⌈10 ÷ 7⌉ = 2 cards, 7 + 3 slices; ⌈30 ÷ 10⌉ = 3 waves = 30 min.
    result, plan = only(headline(sliced_quote(isolated("1g.10gb"), tasks=30, at_once=10), TODAY))
    assert (result.cards_required, plan.timing.places) == (2, 10)
    assert plan.timing.delivery_ms == 30 * MINUTE
    # Paid 60 card minutes; 30 tasks × 10 min ÷ 7 = 42 min 51.43 s of a card.
    assert plan.unused_card_ms == 60 * MINUTE - 300 * MINUTE // 7


def test_whole_lots_are_taken_for_cards_and_never_for_slices() -> None:
    # 14 at once in slices of 1/7: 2 lots of one card for 3 days = 300; as whole cards 14 lots = 2,100.
    _, plan = only(headline(sliced_quote(isolated("1g.10gb"), offers=(LOT,)), TODAY))
    assert (plan.holdings[0].count, gross(plan)) == (2, D(300))
    _, whole = only(headline(sliced_quote(None, offers=(LOT,)), TODAY))
    assert (whole.holdings[0].count, gross(whole)) == (14, D(2100))


def test_a_task_of_12_gib_fits_the_second_profile_and_not_the_first() -> None:
    # 12 GiB × 1.05 margin + 0.5 context = 13.1 GiB: above the 9.75 of 1g.10gb, below the 19.62 of 1g.20gb.
    small = headline(sliced_quote(isolated("1g.10gb"), gib=12), TODAY)
    assert small.organisations[0].plans == ()
    ((offer_id, reason),) = small.organisations[0].excluded
    assert (offer_id, reason.code) == ("h100-hourly", "does_not_fit")
    assert ("card", "H100 SXM, 80 GB · 1g.10gb") in reason.values
    (verdict,) = small.organisations[0].verdicts
    assert (verdict.fits, verdict.usable_bytes) == (Fit.NO, 9984 * MIB)
    next_one = headline(sliced_quote(isolated("1g.20gb"), gib=12, at_once=8), TODAY)
    result, plan = only(next_one)
    assert result.verdicts[0].usable_bytes == int(D("19.62") * 1024) * MIB
    assert (plan.decision.cards, plan.verdict.fits) == (2, Fit.YES)  # 8 at once, 4 on each card


def test_blank_tasks_at_once_fill_the_slices_of_the_fewest_cards_in_time() -> None:
    # Limit 45 min: one card is 8 waves = 80 min, two are 40 min.
    quote = sliced_quote(isolated("1g.10gb"), at_once=None)
    assert only(headline(quote, TODAY))[0].tasks_at_once == 7
    limit = {"value": D(45), "unit": "min", "evidence": GIVEN}
    timed = quote.replaced(workload=quote.workload.replaced(limit=limit))
    result, plan = only(headline(timed, TODAY))
    assert (result.tasks_at_once, result.cards_required) == (14, 2)
    assert plan.timing.delivery_ms == 40 * MINUTE


def test_the_staircase_counts_cards() -> None:
    # 56 tasks: 1 card 8 waves, 2 cards 4, 3 cards ⌈56 ÷ 21⌉ = 3, 4 cards 2, 8 cards 1.
    steps = compared(sliced_quote(isolated("1g.10gb")), TODAY).staircase
    minutes = {step.cards: step.delivery_ms // MINUTE for step in steps}
    assert [minutes[cards] for cards in (1, 2, 3, 4, 8)] == [80, 40, 30, 20, 10]


def test_the_staircase_shows_the_plan_itself_where_it_leaves_slices_empty() -> None:
    # 10 at once on 2 cards: ⌈56 ÷ 10⌉ = 6 waves; a third card filled: ⌈56 ÷ 21⌉ = 3.
    found = compared(sliced_quote(isolated("1g.10gb"), at_once=10), TODAY)
    minutes = {step.cards: step.delivery_ms // MINUTE for step in found.staircase}
    assert (minutes[1], minutes[2], minutes[3]) == (80, 60, 30)
    assert only(found)[1].timing.delivery_ms == 60 * MINUTE


def test_a_stated_factor_lengthens_each_task_and_its_absence_scales_nothing() -> None:
    # A slice has one seventh of the card's computing; only what the planner states (× 2.5) is applied.
    untold, told = (isolated("1g.10gb", factor=factor) for factor in (None, given("2.5")))
    assert only(headline(sliced_quote(untold), TODAY))[1].timing.delivery_ms == 40 * MINUTE
    assert only(headline(sliced_quote(told), TODAY))[1].timing.delivery_ms == 100 * MINUTE


def test_an_unmeasured_time_on_a_slice_keeps_the_quote_provisional() -> None:
    untold = headline(sliced_quote(isolated("1g.10gb")), TODAY)
    condition = next(one for one in untold.conditions if one.code == "slice_duration")
    assert (condition.decisive, condition.kind) == (True, EvidenceKind.ASSUMED)
    assert untold.organisations[0].time_kind is EvidenceKind.ASSUMED
    told = headline(sliced_quote(isolated("1g.10gb", factor=given(1))), TODAY)
    assert "slice_duration" not in codes(told)
    assert "slice_permitted" in codes(told)  # the provider's consent stays open
    assert told.organisations[0].time_kind is EvidenceKind.DERIVED


def test_a_size_known_from_its_label_alone_is_a_condition() -> None:
    b200 = catalogued("b200-sxm")
    offer = HOURLY.replaced(id="b200", card_id=b200.id)
    read = headline(sliced_quote(isolated("1g.23gb", b200), offers=(offer,)), TODAY)
    assert "slice_size" not in codes(read)
    labelled = headline(sliced_quote(isolated("3g.90gb", b200), at_once=4, offers=(offer,)), TODAY)
    assert "slice_size" in codes(labelled)
    assert labelled.organisations[0].verdicts[0].usable_bytes == 90 * 10**9


def test_tasks_that_share_a_card_in_time_have_equal_parts_or_the_part_stated() -> None:
    # 81,559 MiB ÷ 4 = 20,389.75 MiB each; a stated 20 % is 16,311.8 MiB.
    equal, stated = CardSlicing(per_card=4), CardSlicing(per_card=4, memory_percent=D(20))
    found = headline(sliced_quote(equal, at_once=8), TODAY)
    result, plan = only(found)
    assert result.verdicts[0].usable_bytes == H100.usable_bytes // 4
    assert plan.decision.cards == 2
    assert {"shared_duration", "shared_memory", "shared_permitted"} <= codes(found)
    part = stated.of(H100)
    assert part is not None
    assert part.usable_bytes == H100.usable_bytes * 20 // 100
    assert part.usable_basis == "reported"


def test_another_card_model_is_left_out_with_its_reason() -> None:
    found = headline(sliced_quote(isolated("1g.20gb"), at_once=8, offers=(HOURLY, A100_HOURLY)), TODAY)
    result, plan = only(found)
    assert plan.decision.card_ids == (H100.id,)
    ((offer_id, reason),) = result.excluded
    assert (offer_id, reason.code) == ("a100-hourly", "no_such_slice")


@pytest.mark.parametrize("kind", [StageKind.COOPERATIVE, StageKind.INDEPENDENT])
def test_a_task_over_several_cards_has_no_figures_on_slices(kind: StageKind) -> None:
    stage = Stage(
        id="run",
        name="Run",
        kind=kind,
        tasks=Tasks(count=(4,), duration=(D(10),)),
        memory=whole_memory(6),
    )
    quote = sliced_quote(isolated("1g.10gb"), stage=stage)
    layout = StageLayout(stage_id="run", cards_per_task=2, tasks_at_once=2)
    wide = quote.replaced(organisations=(quote.organisations[0].replaced(layouts=(layout,)),))
    found = headline(wide, TODAY)
    timing = found.organisations[0].timing
    assert isinstance(timing, Absent)
    assert timing.code == "slice_too_narrow"
    assert "slice_too_narrow" in {one.code for one in found.problems}


def test_the_cards_are_explained_by_the_slices_of_each() -> None:
    figure = explain(compared(sliced_quote(isolated("1g.10gb")), TODAY), "cards")
    assert figure.formula == "cards_in_slices"
    assert dict(figure.steps[0].gaps) == {"at_once": 14, "slices": 7}
    assert figure.value == 2


def test_the_explanations_say_slices_and_the_stated_factor() -> None:
    # ⌈56 ÷ 14⌉ = 4 waves of 10 min × 2.5 = 100 min.
    found = compared(sliced_quote(isolated("1g.10gb", factor=given("2.5"))), TODAY)
    cards = explanation(WORDS, found, "cards")
    assert cards.formula_numbers == "⌈14 ÷ 7⌉ = 2"
    assert "Rent counts cards, never slices." in cards.notes
    assert explanation(WORDS, found, "delivery").formula_numbers == "⌈56 ÷ 14⌉ × 10 min × 2.5 = 100 min"
    peak = explanation(WORDS, found, "peak")
    assert "Each task has one of the 7 slices of a card: its memory alone counts." in peak.notes
    usable = next(one for one in peak.inputs if one.name.startswith("Usable on H100 SXM, 80 GB · 1g.10gb"))
    assert usable.value == "9.8 GiB"


def test_a_quote_keeps_its_slices_on_disk_and_one_without_them_still_opens() -> None:
    quote = sliced_quote(isolated("1g.10gb"))
    text = quote_to_text(quote)
    assert quote_from_text(text) == quote
    older = json.loads(text)
    del older["quote"]["organisations"][0]["slicing"]
    for card in older["quote"]["cards"]:
        del card["slices"]
    opened = quote_from_text(json.dumps(older))
    assert opened.organisations[0].slicing is None
    assert opened.cards[0].slices == ()


def test_a_cluster_is_asked_for_slices() -> None:
    # 14 at once; the limit is 10 min × 2.5 = 1,500 s.
    found = compared(sliced_quote(isolated("1g.10gb", factor=given("2.5"))), TODAY)
    requests = stage_requests(found)
    assert not isinstance(requests, Absent)
    assert (requests[0].at_once, requests[0].seconds) == (14, 1500)
    texts = {one: str(request_text(found, one)) for one in Scheduler}
    assert "--gres=gpu:1g.10gb:1" in texts[Scheduler.SLURM]
    assert '"nvidia.com/mig-1g.10gb": 1' in texts[Scheduler.KUBERNETES]
    assert "num_gpus=1," in texts[Scheduler.RAY]
    # Stated nowhere: the scheduler must not kill a task that takes seven times as long, 4,200 s.
    untold = stage_requests(compared(sliced_quote(isolated("1g.10gb")), TODAY))
    assert not isinstance(untold, Absent)
    assert untold[0].seconds == 4200


def test_a_cluster_is_asked_for_a_part_of_a_shared_card() -> None:
    found = compared(sliced_quote(CardSlicing(per_card=3), at_once=6), TODAY)
    texts = {one: str(request_text(found, one)) for one in Scheduler}
    assert "--gres=shard:1" in texts[Scheduler.SLURM]
    assert '"nvidia.com/gpu.shared": 1' in texts[Scheduler.KUBERNETES]
    assert "num_gpus=0.3333," in texts[Scheduler.RAY]  # three of them are no more than a card
    assert "memory-of-each-slice-at-least-bytes" in texts[Scheduler.RAY]


def test_programs_are_told_of_the_slices() -> None:
    (told,) = as_json(compared(sliced_quote(isolated("1g.10gb")), TODAY))["organisations"]
    assert told["slicing"] == {
        "per_card": 7,
        "profile": "1g.10gb",
        "isolated": True,
        "duration_factor": "1",
        "duration_factor_evidence": "assumed",
        "usable_bytes": {"h100-sxm": 9984 * MIB},
    }
    (whole,) = as_json(compared(sliced_quote(None, at_once=2), TODAY))["organisations"]
    assert whole["slicing"] is None


@pytest.mark.parametrize(("card", "profile"), SLICED, ids=[f"{card.id} {one.name}" for card, one in SLICED])
def test_the_slices_of_a_catalogued_card_never_exceed_its_memory_or_its_computing(
    card: Card, profile: object
) -> None:
    part = isolated(getattr(profile, "name", ""), card).of(card)
    found = card.slice_profile(getattr(profile, "name", ""))
    assert part is not None
    assert found is not None
    # Nothing is cut off by the card's own size: what is listed does fit that many times.
    assert part.usable_bytes == (found.reported_bytes or found.marketed_gb * 10**9)
    assert part.usable_bytes * found.per_card <= card.usable_bytes
    assert found.per_card * found.compute_parts <= found.compute_parts_of
    keys = {note.key for note in embedded_catalogue().sources}
    assert set(found.sources) <= keys
    assert found.sources


def test_a_card_seen_smaller_than_its_model_has_smaller_slices() -> None:
    part = isolated("1g.10gb").of(H100.replaced(observed_bytes=49 * GIB))
    assert part is not None
    assert part.usable_bytes == 7 * GIB


@pytest.mark.parametrize(
    "fields",
    [
        {"per_card": 1},
        {"per_card": 4, "memory_percent": 26},
        {"per_card": 8, "card_id": H100.id, "profile": H100.slices[0]},
        {"per_card": 7, "profile": H100.slices[0]},
        {"per_card": 7, "card_id": H100.id, "profile": H100.slices[0], "memory_percent": 10},
    ],
)
def test_slices_beyond_the_card_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CardSlicing.model_validate(fields)


@settings(max_examples=30, deadline=None)
@holds(st.integers(2, 16), st.integers(1, 50), st.sampled_from(embedded_catalogue().cards))
def test_parts_of_a_shared_card_never_exceed_its_memory(per_card: int, percent: int, card: Card) -> None:
    stated = D(percent) if percent * per_card <= 100 else None
    part = CardSlicing(per_card=per_card, memory_percent=stated).of(card)
    assert part is not None
    assert part.usable_bytes * per_card <= card.usable_bytes


@settings(max_examples=25, deadline=None)
@holds(st.sampled_from([None, *H100.slices]), st.integers(1, 4), st.integers(1, 60))
def test_lots_for_as_many_cards_cost_the_same_however_they_are_sliced(
    profile: object, cards: int, tasks: int
) -> None:
    # The same cards held for the same term cost the same; only what they do meanwhile differs.
    name = getattr(profile, "name", "")
    slicing = isolated(name) if name else None
    slices = 1 if slicing is None else slicing.per_card
    quote = sliced_quote(slicing, tasks=tasks, at_once=cards * slices, offers=(LOT,), gib=1)
    result, plan = only(headline(quote, TODAY))
    assert isinstance(result.timing, Timing)
    assert (result.cards_required, plan.decision.cards) == (cards, cards)
    assert gross(plan) == cards * D(150)
    assert plan.timing.delivery_ms == -(-tasks // (cards * slices)) * 10 * MINUTE
    assert plan.unused_card_ms >= 0


def test_evidence_of_a_profile_is_kept_with_the_quote() -> None:
    slicing = isolated("1g.10gb", factor=Stated(value=D(2), evidence=Evidence(kind=EvidenceKind.MEASURED)))
    assert slicing.profile is not None
    assert slicing.profile.sources == ("MIGDOC", "MIGLIST")
