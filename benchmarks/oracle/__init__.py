"""The sanitizer as the linter's oracle: what the engine predicts, against what a run recorded."""
