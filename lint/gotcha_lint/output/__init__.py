"""What is printed: formats' frames, tables, the terminal, progress, explanations."""
