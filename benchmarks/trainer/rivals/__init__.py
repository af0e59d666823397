"""The same work, done as others do it."""
