"""How values change: the abstract interpreter, and models of libraries.

Floor 3: imports `program` and `domain`. See docs/how-it-works.md.
"""
