"""The interpreters with JAX that the scenario tests run on: this one, and newer ones if present."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def interpreters() -> dict[str, str]:
    """Name -> path. `make test` makes an environment of the newest version that is here,
    `make test-all` of each."""
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = {here: sys.executable}
    for tag in ("312", "313"):
        folder = ROOT / f".venv-{tag}"
        python = folder / "bin" / "python"
        if (folder / f".ready-{tag}").exists():  # made to its end
            found.setdefault(f"{tag[0]}.{tag[1:]}", str(python))
    return found
