"""Distributions as tables of 4,096 values, one for each equal share of probability, in rising order.

Drawing is then one look-up, whatever the distribution. Not the drawing itself (see `sampling.py`).
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimator.evidence import Distribution

Values = NDArray[np.float64]

ENTRIES = 4096
_GRID = 65_536
_P90 = NormalDist().inv_cdf(0.9)


def quantile_table(distribution: Distribution, low: float, value: float, high: float) -> Values:
    """Return the [4096] quantiles at the middle of each share. `low` ≤ `value` ≤ `high`, or ValueError.

    A lognormal needs `low` above 0; where it is not, the triangle stands for it.
    """
    if not low <= value <= high:
        raise ValueError("a range holds its value")
    if low == high:
        table = np.full(ENTRIES, value)
    elif distribution is Distribution.UNIFORM:
        table = low + (high - low) * _shares()
    elif distribution is Distribution.LOGNORMAL and low > 0:
        middle, half = np.log(low * high) / 2, np.log(high / low) / 2
        table = np.exp(middle + half / _P90 * _standard_normal())
    elif distribution is Distribution.PERT:
        table = low + (high - low) * _pert((value - low) / (high - low))
    else:
        table = low + (high - low) * _triangle((value - low) / (high - low))
    table.flags.writeable = False
    return table


def empirical_table(observed: ArrayLike) -> Values:
    """Return the [4096] means of the equal shares of the observed values: their mean is kept exactly."""
    values = np.sort(np.asarray(observed, dtype=np.float64))
    if values.ndim != 1 or not len(values):
        raise ValueError("a distribution needs an observed value")
    sums = np.concatenate([[0.0], np.cumsum(values)])
    edges = np.arange(ENTRIES + 1) * (len(values) / ENTRIES)
    table: Values = np.diff(np.interp(edges, np.arange(len(values) + 1), sums)) * (ENTRIES / len(values))
    table = np.maximum.accumulate(table)  # differences of long sums may lose their order in the last digit
    table.flags.writeable = False
    return table


def normal_table(mean: float, deviation: float) -> Values:
    """Return the [4096] quantiles of a normal distribution: of a sum of many independent parts."""
    table: Values = mean + deviation * _standard_normal()
    table.flags.writeable = False
    return table


def share_below(table: Values, value: float) -> float:
    """Return the probability of at most `value`; a table of one value steps from 0 to 1 at it."""
    below, up_to = (float(np.searchsorted(table, value, side=side)) for side in ("left", "right"))
    if below != up_to or up_to in (0, ENTRIES):
        return up_to / ENTRIES
    left, right = table[int(below) - 1], table[int(below)]
    return float((below - 0.5 + (value - left) / (right - left)) / ENTRIES)


@lru_cache(maxsize=1)
def _shares() -> Values:
    return (np.arange(ENTRIES) + 0.5) / ENTRIES


@lru_cache(maxsize=1)
def _standard_normal() -> Values:
    normal = NormalDist()
    return np.array([normal.inv_cdf(share) for share in _shares().tolist()])


def _triangle(peak: float) -> Values:
    """Quantiles of the triangle on 0..1 with that peak."""
    share = _shares()
    return np.where(share < peak, np.sqrt(share * peak), 1 - np.sqrt((1 - share) * (1 - peak)))


@lru_cache(maxsize=64)
def _pert(peak: float) -> Values:
    """Quantiles of the beta distribution 1 + 4 peak, 1 + 4 (1 - peak) on 0..1, summed on a fine grid."""
    at = (np.arange(_GRID) + 0.5) / _GRID
    density = at ** (4 * peak) * (1 - at) ** (4 * (1 - peak))
    below = np.cumsum(density)
    edges = np.concatenate([[0.0], below / below[-1]])
    found: Values = np.interp(_shares(), edges, np.arange(_GRID + 1) / _GRID)
    return found
