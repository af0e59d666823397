"""What the public functions and classes of the libraries take, as Python says (`signatures.txt`).

`benchmarks/signatures.py` writes the table; a test compares it with the libraries.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gotcha_lint.program.ir import Parameter

LIBRARIES: set[str] = set()
DATA = Path(__file__).with_name("signatures.txt")


@cache
def _rows() -> tuple[dict[str, str], dict[str, list[str]]]:
    first, *lines = DATA.read_text(encoding="utf-8").splitlines()
    releases = dict(one.split(maxsplit=1) for one in first.lstrip("# ").split(", "))
    words = (line.split() for line in lines)
    return releases, {name: rest for name, *rest in words}


def release_of(name: str) -> str:
    """The library and the releases that take the same: `jax 0.10.2 to 0.12.0`."""
    library = name.partition(".")[0]
    return f"{library} {_rows()[0][library]}"


def parameters_of(name: str) -> list[Parameter] | None:
    """Of a function or class, by its full name; None where it is not known."""
    words = _rows()[1].get(name)
    if words is None:
        return None
    kind, found = "pos", list[Parameter]()
    for word in words:
        if word.startswith("**"):
            found.append(Parameter(word[2:], "**"))
        elif word.startswith("*"):
            kind = "kw"
            if word != "*":
                found.append(Parameter(word[1:], "*"))
        elif word != "/":
            found.append(Parameter(word.rstrip("="), kind, has_default=word.endswith("=")))
    return found
