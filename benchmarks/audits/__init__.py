"""Faults that a reader wrote down in public projects before the linter ran on them."""
