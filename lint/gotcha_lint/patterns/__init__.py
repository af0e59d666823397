"""Patterns of faults that a function shows by its text alone, read off the program (IR)."""
