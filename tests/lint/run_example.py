"""Runs programs one after the other under JAX and writes down what each of them showed."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from typing import Any

import jax
import jax.monitoring

_compiles = 0


def _on_duration(event: str, seconds: float, **_: Any) -> None:
    global _compiles
    _compiles += event == "/jax/core/compile/backend_compile_duration"


def run(code: str, shows: str) -> dict[str, Any]:
    """The error (type and message), the compilations, and whether the expression was true."""
    jax.clear_caches()
    before, error, shown = _compiles, "", None
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        home = os.getcwd()
        os.chdir(folder)
        try:
            exec(compile(code, "example.py", "exec"), namespace)
            shown = bool(eval(shows, namespace)) if shows else None
        except BaseException as raised:
            error = f"{type(raised).__name__}: {raised}"
        finally:
            os.chdir(home)
            jax.config.update("jax_enable_x64", False)
    return {"error": error, "compiles": _compiles - before, "shown": shown}


def main() -> None:
    listener: Any = _on_duration  # its declared type wants positional-only parameters
    jax.monitoring.register_event_duration_secs_listener(listener)
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        programs = json.load(file)
    results = [run(program["code"], program["shows"]) for program in programs]
    with open(target, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
