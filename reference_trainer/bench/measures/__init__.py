"""One file per family of measurements; see `bench/__init__.py`."""
