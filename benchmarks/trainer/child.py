"""One family in a process of its own: `child PLATFORM NAME [quick]`; rows as lines of JSON.

Without a name: what this machine is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import platform
import sys
from importlib.metadata import version
from typing import Any

import jax

from benchmarks.trainer.families import families
from benchmarks.trainer.row import Size, unmeasured
from reference_trainer import parallel
from reference_trainer.config import UserError
from reference_trainer.run import machine

PACKAGES = ("jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")


def main(wanted: str, name: str = "", quick: str = "") -> int:
    lines = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # nothing else may come between the lines
        try:
            machine.choose(wanted)
            jax.set_mesh(parallel.device_mesh())
        except UserError as error:
            print(error, file=sys.stderr)
            return error.code
        if not name:
            print(json.dumps(about()), file=lines)
            return 0
        size = Size(jax.default_backend(), bool(quick))
        try:
            for row in families()[name].measure(size):
                print(json.dumps(dataclasses.asdict(row)), file=lines, flush=True)
        except Exception as error:  # out of memory, mostly: the others can still be measured
            print(json.dumps(dataclasses.asdict(unmeasured(name, error))), file=lines)
    return 0


def about() -> dict[str, Any]:
    """The machine and what is installed, for the record."""
    return {
        "platform": jax.default_backend(),
        "device": jax.devices()[0].device_kind,
        "devices": jax.device_count(),
        "cpu": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
