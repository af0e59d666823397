"""Runs programs under JAX alone, each in a fork of its own, and writes down what they showed.

    python bare.py PROGRAMS.json RESULTS.json
    python bare.py  # one program a line on standard input, one result a line on standard output

Needs nothing but the Python it is run with, whose JAX may be older than any that gotcha knows.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import tempfile
import warnings
from typing import Any

import jax
import jax.monitoring

_MOST_SECONDS = 300  # a program that hangs is ended
_compiles = 0
# What many programs import: once here, instead of in each fork. None of these starts a backend.
_USUAL = ("jax.numpy", "flax.linen", "flax.nnx", "optax")


def _on_duration(event: str, seconds: float, **_: Any) -> None:
    global _compiles
    _compiles += event == "/jax/core/compile/backend_compile_duration"


def run(code: str, shows: str) -> dict[str, Any]:
    """The error (type and message), the compilations, and whether the expression was true."""
    error, shown = "", None
    namespace: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(code, "example.py", "exec"), namespace)
        shown = bool(eval(shows, namespace)) if shows else None
    except BaseException as raised:
        error = f"{type(raised).__name__}: {raised}"
    return {"error": error, "compiles": _compiles, "shown": shown}


def forked(program: dict[str, str]) -> dict[str, Any]:
    """The same in a child: JAX is imported once, and whatever a program sets ends with it."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, ".result.json")
        if child := os.fork():
            os.waitpid(child, 0)
            if not os.path.exists(result):
                return {"error": "the process ended", "compiles": 0, "shown": None}
            with open(result, encoding="utf-8") as file:
                return json.load(file)
        try:
            signal.alarm(_MOST_SECONDS)
            os.chdir(folder)
            told = run(program["code"], program["shows"])
            with open(result, "w", encoding="utf-8") as file:
                json.dump(told, file)
        finally:
            os._exit(0)


def main() -> None:
    warnings.simplefilter("ignore")
    listener: Any = _on_duration  # its declared type wants positional-only parameters
    jax.monitoring.register_event_duration_secs_listener(listener)
    for module in _USUAL:
        with contextlib.suppress(Exception):  # not installed, or not for this JAX
            importlib.import_module(module)
    if len(sys.argv) == 1:
        serve()
        return
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        programs = json.load(file)
    results = [forked(program) for program in programs]
    with open(target, "w", encoding="utf-8") as file:
        json.dump(results, file)


def serve() -> None:
    """One program at a time, until the input ends. What programs print goes to standard error."""
    asked = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for line in asked:
        print(json.dumps(forked(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
