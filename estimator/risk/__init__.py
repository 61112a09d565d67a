"""Risk: how far delivery and cost may lie from the plan, and which numbers could change the decision.

Front doors: `distributions.quantile_table`, `listing.fifo_loads`, `replay.replayed`, `decisive.weighed`. It knows
no quote: what a plan costs or decides is asked of functions that it is handed.
"""
