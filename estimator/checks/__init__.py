"""What is wrong or missing in a quote, each with its place. Checks never change anything and never raise."""

from estimator.checks.quote_checks import problems_of

__all__ = ["problems_of"]
