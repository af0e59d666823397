"""Runs programs under the sanitizer, each in a fork of a process that has imported the libraries.

A line on standard input is a JSON object: `folder`, `start`, `log`, `limit`. The answer is a line
too: how the program ended ("", its exception, "time limit"). Importing JAX takes longer than most
of the programs do.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
import time
import traceback
from typing import Any

LIBRARIES = ("jax", "optax", "flax.linen", "flax.nnx", "equinox")


def serve() -> None:
    for name in LIBRARIES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            play(asked)
        print(json.dumps(_ended(child, asked)), flush=True)


def _ended(child: int, asked: dict[str, Any]) -> str:
    until = time.monotonic() + asked["limit"]
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "time limit"
        time.sleep(0.02)
    if not status:
        return ""
    with open(asked["output"], encoding="utf-8", errors="replace") as output:
        lines = [line for line in output.read().splitlines() if line.startswith("### ")]
    return lines[-1][4:160] if lines else f"ended with status {status}"


def play(asked: dict[str, Any]) -> None:
    """The program, as the main module of this process, which ends with it."""
    os.setsid()
    os.chdir(asked["folder"])
    output = os.open(asked["output"], os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ |= {"GOTCHA_SANITIZE": "1", "GOTCHA_OPTIONS": f"log_path={asked['log']}:quiet=1"}
    from gotcha_sanitizer._startup import start

    start()
    sys.argv = [asked["start"]]
    sys.path.insert(0, asked["folder"])
    try:
        _run(asked["start"])
    except SystemExit:
        raise
    except BaseException as error:
        traceback.print_exc()
        print(f"### {type(error).__name__}: {error}".partition("\n")[0], flush=True)
        sys.exit(1)
    sys.exit(0)


def _run(start: str) -> None:
    if start.startswith("-m "):
        runpy.run_module(start.removeprefix("-m "), run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(os.path.abspath(start), run_name="__main__")


if __name__ == "__main__":
    serve()
