"""What must run in a process of its own; each prints one line of JSON."""
