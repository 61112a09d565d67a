"""LibreOffice recalculates the workbook and comes to the core's numbers; changed cells too."""

from __future__ import annotations

import datetime as dt
import io
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.workbook import Workbook

from estimator import edits
from estimator.catalogue import Card, HourlyOffer, Lot, TermPrice
from estimator.catalogue.embedded import embedded_catalogue
from estimator.evidence import GIVEN, Stated, StatedDuration
from estimator.exports.workbook import plan_held, workbook_bytes, workbook_made
from estimator.imports.workbook_back import take_back
from estimator.plan.replay import replay
from estimator.plan.stated_values import with_value
from estimator.problems import Place
from estimator.quote import (
    AssignmentPolicy,
    CardSlicing,
    Fee,
    Organisation,
    Pricing,
    Quote,
    ResourceNeed,
    SharedResource,
    Stage,
    StageKind,
    StageLayout,
    Tasks,
    Workload,
)
from estimator.quote.document import ExchangeRate, FeeBasis, FeeKind, PriceTier
from estimator.quote.work import CardFactor, ResourceKind
from estimator.results.estimate import Estimate
from estimator.storage import quote_from_text
from estimator.units import TimeUnit
from estimator.wording import Language, NumberFormat, Wording
from tests.quotes import compared, mixed_quote
from tests.recalculation import all_recalculated, recalculated

TODAY = dt.date(2026, 11, 30)
WORDS = Wording(Language.ENGLISH, NumberFormat.EN_GB)
D = Decimal
SAMPLES = ("indice-de-las-obras", "fachada-norte", "dinamica-molecular", "afinado-cooperativo")
Recalculate = Callable[[bytes], Workbook]


@pytest.fixture(scope="module")
def recalculate(tmp_path_factory: pytest.TempPathFactory) -> Recalculate:
    """Return a function from a workbook's bytes to what LibreOffice makes of all its formulas."""
    folder = tmp_path_factory.mktemp("books")

    def convert(data: bytes) -> Workbook:
        source = folder / "book.xlsx"
        source.write_bytes(data)
        return load_workbook(recalculated(source, folder), data_only=True)

    return convert


def sample(name: str) -> Quote:
    return quote_from_text((Path(str(files("resources.samples"))) / f"{name}.cabida").read_text("utf-8"))


def given(value: str) -> Stated:
    return Stated(value=D(value), evidence=GIVEN)


def minutes(value: str) -> StatedDuration:
    return StatedDuration(value=D(value), evidence=GIVEN)


def hard_quote() -> Quote:
    """Return a quote that meets every rule: set-up, factor, slow-down, licence, hold, rates of tax, currency."""
    licence = SharedResource(id="lic", name="Licence", kind=ResourceKind.LICENCE, capacity=given("2"))
    storage = SharedResource(id="disk", name="Storage", kind=ResourceKind.STORAGE, capacity=given("1.5"))
    load = Stage(
        id="load",
        name="=Load",
        tasks=Tasks(count=(5, 4), duration=(D("7.25"), D("3.1"))),
        card_factors=(CardFactor(card_id="c", factor=given("1.13")),),
        needs=(
            ResourceNeed(resource_id="lic"),
            ResourceNeed(resource_id="disk", amount=given("0.7"), hold=minutes("2.5")),
        ),
    )
    pack = Stage(
        id="pack",
        name="Pack",
        kind=StageKind.STATION,
        after=("load",),
        tasks=Tasks(count=(3,), duration=(D("1.5"),)),
        needs=(ResourceNeed(resource_id="lic"),),
    )
    solve = Stage(
        id="solve",
        name="Solve",
        after=("pack",),
        tasks=Tasks(count=(1,) * 11, duration=tuple(D(10 + n) / 3 for n in range(11)), unit=TimeUnit.HOUR),
    )
    gate = Stage(id="gate", name="Gate", kind=StageKind.GATE, after=("solve",))
    by_need = AssignmentPolicy.AVAILABILITY
    organisation = Organisation(
        id="A",
        layouts=(
            StageLayout(stage_id="load", tasks_at_once=3, policy=by_need),
            StageLayout(stage_id="solve", tasks_at_once=2, policy=by_need),
        ),
    )
    offer = HourlyOffer(
        id="h 1",
        name="Hourly",
        card_id="c",
        currency="USD",
        price_per_card_hour=D("0.777"),
        granularity_s=60,
        minimum_s=3600,
        setup=minutes("3.3"),
        price_date=TODAY,
    )
    pricing = Pricing(
        tax_percent=given("21"),
        discount_percent=given("7.5"),
        contingency_percent=given("3"),
        rates=(ExchangeRate(currency="USD", rate=D("0.9137"), date=TODAY),),
        fees=(
            Fee(id="a", kind=FeeKind.SET_UP, price=given("12.345"), tax_percent=D(10)),
            Fee(id="b", kind=FeeKind.STORAGE, price=given("0.05"), quantity=given("333"), unit="GB"),
            Fee(id="c", kind=FeeKind.STATION),
            *fees_by_time(),
        ),
    )
    return Quote(
        name="=1+1",
        number="2026-1 & co",
        date=TODAY,
        workload=Workload(
            stages=(load, pack, solve, gate), resources=(licence, storage), mutual_slow_down=given("1.07")
        ),
        organisations=(organisation,),
        cards=(Card(id="c", name="Card", marketed_gb=D(24), power_watts=D(450)),),
        offers=(offer,),
        pricing=pricing,
    )


def fees_by_time() -> tuple[Fee, ...]:
    """Return one fee of each basis, and one by tiers."""
    tiers = (PriceTier(above=D(100), price=D("0.05")), PriceTier(above=D(200), price=D("0.0125")))
    priced = {"kind": FeeKind.OTHER, "price": given("0.0817"), "quantity": given("333"), "unit": "GB"}
    return (
        Fee(id="rented", basis=FeeBasis.RENTED_TIME, **priced),
        Fee(id="kept", basis=FeeBasis.KEPT_TIME, kept_days=given("11"), period_days=31, **priced),
        Fee(id="cards", basis=FeeBasis.CARD_HOURS, **priced),
        Fee(id="energy", basis=FeeBasis.ENERGY, **priced),
        Fee(id="out", tiers=tiers, **priced),
    )


def lots_quote() -> Quote:
    """Return lots with set-up, and more unequal tasks than the block of inputs holds."""
    tasks = Tasks(count=(2,) * 12, duration=tuple(D(5 * n + 7) for n in range(12)), unit=TimeUnit.HOUR)
    stage = Stage(id="s", name="Solve", tasks=tasks)
    lot = Lot(
        id="lot",
        name="Lot",
        card_id="c",
        cards=2,
        sample=True,
        setup=minutes("90"),
        terms=(TermPrice(days=3, price=D("27.36")), TermPrice(days=7, price=D("60.48"))),
    )
    return Quote(
        name="Lots",
        workload=Workload(stages=(stage,), mutual_slow_down=given("1")),
        organisations=(Organisation(id="A", layouts=(StageLayout(stage_id="s", tasks_at_once=3),)),),
        cards=(Card(id="c", name="Card", marketed_gb=D(24), power_watts=D(450)),),
        offers=(lot,),
        pricing=Pricing(tax_percent=given("21"), fees=fees_by_time()),
    )


def made(quote: Quote) -> tuple[Estimate, bytes]:
    result = compared(quote, TODAY)
    return result, workbook_bytes(result, WORDS, TODAY)


def with_values(data: bytes, values: dict[str, Decimal]) -> bytes:
    """Return the workbook with other numbers in named cells; what a reader would type."""
    book = load_workbook(io.BytesIO(data))
    for name, value in values.items():
        (sheet, cell) = next(iter(book.defined_names[name].destinations))
        book[sheet][cell.replace("$", "")].value = float(value)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def totals(book: Workbook) -> tuple[float, float, float]:
    """Return delivery in the sheet's unit, net and gross from the first sheet's answers."""
    sheet = book["Quote"]
    found = {sheet.cell(row, 2).value: sheet.cell(row, 3).value for row in range(4, 19)}
    return found["Delivery"], found["Net"], found["Total"]


def totals_of(result: Estimate, per_ms: int) -> tuple[float, float, float]:
    plan = result.shown_plan
    assert plan is not None
    assert isinstance(plan.price.net, Decimal)
    assert isinstance(plan.price.gross, Decimal)
    return plan.timing.delivery_ms / per_ms, float(plan.price.net), float(plan.price.gross)


def sliced_quote() -> Quote:
    """Return two stages on quarters of H100 by the hour, a task on a slice taking 1.4 times its stated time."""
    card = embedded_catalogue().card("h100-sxm")
    assert card is not None
    profile = card.slice_profile("1g.20gb")
    slicing = CardSlicing(per_card=4, card_id=card.id, profile=profile, duration_factor=given("1.4"))
    first = Stage(id="cut", name="Cut", tasks=Tasks(count=(7, 6), duration=(D(11), D(5))))
    second = Stage(id="pack", name="Pack", after=("cut",), tasks=Tasks(count=(5,), duration=(D(8),)))
    layouts = tuple(StageLayout(stage_id=one, tasks_at_once=6) for one in ("cut", "pack"))
    offer = HourlyOffer(
        id="h",
        name="H",
        card_id=card.id,
        price_per_card_hour=D(3),
        granularity_s=60,
        cards_per_node=1,
        setup=minutes("4"),
        price_date=TODAY,
    )
    return Quote(
        workload=Workload(stages=(first, second), mutual_slow_down=given("1.1")),
        organisations=(Organisation(id="A", layouts=layouts, slicing=slicing),),
        cards=(card,),
        offers=(offer,),
    )


@pytest.mark.parametrize("name", [*SAMPLES, "hard", "lots", "sliced", "mix"])
def test_every_formula_recalculates_to_the_value_stored_beside_it(
    name: str, recalculate: Recalculate
) -> None:
    quotes = {"hard": hard_quote, "lots": lots_quote, "sliced": sliced_quote, "mix": mixed_quote}
    _, data = made(quotes[name]() if name in quotes else sample(name))
    formulas, stored = load_workbook(io.BytesIO(data)), load_workbook(io.BytesIO(data), data_only=True)
    again = recalculate(data)
    checked = 0
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type != "f":
                    continue
                expected = stored[sheet.title][cell.coordinate].value
                found = again[sheet.title][cell.coordinate].value
                if isinstance(expected, str):
                    assert found == expected, (sheet.title, cell.coordinate, cell.value)
                else:
                    close = pytest.approx(_plain(expected), rel=1e-9, abs=1e-9)
                    assert _plain(found) == close, (sheet.title, cell.coordinate, cell.value)
                checked += 1
    assert checked > 20


def test_a_changed_price_and_unit_time_give_the_totals_of_the_changed_quote(recalculate: Recalculate) -> None:
    quote = sample("indice-de-las-obras")
    _, data = made(quote)
    stages = tuple(
        stage.replaced(tasks=stage.tasks.replaced(duration=(D("13.7"),)))
        if stage.id == "conversion"
        else stage
        for stage in quote.workload.stages
    )
    offers = tuple(
        offer.replaced(price_per_card_hour=D("0.93")) if isinstance(offer, HourlyOffer) else offer
        for offer in quote.offers
    )
    changed = quote.replaced(workload=quote.workload.replaced(stages=stages), offers=offers)
    values = {"unit_time_conversion": D("13.7"), "price_hivenet_rtx_4090": D("0.93")}
    # ⌈8 ÷ 2⌉ × 13.7 + 10 = 64.8 min; 2 cards × 54.8 min × 0.93 €/h = 1.6988 → 1.70
    found = totals(recalculate(with_values(data, values)))
    assert found == pytest.approx(totals_of(compared(changed, TODAY), 60_000), rel=1e-9)
    assert found[:2] == pytest.approx((64.8, 1.70))


def test_changed_times_percentages_and_rates_give_the_totals_of_the_changed_quote(
    recalculate: Recalculate,
) -> None:
    quote = hard_quote()
    _, data = made(quote)
    pricing = quote.pricing.replaced(
        tax_percent=given("4"),
        discount_percent=given("11"),
        contingency_percent=given("5.5"),
        rates=(ExchangeRate(currency="USD", rate=D("1.21"), date=TODAY),),
    )
    offer = quote.offers[0].replaced(setup=minutes("8"))
    pack = quote.workload.stages[1].replaced(tasks=Tasks(count=(3,), duration=(D("41.5"),)))
    stages = (quote.workload.stages[0], pack, *quote.workload.stages[2:])
    workload = quote.workload.replaced(stages=stages, mutual_slow_down=given("1.31"))
    changed = quote.replaced(pricing=pricing, offers=(offer,), workload=workload)
    changed = edits.with_fee(changed, "kept", kept_days=given("23"))
    changed = edits.with_fee(changed, "out", quantity=given("150"))
    values = {
        "days_kept_kept": D(23),
        "quantity_out": D(150),
        "tax_percent": D(4),
        "discount_percent": D(11),
        "contingency_percent": D("5.5"),
        "rate_USD": D("1.21"),
        "set_up_h_1": D(8),
        "unit_time_pack": D("41.5"),
        "slow_down": D("1.31"),
    }
    found = totals(recalculate(with_values(data, values)))
    assert found == pytest.approx(totals_of(compared(changed, TODAY), 60_000), rel=1e-9)


@dataclass(frozen=True, slots=True)
class ScriptedEdit:
    """What a reader types: a value into each of some yellow cells, found by the number's place in the quote."""

    quote: str
    cells: tuple[tuple[Place, str], ...]
    spanish: bool = False

    @property
    def name(self) -> str:
        """What the case is called."""
        places = "+".join("/".join(where[1:]) for where, _ in self.cells)
        return f"{self.quote}-{places}-{'es' if self.spanish else 'en'}"


def _edit(quote: str, *cells: tuple[str, str]) -> list[ScriptedEdit]:
    typed = tuple((tuple(where.split("/")), value) for where, value in cells)
    return [ScriptedEdit(quote, typed, spanish) for spanish in (False, True)]


def edits_scripted() -> list[ScriptedEdit]:
    """Return 30 edits, each in both languages."""
    index, lots, hard, mixed = "indice-de-las-obras", "dinamica-molecular", "hard", "lots"
    conversion = "workload/stages/conversion"
    load, tax = "workload/stages/load", "pricing/tax_percent"
    found = [
        _edit(index, (f"{conversion}/count", "9")),
        _edit(index, (f"{conversion}/count", "3"), (f"{conversion}/duration/0", "7.3")),
        _edit(index, (f"{conversion}/count", "5000")),
        _edit(index, (f"{conversion}/duration/0", "13.7"), ("offers/hivenet-rtx-4090/price", "0.93")),
        _edit(index, (f"{conversion}/duration/0", "0")),
        _edit(index, ("workload/stages/ensamblaje/duration/0", "0.125")),
        _edit(index, ("workload/mutual_slow_down", "1.37")),
        _edit(index, ("offers/hivenet-rtx-4090/price", "0")),
        _edit(index, (tax, "0")),
        _edit(index, (tax, "100")),
        _edit(lots, ("workload/mutual_slow_down", "1.9")),
        _edit(lots, ("offers/LOT_COUNT", "9")),
        _edit(lots, ("offers/LOT_PRICE", "0.015")),
        _edit(lots, ("pricing/discount_percent", "0"), (tax, "7.25")),
        _edit(hard, (f"{load}/duration/0", "1"), (f"{load}/duration/1", "44.4")),
        _edit(hard, (f"{load}/card_factors/c", "0.37")),
        _edit(hard, (f"{load}/needs/disk/hold", "0")),
        _edit(hard, (f"{load}/needs/disk/hold", "9000")),
        _edit(hard, ("offers/h 1/setup", "0")),
        _edit(hard, ("offers/h 1/setup", "71.9"), ("workload/mutual_slow_down", "2")),
        _edit(hard, ("pricing/rates/USD", "1.3333"), ("pricing/contingency_percent", "12.5")),
        _edit(hard, ("pricing/discount_percent", "100")),
        # The document's rate becomes that of a fee of its own: one tax amount, rounded once.
        _edit(hard, (tax, "10"), ("pricing/fees/a/price", "12.35")),
        _edit(hard, (tax, "4"), ("pricing/discount_percent", "33.3")),
        _edit(hard, ("pricing/fees/kept/kept_days", "23"), ("pricing/fees/cards/price", "3.1")),
        _edit(hard, ("pricing/fees/out/quantity", "150")),
        _edit(hard, ("pricing/fees/out/quantity", "10000"), ("pricing/fees/energy/quantity", "1.6")),
        _edit(hard, ("workload/stages/solve/duration/3", "77.7")),
        _edit(mixed, ("workload/stages/s/duration/2", "100.5"), ("offers/lot/terms/7", "1.005")),
        _edit(mixed, ("workload/stages/s/duration/11", "900"), ("offers/lot/setup", "3.3")),
    ]
    return [one for both in found for one in both]


def quote_named(name: str) -> Quote:
    return {"hard": hard_quote, "lots": lots_quote}.get(name, lambda: sample(name))()


SPANISH = Wording(Language.SPANISH, NumberFormat.ES_ES)


def test_thirty_scripted_edits_recalculate_to_what_the_core_makes_of_them(tmp_path: Path) -> None:
    scripted = edits_scripted()
    assert len(scripted) == 60
    results = {name: compared(quote_named(name), TODAY) for name in {one.quote for one in scripted}}
    expected: list[bytes] = []
    files_typed: list[Path] = []
    for number, one in enumerate(scripted):
        words = SPANISH if one.spanish else WORDS
        result = results[one.quote]
        fixed = plan_held(result)
        assert fixed is not None
        made_first = workbook_made(result, words, TODAY)
        cells = {cell.where: cell for cell in made_first.yellow}
        edited, counts, typed = result.quote, {}, {}
        for where, value in one.cells:
            cell = next(cell for place, cell in cells.items() if _is(where, place))
            typed[cell.sheet, cell.cell] = float(D(value) / cell.scale)
            if cell.where[-1] == "count" and cell.where[0] == "offers":
                counts[cell.where[1]] = int(value)
            else:
                edited = with_value(edited, cell.where, D(value))
        again = replay(edited, fixed, counts)
        expected.append(workbook_made(result, words, TODAY, fixed=fixed, replayed=again).data)
        path = tmp_path / f"{number}.xlsx"
        path.write_bytes(_typed(made_first.data, typed))
        files_typed.append(path)
    found = all_recalculated(files_typed, tmp_path)
    for one, wanted, path in zip(scripted, expected, found, strict=True):
        _compare(one.name, wanted, path)


def _is(wanted: Place, place: Place) -> bool:
    """Return whether a place is the wanted one; the lots of a sample are found by what they are."""
    if wanted[-1] == "LOT_COUNT":
        return place[0] == "offers" and place[-1] == "count"
    if wanted[-1] == "LOT_PRICE":
        return place[0] == "offers" and place[2] == "terms"
    return wanted == place


def _typed(data: bytes, values: dict[tuple[str, str], float]) -> bytes:
    book = load_workbook(io.BytesIO(data))
    for (sheet, cell), value in values.items():
        book[sheet][cell].value = value
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _compare(name: str, expected: bytes, recalculated_path: Path) -> None:
    """Hold every formula of the workbook that the core made of the edit against LibreOffice's results."""
    formulas = load_workbook(io.BytesIO(expected))
    stored = load_workbook(io.BytesIO(expected), data_only=True)
    again = load_workbook(recalculated_path, data_only=True)
    wrong = []
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type != "f":
                    continue
                wanted = _plain(stored[sheet.title][cell.coordinate].value)
                found = _plain(again[sheet.title][cell.coordinate].value)
                if isinstance(wanted, str) or isinstance(found, str):
                    is_right = wanted == found
                else:
                    is_right = found == pytest.approx(wanted, rel=1e-9, abs=1e-9)
                if not is_right:
                    wrong.append((sheet.title, cell.coordinate, cell.value, wanted, found))
    assert not wrong, (name, len(wrong), wrong[:5])


def _plain(value: object) -> object:
    """Return days for a time of day or a length of time, as which openpyxl reads hours and minutes."""
    if isinstance(value, dt.timedelta):
        return value / dt.timedelta(days=1)
    if isinstance(value, dt.time):
        return (dt.datetime.combine(dt.date.min, value) - dt.datetime.min) / dt.timedelta(days=1)
    return value


def test_another_time_on_a_slice_gives_the_totals_of_the_changed_quote(recalculate: Recalculate) -> None:
    quote = sliced_quote()
    _, data = made(quote)
    (organisation,) = quote.organisations
    assert organisation.slicing is not None
    slower = organisation.slicing.replaced(duration_factor=given("2.3"))
    changed = quote.replaced(organisations=(organisation.replaced(slicing=slower),))
    found = totals(recalculate(with_values(data, {"slice_factor": D("2.3")})))
    assert found == pytest.approx(totals_of(compared(changed, TODAY), 60_000), rel=1e-9)


def test_a_lot_whose_term_the_work_outruns_says_so(recalculate: Recalculate) -> None:
    _, data = made(lots_quote())
    within = recalculate(data)["Lots"]["I4"].value
    slower = recalculate(with_values(data, {"slow_down": D(9)}))["Lots"]["I4"].value
    assert (within, slower) == ("The work ends in the term", "The work outruns the term")


def test_the_workbook_holds_no_macro_and_no_link_to_another_file() -> None:
    _, data = made(hard_quote())
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert not [name for name in names if "vba" in name.lower() or "externalLink" in name]


def test_a_workbook_saved_by_a_spreadsheet_program_is_taken_back(tmp_path: Path) -> None:
    result, data = made(sample("indice-de-las-obras"))
    cells = {one.where: one for one in workbook_made(result, WORDS, TODAY).yellow}
    price = cells["offers", "hivenet-rtx-4090", "price"]
    count = cells["workload", "stages", "conversion", "count"]
    path = tmp_path / "typed.xlsx"
    path.write_bytes(_typed(data, {(price.sheet, price.cell): 0.93, (count.sheet, count.cell): 11}))
    taken = take_back(recalculated(path, tmp_path), result, WORDS, TODAY)
    assert {one.where: one.after for one in taken.changes} == {price.where: D("0.93"), count.where: D(11)}
    # ⌈11 ÷ 2⌉ × 12 + 10 = 82 min; 11 × 12 min × 0.93 €/h = 2.046 → 2.05
    plan = compared(taken.quote, TODAY).shown_plan
    assert plan is not None
    assert (plan.timing.delivery_ms, plan.price.net) == (82 * 60_000, D("2.05"))


def test_a_preview_that_calculates_nothing_shows_the_totals(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not installed")
    result, data = made(sample("indice-de-las-obras"))
    (tmp_path / "cold.xlsx").write_bytes(data)
    profile = f"-env:UserInstallation={(tmp_path / 'fresh').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "csv", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "cold.xlsx")], check=True, capture_output=True, timeout=180)
    lines = (tmp_path / "cold.csv").read_text("latin-1").splitlines()
    plan = result.shown_plan
    assert plan is not None
    assert any(line.startswith(f",Total,{plan.price.gross},EUR") for line in lines), lines[:20]
    assert any(line.startswith(",Delivery,58,min") for line in lines), lines[:20]
