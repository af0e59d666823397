"""A static linter for the pitfalls of compiled training code in JAX."""

__version__ = "0.2.0"
