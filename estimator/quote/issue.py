"""What was issued to the customer: the figures of one revision, frozen on the day it was handed out."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from pydantic import Field

from estimator.frozen import Frozen


class IssuedLine(Frozen):
    """One price line as issued; `amount` None: not included."""

    name: str
    amount: Decimal | None = None


class IssuedFigures(Frozen):
    """The answer as issued. None where the figure was not known."""

    status: str
    organisation: str = ""
    plan: str = ""
    cards: int | None = None
    card: str = ""
    peak_bytes: int | None = None
    usable_bytes: int | None = None
    delivery_ms: int | None = None
    currency: str = ""
    net: Decimal | None = None
    tax: Decimal | None = None
    gross: Decimal | None = None
    open_conditions: int = 0
    decisive_conditions: int = 0
    lines: tuple[IssuedLine, ...] = ()


class Issue(Frozen):
    """One revision: its number, when it was issued and until when it holds, and what it said."""

    number: str
    revision: int = Field(ge=0)
    issued: dt.date
    expires: dt.date
    figures: IssuedFigures
