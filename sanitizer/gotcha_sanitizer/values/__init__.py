"""Plain values that everything else shares: events, findings, places, and their words. No JAX."""
