"""What the gotchas cost on this machine: `python benchmarks/prices.py [--platform gpu] [NAME...]`.

Writes docs/measured/prices/NAME.json, from which the pages are made; what was measured on the other
platform stays. Only ratios of one run mean something; the seconds are there to see which of them
are near the noise. `--jobs N` measures N at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
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


def measure(name: str, on: str) -> dict[str, Any]:
    """What one gotcha costs, in a process of its own; CalledProcessError where it cannot run."""
    command = [sys.executable, "-m", "benchmarks.prices._measure", name]
    # Several processes share a GPU, so that none takes its memory in advance.
    own = {"JAX_PLATFORMS": on, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYTHONPATH": str(ROOT)}
    env = os.environ | own
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    return _rounded(json.loads(done.stdout))


def update(name: str, platform_name: str) -> dict[str, Any]:
    """Measures one gotcha and writes it down beside what the file holds of the other platform."""
    path = FOLDER / f"{name}.json"
    found: dict[str, Any] = {"cpu": None, "gpu": None}
    if path.exists():
        found = json.loads(path.read_text("utf-8"))
    # Beside a GPU there must be a CPU: `jax.debug.print` needs one.
    new = measure(name, "cuda,cpu" if platform_name == "gpu" else platform_name)
    python = ".".join(platform.python_version_tuple()[:2])
    where = {"python": python, "jax": version("jax"), "device": new.pop("device")}
    if platform_name == "gpu":
        del new["step"]
        found["gpu"] = {"measured_with": where} | new
    else:
        del where["device"]
        found = {"measured_with": where, "cpu": new, "gpu": found["gpu"]}
    path.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    return new


def _rounded(value: Any) -> Any:
    """Two digits: the others are of this run alone."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return float(f"{value:.2g}") if isinstance(value, float) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--platform", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    args = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)

    def line(name: str) -> str:
        try:
            found = update(name, args.platform)
        except subprocess.CalledProcessError as error:
            return f"{name}: {(error.stderr.strip().splitlines() or ['no message'])[-1]}"
        return f"{name} {json.dumps({k: v for k, v in found.items() if k != 'step'})}"

    with ThreadPoolExecutor(args.jobs) as pool:
        for text in pool.map(line, args.names or NAMES):
            print(text, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
