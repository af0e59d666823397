"""One file per command: `options` declares its arguments, `run` gives the exit status."""
