"""Faults that values alone prove: carries, losses, indices, operands."""
