"""One file per family of measurements; see `benchmarks/trainer/__init__.py`."""
