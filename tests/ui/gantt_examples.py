"""Charts that several tests of the Gantt share: the source's example, and random ones of any size."""

from __future__ import annotations

import numpy as np

from ui.gantt.model import (
    BarFlag,
    Difference,
    GanttModel,
    GanttRow,
    Limit,
    Milestone,
    RowKind,
    Tone,
    build_model,
)

MINUTE = 60_000


def source_example() -> GanttModel:
    """Eight conversions of 12 min and an assembly of 10: B over two cards (58 min), A over one (106 min)."""
    card, station, gate = RowKind.CARD, RowKind.STATION, RowKind.GATE
    rows = (
        GanttRow(RowKind.HEADING, "B · 2 × 1, elegida", "entrega 58 min", tone=Tone.GOOD),
        GanttRow(card, "Tarjeta 1"),
        GanttRow(card, "Tarjeta 2"),
        GanttRow(station, "Puesto 1"),
        GanttRow(gate, "Aceptación"),
        GanttRow(RowKind.HEADING, "A · 1 × 1, referencia", "entrega 106 min, fuera de límite", tone=Tone.BAD),
        GanttRow(card, "Tarjeta 1"),
        GanttRow(station, "Puesto 1"),
    )
    bars = [(1 + n // 4, 12 * (n % 4), 12, 1, 0, f"Doc. {n + 1}") for n in range(8)]
    bars += [(3, 48, 10, 3, 1, "Ensamblaje")]
    bars += [(6, 12 * n, 12, 1, 0, f"Doc. {n + 1}") for n in range(8)]
    bars += [(7, 96, 10, 3, 1, "Ensamblaje")]
    return build_model(
        rows,
        row=[b[0] for b in bars],
        start_ms=[b[1] * MINUTE for b in bars],
        end_ms=[(b[1] + b[2]) * MINUTE for b in bars],
        colour_class=[b[3] for b in bars],
        group=[b[4] for b in bars],
        group_names=("Conversión", "Ensamblaje"),
        label=lambda index: bars[index][5],
        milestones=(Milestone(4, 58 * MINUTE, "Lote validado"),),
        differences=(Difference(4, 106 * MINUTE, 58 * MINUTE, "48 min antes"),),
        limit=Limit(90 * MINUTE, "límite 90"),
    )


def random_chart(
    count: int, row_count: int, seed: int, longest_ms: int = 600_000, gap_ms: int = 200_000
) -> GanttModel:
    """Bars and gaps of random length, the same number in each row; one bar in 50 has a problem."""
    random = np.random.default_rng(seed)
    a_row = max(1, count // row_count)
    length = random.integers(1, longest_ms, (row_count, a_row))
    gap = random.integers(0, gap_ms, (row_count, a_row)) * (random.random((row_count, a_row)) < 0.5)
    end = np.cumsum(length + gap, axis=1)
    return build_model(
        [GanttRow(RowKind.CARD, f"Card {n + 1}") for n in range(row_count)],
        row=np.repeat(np.arange(row_count), a_row),
        start_ms=(end - length).ravel(),
        end_ms=end.ravel(),
        colour_class=random.integers(1, 8, row_count * a_row),
        flags=(random.random(row_count * a_row) < 0.02).astype(np.uint8),
        label=lambda index: f"Task {index}",
    )


def grouped_chart(seed: int = 1, bars_a_row: int = 12) -> GanttModel:
    """Two lots, the first of two nodes, of two or three cards each; a station and a gate under neither."""
    heading, card = RowKind.HEADING, RowKind.CARD
    rows = (
        GanttRow(heading, "Lot 1", "4 cards", group="lot 1"),
        GanttRow(heading, "Node 1", "2 cards", group="node 1", depth=1),
        GanttRow(card, "Card 1", depth=2),
        GanttRow(card, "Card 2", depth=2),
        GanttRow(heading, "Node 2", "2 cards", group="node 2", depth=1),
        GanttRow(card, "Card 3", depth=2),
        GanttRow(card, "Card 4", depth=2),
        GanttRow(heading, "Lot 2", "3 cards", group="lot 2"),
        GanttRow(card, "Card 5", depth=1),
        GanttRow(card, "Card 6", depth=1),
        GanttRow(card, "Card 7", depth=1),
        GanttRow(RowKind.STATION, "Station"),
        GanttRow(RowKind.GATE, "Gate"),
    )
    random = np.random.default_rng(seed)
    working = np.array([at for at, row in enumerate(rows) if row.kind in (card, RowKind.STATION)])
    length = random.integers(1, 500, (working.size, bars_a_row))
    gap = random.integers(0, 200, (working.size, bars_a_row)) * (
        random.random((working.size, bars_a_row)) < 0.5
    )
    end = np.cumsum(length + gap, axis=1)
    return build_model(
        rows,
        row=np.repeat(working, bars_a_row),
        start_ms=(end - length).ravel(),
        end_ms=end.ravel(),
        colour_class=random.integers(1, 8, working.size * bars_a_row),
        flags=(random.random(working.size * bars_a_row) < 0.2).astype(np.uint8) * int(BarFlag.CRITICAL),
        label=lambda index: f"Task {index}",
        milestones=(Milestone(12, int(end.max()), "done"),),
    )
