"""State, step, loop and checkpoints."""
