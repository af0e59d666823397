"""`gotcha-lint --server`: findings in an editor, by the Language Server Protocol (LSP 3.17)."""
