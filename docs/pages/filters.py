"""What the site's index of gotchas is filtered by, beside the columns of its table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from measuring.programs import pairs

from pages.catalogue import gotchas
from pages.symptoms import symptoms

LIBRARIES = {
    "flax": "Flax",
    "optax": "Optax",
    "orbax": "Orbax",
    "equinox": "Equinox",
    "torch": "PyTorch loaders",
    "tensorflow": "tf.data",
    "grain": "Grain",
    "numpy": "NumPy",
}
_IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)
_ONLY_JAX = "JAX alone"


def script() -> str:
    """The data as a script: pages that are opened from a disk may not fetch files."""
    examples = pairs()
    found = {
        name: {
            "symptoms": [says for says, names in symptoms().items() if name in names],
            "libraries": libraries([pair.bad for pair in examples.get(name, ())]),
        }
        for name in gotchas()
    }
    return f"window.gotchaFilter = {json.dumps(found, indent=0)};\n"


def libraries(examples: Sequence[str]) -> list[str]:
    """Those that the bad examples of a gotcha import."""
    imported = {name for example in examples for name in _IMPORT.findall(example)}
    return [shown for name, shown in LIBRARIES.items() if name in imported] or [_ONLY_JAX]
