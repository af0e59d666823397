"""What several rules share: words for compiled programs, new functions, stale state, keys."""
