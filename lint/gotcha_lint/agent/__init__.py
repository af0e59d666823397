"""The linter for coding agents: a server of the Model Context Protocol (`gotcha-lint --mcp`)."""
