"""Python's own parser, on code that is only read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unwarned() -> Iterator[None]:
    """Without what Python says of `"\\d"`: since 3.12 it is printed, and `-W error` raises it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
