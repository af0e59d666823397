"""The configuration and the command line's options: read, checked, and asked per file."""
