"""What is still to be verified, and what that makes of the quote: draft, provisional, firm or failed."""

from estimator.conditions.derived import conditions_of, status_of
from estimator.conditions.weighed import weighed_conditions

__all__ = ["conditions_of", "status_of", "weighed_conditions"]
