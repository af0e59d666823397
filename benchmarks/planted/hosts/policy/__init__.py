"""A policy gradient: episodes played on the host, a pure update, haiku-like parameter lists."""
