"""The linter's findings over many programs, kept as one file: what a change adds and takes away."""
