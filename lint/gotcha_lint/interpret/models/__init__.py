"""What is known of libraries: one file for each, with the models of its functions and objects.

Adding one adds a file here; nothing else is to be edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache


@cache
def load_models() -> None:
    """Imports all files of this folder; they register their models (see `interpret.call`)."""
    for found in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{found.name}")
