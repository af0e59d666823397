"""Runs programs, each in a fork of a process that has imported JAX but made no array.

A line on standard input is a folder and the host in it; what the program did is written to
`outcome.json` in the folder, and the folder's name is printed when it has ended.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT = 60
CONSTANTS = "100000"
"""Bytes of captured constants from which JAX warns."""


def serve() -> None:
    for name in ("jax", "optax", "flax.linen", "flax.nnx", "equinox", "orbax.checkpoint"):
        importlib.import_module(name)
    for line in sys.stdin:
        folder, _, host = line.strip().rpartition(" ")
        child = os.fork()
        if not child:
            return play(Path(folder), host)
        os.waitpid(child, 0)
        print(folder, flush=True)


def play(folder: Path, host: str) -> None:
    """Run one program in this process, which ends with it."""
    signal.alarm(LIMIT)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    output = os.open("output.txt", os.O_CREAT | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    record: dict[str, Any] = {"result": None, "error": "", "compiles": 0, "pickled": 0}
    warned: list[str] = []
    warnings.showwarning = lambda message, *rest: warned.append(str(message)[:300])
    warnings.simplefilter("always")
    try:
        _watch(record)
        record["result"] = main_of(host)()
    except BaseException as error:
        record["error"] = f"{type(error).__name__}: {error}"[:600]
    record["warned"] = sorted(set(warned))
    Path("outcome.json").write_text(json.dumps(record), encoding="utf-8")


def main_of(host: str) -> Callable[[], Any]:
    if host == "reference_trainer":
        from benchmarks.planted import trainer

        return trainer.main
    return importlib.import_module(f"{host}.train").main


def _watch(record: dict[str, Any]) -> None:
    """Count what is compiled and what device arrays are pickled."""
    import jax

    jax.config.update("jax_captured_constants_warn_bytes", int(CONSTANTS))

    def heard(event: str, duration_secs: float, **kwargs: Any) -> None:
        del duration_secs, kwargs
        record["compiles"] += event == "/jax/core/compile/backend_compile_duration"

    jax.monitoring.register_event_duration_secs_listener(heard)
    # gotcha: allow[private-import] not exported: the class of arrays, whose pickling is counted
    from jax._src.array import ArrayImpl

    reduce = ArrayImpl.__reduce__

    def counted(self: Any) -> Any:
        record["pickled"] += 1
        return reduce(self)

    ArrayImpl.__reduce__ = counted


if __name__ == "__main__":
    if len(sys.argv) > 1:
        play(Path(sys.argv[1]), sys.argv[2])
    else:
        serve()
