"""What is still to be verified, and what that makes of the quote: draft, provisional, firm or failed."""

from estimator.conditions.derived import conditions_of, status_of

__all__ = ["conditions_of", "status_of"]
