"""Small training programs, free of gotchas, in the styles that people write them in."""
