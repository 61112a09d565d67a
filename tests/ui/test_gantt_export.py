"""The chart as files: complete or not at all, with words that stay words."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QImage
from pytestqt.qtbot import QtBot

from estimator.wording import Language, NumberFormat, Wording
from tests.ui.gantt_examples import grouped_chart, random_chart, source_example
from ui.gantt import export
from ui.gantt.folding import folded
from ui.gantt.look import GanttLook
from ui.gantt.model import GanttRow, LegendEntry, RowKind, build_model, legend
from ui.gantt.paint import MOST_LEGEND_LINES, head_width, legend_lines
from ui.theme import LIGHT

A4_HEIGHT = (210 - 2 * export.PAGE_MARGIN_MM) / 25.4 * export.SCREEN_DPI


@pytest.fixture
def look(qtbot: QtBot) -> GanttLook:
    font = QFont("DejaVu Sans")
    font.setPixelSize(13)
    return GanttLook(LIGHT, Wording(Language.ENGLISH, NumberFormat.EN_US), font, for_print=True)


def test_each_format_is_written_whole_and_leaves_nothing_beside_it(tmp_path: Path, look: GanttLook) -> None:
    model = source_example()
    export.save_png(tmp_path / "a.png", model, look, legend(model))
    export.save_svg(tmp_path / "a.svg", model, look, legend(model))
    export.save_pdf(tmp_path / "a.pdf", model, look, legend(model))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg"]
    image = QImage(str(tmp_path / "a.png"))
    assert image.width() == 2244
    assert image.height() < image.width() / 2  # few rows take no more than they need
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_a_failed_save_leaves_the_older_file(
    tmp_path: Path, look: GanttLook, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.png"
    target.write_bytes(b"older")

    def refuse(_source: object, _target: object) -> None:
        raise PermissionError("in use")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(PermissionError):
        export.save_png(target, source_example(), look)
    assert target.read_bytes() == b"older"
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


def test_text_in_svg_stays_text(look: GanttLook) -> None:
    content = export.svg_bytes(source_example(), look).decode()
    assert "Lote validado" in content
    assert "Doc. 8" in content


def test_a_merged_picture_says_so(look: GanttLook) -> None:
    content = export.svg_bytes(random_chart(20_000, 4, 1), look).decode()
    assert "20,000 bars, shown merged" in content
    assert "shown merged" not in export.svg_bytes(source_example(), look).decode()


def test_the_same_chart_gives_the_same_bytes(look: GanttLook) -> None:
    assert export.png_bytes(source_example(), look) == export.png_bytes(source_example(), look)
    assert export.svg_bytes(source_example(), look) == export.svg_bytes(source_example(), look)


def test_pages_repeat_the_heading_that_they_continue(look: GanttLook) -> None:
    rows = [GanttRow(RowKind.HEADING, "Lot 1")]
    rows += [GanttRow(RowKind.CARD, f"Card {n}") for n in range(100)]
    model = build_model(rows, row=list(range(1, 101)), start_ms=[0] * 100, end_ms=[1_000] * 100)
    pages = export.pages_of(model, look, 500, export.FOOT_MARGIN)
    assert len(pages) > 1
    assert all(page.rows[0].name == "Lot 1" for page in pages)
    assert sum(page.bars.count for page in pages) == 100


def test_a_page_begins_with_every_heading_it_continues_and_ends_with_none(look: GanttLook) -> None:
    rows = [GanttRow(RowKind.HEADING, "Plan", group="plan", depth=-1)]
    for lot in range(6):
        rows.append(GanttRow(RowKind.HEADING, f"Lot {lot}", group=f"lot {lot}"))
        rows += [GanttRow(RowKind.CARD, f"Card {n}", depth=1) for n in range(20)]
    rows.append(GanttRow(RowKind.STATION, "Station"))
    cards = [at for at, row in enumerate(rows) if row.kind is not RowKind.HEADING]
    model = build_model(rows, row=cards, start_ms=[0] * len(cards), end_ms=[1_000] * len(cards))
    pages = export.pages_of(model, look, 420, export.FOOT_MARGIN)
    assert len(pages) > 3
    assert sum(page.bars.count for page in pages) == len(cards)
    for page in pages:
        names = [row.name for row in page.rows]
        assert names[0] == "Plan"
        assert page.rows[-1].kind is not RowKind.HEADING
        first = next(at for at, row in enumerate(page.rows) if row.kind is not RowKind.HEADING)
        assert page.rows[first - 1].name.startswith("Lot") or page.rows[first].name == "Station"


def test_the_pages_of_a_chart_share_one_axis(look: GanttLook) -> None:
    model = build_model(
        [GanttRow(RowKind.CARD, "A card with a rather long name" if n == 90 else "Card") for n in range(100)],
        row=list(range(100)),
        start_ms=[0] * 100,
        end_ms=[1_000 + n for n in range(100)],
    )
    pages = export.pages_of(model, look, 500, export.FOOT_MARGIN)
    assert {head_width(page, look) for page in pages} == {head_width(model, look)}
    assert {page.horizon_ms for page in pages} == {model.horizon_ms}
    content = export.pdf_bytes(model, look)
    assert (
        content.count(b"/Type /Page\n")
        == len(export.pages_of(model, look, A4_HEIGHT, export.FOOT_MARGIN))
        > 1
    )


def test_a_picture_of_a_folded_chart_shows_what_is_folded_as_one_row(look: GanttLook) -> None:
    shown = folded(grouped_chart(), {"lot 1"}).model
    content = export.svg_bytes(shown, look).decode()
    assert "4 cards" in content
    assert "Card 5" in content
    assert "Card 1<" not in content


def test_a_legend_breaks_into_lines_and_counts_what_is_beyond_the_last(look: GanttLook) -> None:
    entries = [LegendEntry(1, f"Stage {number} with a rather long name") for number in range(40)]
    few = legend_lines(entries[:7], look, 600)
    assert [place.entry for line in few for place in line] == entries[:7]
    assert len(few) == 4
    assert legend_lines(entries[:2], look, 600, kept=300)[1][0].entry == entries[1]
    every = legend_lines(entries, look, 600)
    assert len(every) == MOST_LEGEND_LINES
    assert every[-1][-1].text == "and 31 more"
    (narrow,) = legend_lines(entries[:1], look, 100)[0]
    assert narrow.text.endswith("…")


def test_every_entry_of_a_long_legend_stands_under_the_picture(look: GanttLook) -> None:
    names = [f"Stage {number} with a rather long name" for number in range(8)]
    rows = [GanttRow(RowKind.CARD, "Card")]
    starts = [1_000 * number for number in range(8)]
    model = build_model(
        rows,
        row=[0] * 8,
        start_ms=starts,
        end_ms=[start + 1_000 for start in starts],
        group=range(8),
        group_names=names,
    )
    content = export.svg_bytes(model, look, legend(model), export.PictureShape(width=500)).decode()
    assert all(name in content for name in names)
