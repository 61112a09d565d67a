"""Nouns of a result: memory ledgers, plans, price lines, and the estimate that holds them."""
