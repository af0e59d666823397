"""Runs the examples for real and writes down what JAX, the linter and the sanitizer said."""
