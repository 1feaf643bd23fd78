"""Keep it."""
