"""What a run has recorded, kept within bounds, and compared with other runs and processes."""
