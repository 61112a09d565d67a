"""Sample quotes to open and learn from; every one is fictional."""
