"""The eight pages of the method and the start page. Each shows the session's quote and estimate."""
