"""Layers of neural networks: their types, modes and state, and what a call of one starts."""
