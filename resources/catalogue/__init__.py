"""The embedded catalogue: cards, links, models, observed prices and sample lots, as JSON."""
