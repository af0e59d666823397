"""The project's own function in front of each `jit`, in a file of its own."""

from __future__ import annotations

import re

from benchmarks.planted.program import Program

TOOLS = '''"""What this project compiles with."""

from collections.abc import Callable
from typing import Any

import {library}


def {name}(function: Callable[..., Any], **options: Any) -> Any:
    return {jit}(function, **options)
'''
JITS = (
    ("jax", "jax.jit", "fast"),
    ("flax.nnx", "nnx.jit", "fast_nnx"),
    ("equinox", "eqx.filter_jit", "fast_eqx"),
)


def vary(program: Program) -> Program | None:
    files = dict(program.files)
    for library, jit, name in JITS:
        if any(f"@{jit}(" in text for text in files.values()):
            return None  # the project's own is always given the function
        for path in program.files:
            other, count = re.subn(rf"\b{re.escape(jit)}\b", name, files[path])
            if count:
                line = f"from .tools_{name} import {name}\n"
                files[path] = other.replace("annotations\n", "annotations\n\n" + line, 1)
                files[f"tools_{name}.py"] = TOOLS.format(
                    library=library, jit=f"{library}.{jit.split('.')[1]}", name=name
                )
    return program._replace(files=files) if files != program.files else None
