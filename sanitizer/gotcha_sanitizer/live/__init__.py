"""The page of a run while it grows."""
