"""Labelled programs with one fault of compiled training code each, and a scorer for any linter."""
