"""What can be known of a value, without running it: the abstract domain of the engine.

Floor 2: imports only `program`. See docs/how-it-works.md.
"""
