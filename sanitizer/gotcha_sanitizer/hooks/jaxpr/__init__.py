"""Walks over traced programs, each for one question."""
