"""Other imports: names taken out of `jax`, other short names for modules."""

from __future__ import annotations

import re

from benchmarks.planted.program import Program

MOVED = (
    (r"\bjax\.jit\b", "jit", "from jax import jit"),
    (r"\bjax\.grad\b", "gradient", "from jax import grad as gradient"),
    (r"\bjax\.value_and_grad\b", "value_and_grad", "from jax import value_and_grad"),
    (r"\bjax\.vmap\b", "over", "from jax import vmap as over"),
    (r"\bjax\.random\.", "jr.", "import jax.random as jr"),
    (r"\bjax\.lax\.", "L.", "from jax import lax as L"),
    (r"\bjax\.nn\.", "functions.", "from jax import nn as functions"),
    (r"\bnnx\.jit\b", "njit", "from flax.nnx import jit as njit"),
    (r"\beqx\.filter_jit\b", "filter_jit", "from equinox import filter_jit"),
)
RENAMED = (
    (r"\bjnp\b", "J"),
    (r"\bnp\b", "onp"),
    (r"\boptax\.", "ox."),
    (r"\bimport optax\n", "import optax as ox\n"),
    (r"\bocp\b", "orbax_checkpoint"),
)
AFTER = "import jax\n"


def vary(program: Program) -> Program | None:
    files = {path: _other(text) for path, text in program.files.items()}
    return program._replace(files=files) if files != program.files else None


def _other(text: str) -> str:
    lines = []
    for pattern, name, line in MOVED:
        text, count = re.subn(pattern, name, text)
        if count:
            lines.append(line + "\n")
    for pattern, name in RENAMED:
        text = re.sub(pattern, name, text)
    if not lines:
        return text
    if AFTER not in text:
        return text.replace("annotations\n", "annotations\n\n" + "".join(lines), 1)
    return text.replace(AFTER, AFTER + "".join(lines), 1)
