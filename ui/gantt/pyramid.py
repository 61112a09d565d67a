"""How busy each row is in coarser and coarser bins, for painting more bars than pixels.

One byte a bin: bit 7 a problem inside, bits 4 to 6 the colour class, bits 0 to 3 the share of busy time in
fifteenths, rounded up, so that nothing busy is ever shown as unused. Not for figures: those come from the
columns of the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ui.gantt.model import BarFlag, GanttModel

Bins = NDArray[np.uint8]
FULL = 15
PROBLEM_BIT = 0x80
MOST_CELLS = 16_000_000
ROWS_AT_ONCE = 32
BINS_A_BAR = 15
"""With all levels, their critical bits and two keys a bar: 30 + 3.75 + 16 bytes, less than 50."""


@dataclass(frozen=True, eq=False)
class Pyramid:
    """Levels of bins (rows x bins), finest first; each level's bins are twice as long as the one before."""

    levels: tuple[Bins, ...]
    finest_bin_ms: int

    def level_for(self, ms_per_pixel: float) -> tuple[int, int]:
        """Number of the finest level whose bin is at least a pixel (nothing is skipped), and its length in ms."""
        bin_ms = self.finest_bin_ms
        for level in range(len(self.levels) - 1):
            if bin_ms >= ms_per_pixel:
                return level, bin_ms
            bin_ms *= 2
        return len(self.levels) - 1, bin_ms


@dataclass(frozen=True, eq=False)
class CriticalBins:
    """One bit a bin of a pyramid: whether a critical bar lies in it. Packed along the rows."""

    levels: tuple[Bins, ...]

    def cut(self, level: int, rows: slice, first_bin: int, last_bin: int) -> Bins:
        """Zeros and ones of the bins [first_bin, last_bin) of some rows."""
        first_byte = first_bin // 8
        packed = self.levels[level][rows, first_byte : -(-last_bin // 8)]
        bits = np.unpackbits(packed, axis=1)
        return bits[:, first_bin - first_byte * 8 : last_bin - first_byte * 8]


def pyramid_of(model: GanttModel) -> Pyramid:
    """The model's pyramid, built once and kept with it; that of a part is taken from its whole."""
    kept: Pyramid | None = model.__dict__.get("_pyramid")
    if kept is None:
        if model.part_of is None:
            kept = build_pyramid(model)
        else:
            whole = pyramid_of(model.part_of[0])
            kept = Pyramid(tuple(level[model.part_of[1]] for level in whole.levels), whole.finest_bin_ms)
        model.__dict__["_pyramid"] = kept
    return kept


def critical_bins_of(model: GanttModel) -> CriticalBins:
    """The bins with critical bars, built once and kept with the model."""
    kept: CriticalBins | None = model.__dict__.get("_critical_bins")
    if kept is None:
        if model.part_of is None:
            kept = _critical_bins(model, pyramid_of(model))
        else:
            whole = critical_bins_of(model.part_of[0])
            kept = CriticalBins(tuple(level[model.part_of[1]] for level in whole.levels))
        model.__dict__["_critical_bins"] = kept
    return kept


def _critical_bins(model: GanttModel, pyramid: Pyramid) -> CriticalBins:
    bars, (row_count, bin_count) = model.bars, pyramid.levels[0].shape
    bin_ms = pyramid.finest_bin_ms
    chosen = np.flatnonzero(model.flags & BarFlag.CRITICAL)
    edges = np.searchsorted(bars.row[chosen], np.arange(row_count + 1))
    levels = [np.zeros((row_count, -(-level.shape[1] // 8)), dtype=np.uint8) for level in pyramid.levels]
    for first in range(0, row_count, ROWS_AT_ONCE):
        last = min(row_count, first + ROWS_AT_ONCE)
        own = chosen[edges[first] : edges[last]]
        base = (bars.row[own].astype(np.int64) - first) * bin_count
        head = bars.start_ms[own] // bin_ms
        tail = np.maximum(bars.end_ms[own] - 1, bars.start_ms[own]) // bin_ms
        hit = _covered(base + head, base + tail + 1, (last - first) * bin_count) > 0
        bits = hit.reshape(last - first, bin_count)
        for level in levels:
            level[first:last] = np.packbits(bits, axis=1)
            if bits.shape[1] > 1:
                bits = bits[:, 0::2] | bits[:, 1::2]
    return CriticalBins(tuple(levels))


def build_pyramid(model: GanttModel) -> Pyramid:
    """The pyramid of all bars: at most 15 bins a bar at the finest level, or 4096 a row; at most 16 million."""
    bars, row_count = model.bars, max(1, len(model.rows))
    cells = min(MOST_CELLS, max(row_count * 4096, bars.count * BINS_A_BAR))
    bin_count = 1 << max(0, (cells // row_count).bit_length() - 1)
    bin_count = min(bin_count, 1 << max(0, (bars.period_ms - 1).bit_length()))
    bin_ms = -(-bars.period_ms // bin_count)
    finest = np.zeros((row_count, bin_count), dtype=np.uint8)
    edges = np.searchsorted(bars.row, np.arange(row_count + 1))
    for first in range(0, row_count, ROWS_AT_ONCE):
        last = min(row_count, first + ROWS_AT_ONCE)
        chosen = slice(int(edges[first]), int(edges[last]))
        if chosen.start < chosen.stop:
            finest[first:last] = _finest_bins(model, chosen, first, last, bin_count, bin_ms)
    levels = [finest]
    while levels[-1].shape[1] > 256:
        levels.append(_halved(levels[-1]))
    return Pyramid(tuple(levels), bin_ms)


def _finest_bins(
    model: GanttModel, chosen: slice, first: int, last: int, bin_count: int, bin_ms: int
) -> Bins:
    bars = model.bars
    start, end = bars.start_ms[chosen], bars.end_ms[chosen]
    row_base = (bars.row[chosen].astype(np.int64) - first) * bin_count
    head, tail = start // bin_ms, np.maximum(end - 1, start) // bin_ms
    size = (last - first) * bin_count
    inside = head == tail
    head_share = np.where(inside, end - start, (head + 1) * bin_ms - start)
    busy: NDArray[np.float64] = np.bincount(
        row_base + head, weights=head_share.astype(np.float64), minlength=size
    ).astype(np.float64)
    across = np.flatnonzero(~inside)
    busy += np.bincount(
        row_base[across] + tail[across], weights=end[across] - tail[across] * bin_ms, minlength=size
    )
    wide = across[tail[across] - head[across] > 1]
    if wide.size:
        whole = _covered(row_base[wide] + head[wide] + 1, row_base[wide] + tail[wide], size)
        busy += whole * float(bin_ms)
    share = np.ceil(busy * (FULL / bin_ms))
    np.minimum(share, FULL, out=share)
    bins: Bins = share.astype(np.uint8)
    # A bar without length is still something that happens there.
    np.maximum.at(bins, row_base + head, 1)
    newest = np.zeros(size, dtype=np.int32)
    newest[row_base + head] = np.arange(start.size, dtype=np.int32)
    bins |= model.colour_class[chosen][np.maximum.accumulate(newest)] << np.uint8(4)
    bins[(bins & FULL) == 0] = 0
    wrong = np.flatnonzero(model.flags[chosen] & BarFlag.PROBLEM)
    if wrong.size:
        hit = _covered(row_base[wrong] + head[wrong], row_base[wrong] + tail[wrong] + 1, size)
        bins[hit > 0] |= np.uint8(PROBLEM_BIT)
    return bins.reshape(last - first, bin_count)


def _covered(first: NDArray[np.int64], past: NDArray[np.int64], size: int) -> NDArray[np.int32]:
    """How many of the ranges [first, past) cover each cell."""
    change = np.bincount(first, minlength=size + 1) - np.bincount(past, minlength=size + 1)
    return np.cumsum(change[:size], dtype=np.int32)


def _halved(bins: Bins) -> Bins:
    left, right = bins[:, 0::2], bins[:, 1::2]
    left_busy, right_busy = left & FULL, right & FULL
    busy = (left_busy + right_busy + 1) >> 1
    colour = np.where(left_busy >= right_busy, left, right) & np.uint8(0x70)
    merged = busy | colour | ((left | right) & np.uint8(PROBLEM_BIT))
    return merged.astype(np.uint8, copy=False)
