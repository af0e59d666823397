"""Runs every example for real and writes docs/measured/outputs/: `make measure`.

    python docs/capture.py [--all] [NAME...]     only what changed, everything, or these

Only examples whose code changed are measured again; the numbers of a page are of one run.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from measuring.capture import capture, lint
from measuring.programs import ROOT, Pair, pairs, plain

from gotcha_lint.registry import rules

FOLDER = ROOT / "docs" / "measured" / "outputs"


def versions() -> dict[str, str]:
    from importlib.metadata import version

    libraries = {name: version(name) for name in ("jax", "flax", "optax")}
    return {"python": "{}.{}".format(*sys.version_info), **libraries}


def measure(name: str, wanted: list[Pair], old: dict[str, Any]) -> dict[str, Any]:
    """The file of one gotcha. The linter is quick: what it prints is always captured again."""
    known = {each["digest"]: each for each in old.get("examples", [])}
    if not set(known) >= {pair.digest for pair in wanted}:
        return {"measured_with": versions(), "examples": [capture(name, pair) for pair in wanted]}
    return old | {"examples": [_linted(name, pair, known[pair.digest]) for pair in wanted]}


def _linted(name: str, pair: Pair, example: dict[str, Any]) -> dict[str, Any]:
    return example | {"linter": lint(name, plain(pair.bad)) if name in rules() else ""}


def main() -> int:
    chosen = {word for word in sys.argv[1:] if not word.startswith("--")}
    FOLDER.mkdir(parents=True, exist_ok=True)
    known = pairs()
    for name, wanted in known.items():
        if chosen and name not in chosen:
            continue
        if sys.version_info < max(pair.python for pair in wanted):
            print(f"{name}: kept as it is, it needs a newer Python")
            continue
        path = FOLDER / f"{name}.json"
        fresh = "--all" in sys.argv or not path.exists()
        old = {} if fresh else json.loads(path.read_text("utf-8"))
        new = measure(name, wanted, old)
        if new != old:
            print(name, flush=True)
            path.write_text(json.dumps(new, indent=2, ensure_ascii=False) + "\n", "utf-8")
    for path in FOLDER.glob("*.json"):
        if path.stem not in known:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
