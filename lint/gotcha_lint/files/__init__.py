"""Which files a run reads: discovery, `.gitignore`, and the project around the files."""
