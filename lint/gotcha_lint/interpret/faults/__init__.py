"""Faults that values prove: carries, losses, indices, operands; what grows, what is pickled."""
