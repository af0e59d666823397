"""What follows from the events: how many programs a function compiles to, captures, stale state.

Floor 4: imports `program`, `domain` and `interpret`. See docs/how-it-works.md.
"""
