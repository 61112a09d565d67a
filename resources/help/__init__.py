"""Pictures for the README and the help."""
