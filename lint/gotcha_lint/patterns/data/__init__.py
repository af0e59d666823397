"""Patterns of pipelines of data."""
