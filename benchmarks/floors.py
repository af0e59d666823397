"""The least that any linter can cost: reading, `ast.parse` and `libcst.parse_module`.

`python floors.py NAME FOLDER` prints one JSON object. Only the work is timed, not Python's start
or imports: a linter compared with it pays for its whole process, which is the harder comparison.
"""

from __future__ import annotations

import ast
import gc
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

Work = Callable[[bytes], object]


def read_only() -> Work:
    return lambda raw: None


def python_ast() -> Work:
    warnings.simplefilter("ignore")
    return ast.parse


def screen() -> Work:
    from gotcha_lint.files.screen import mentions

    return mentions


def libcst_all() -> Work:
    import libcst

    gc.disable()
    return libcst.parse_module


def libcst_passed() -> Work:
    passes, parse = screen(), libcst_all()
    return lambda raw: parse(raw) if passes(raw) else None


FLOORS: dict[str, Callable[[], Work]] = {
    "read": read_only,
    "screen": screen,
    "ast": python_ast,
    "libcst-all": libcst_all,
    "libcst-passed": libcst_passed,
}


def measure(name: str, folder: Path) -> dict[str, float]:
    files = sorted(folder.rglob("*.py"))
    work = FLOORS[name]()
    refused = 0
    cpu, wall = time.process_time(), time.perf_counter()
    for file in files:
        raw = file.read_bytes()
        try:
            work(raw)
        except Exception:
            # A file with a syntax error costs every tool the same attempt.
            refused += 1
    seconds = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    return seconds | {"refused": refused}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
