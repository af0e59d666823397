"""Makes the pages of docs/gotchas/ from rules, checks, errors, marks and what was measured."""
