"""From texts to findings, in one process or in several."""
