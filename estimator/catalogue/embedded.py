"""The catalogue that comes with the program, read once. A planner's own is laid over it elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from estimator.catalogue.book import Catalogue


@cache
def embedded_catalogue() -> Catalogue:
    """Return the embedded catalogue; the same frozen value at every call."""
    return Catalogue.model_validate_json(files("resources.catalogue").joinpath("catalogue.json").read_bytes())
