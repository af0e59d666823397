"""Tuples, lists, sets, dicts: how they are built, read, changed and iterated over."""
