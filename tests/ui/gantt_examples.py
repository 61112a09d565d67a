"""Charts that several tests of the Gantt share: the source's example, and random ones of any size."""

from __future__ import annotations

import numpy as np

from ui.gantt.model import (
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
