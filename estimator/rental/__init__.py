"""Rental: terms of whole days, cards by the hour, and the cheapest whole lots for a need.

Front doors: `terms.cover_days`, `hourly.card_billed_ms` with `hourly.hourly_cost`, `plan.plan_lots`.
No rounding and no tax here (see `price.py`).
"""
