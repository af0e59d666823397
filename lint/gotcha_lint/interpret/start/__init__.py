"""What a process does at its start: the backend, settings read once, what a child imports."""
