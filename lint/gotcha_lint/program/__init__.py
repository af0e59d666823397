"""What a program's text says, with no knowledge of JAX: the lowest floor of the engine.

Text becomes an `ast`, and the `ast` a small instruction set (`ir.py`) in which every construct of
Python has one form. Nothing here imports from the floors above it.
"""
