"""What the gotchas cost on this machine: `python benchmarks/prices.py [NAME...]`.

Writes docs/measured/prices/NAME.json, from which the pages are made. Only ratios of one run mean
something; the seconds are there to see which of them are near the noise.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "measured" / "prices"
NAMES = sorted(
    path.stem.replace("_", "-")
    for path in (ROOT / "benchmarks" / "prices").glob("*.py")
    if not path.stem.startswith("_")
)


def measure(name: str) -> dict[str, Any]:
    """One gotcha, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.prices._measure", name]
    env = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    found = _rounded(json.loads(done.stdout))
    python = ".".join(platform.python_version_tuple()[:2])
    return {"measured_with": {"python": python, "jax": version("jax")}, "cpu": found, "gpu": None}


def _rounded(value: Any) -> Any:
    """Two digits: the others are of this run alone."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return float(f"{value:.2g}") if isinstance(value, float) else value


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        found = measure(name)
        text = json.dumps(found, indent=2) + "\n"
        (FOLDER / f"{name}.json").write_text(text, "utf-8")
        print(name, json.dumps({k: v for k, v in found["cpu"].items() if k != "step"}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
