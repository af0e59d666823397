"""All public names of the modules of the libraries, a line for each module.

    python -m benchmarks.public_names PYTHON [PYTHON ...]

writes `lint/gotcha_lint/facts/public_names.txt`: what a module has in the release of any of these
Pythons, the one with the oldest releases first. Names that `__getattr__` knows count, and modules
that are not loaded. Names that begin with `_` are left out.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import pkgutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

TARGET = Path(__file__).parents[1] / "lint/gotcha_lint/facts/public_names.txt"
LIBRARIES = ("equinox", "flax", "jax", "optax")
MODULES = (
    *("jax", "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.random", "jax.nn"),
    *("jax.nn.initializers", "jax.tree", "jax.tree_util", "jax.scipy", "jax.scipy.special"),
    *("jax.scipy.linalg", "jax.scipy.stats", "jax.scipy.signal", "jax.scipy.ndimage", "jax.image"),
    *("jax.experimental", "jax.experimental.multihost_utils", "jax.experimental.mesh_utils"),
    *("jax.experimental.checkify", "jax.experimental.sparse", "jax.experimental.jet", "jax.ops"),
    *("jax.distributed", "jax.debug", "jax.profiler", "jax.sharding", "jax.ad_checkpoint"),
    *("jax.dtypes", "jax.errors", "jax.stages", "jax.flatten_util", "jax.custom_batching"),
    *("flax", "flax.linen", "flax.linen.initializers", "flax.nnx", "flax.struct", "flax.core"),
    *("flax.core.frozen_dict", "flax.jax_utils", "flax.training", "flax.training.checkpoints"),
    *("flax.training.train_state", "flax.training.common_utils", "flax.training.early_stopping"),
    *("flax.training.dynamic_scale", "flax.training.orbax_utils", "flax.traverse_util"),
    *("flax.training.prefetch_iterator", "flax.training.lr_schedule", "flax.serialization"),
    *("optax", "optax.losses", "optax.schedules", "optax.contrib", "optax.tree_utils"),
    *("optax.projections", "optax.transforms", "optax.assignment", "optax.second_order"),
    *("equinox", "equinox.nn"),
)


def main(pythons: Sequence[str]) -> None:
    if not pythons:
        for line in (releases(), *lines()):
            print(line)
        return
    asked = ("-m", "benchmarks.public_names")
    told = [
        subprocess.run([python, *asked], check=True, text=True, stdout=subprocess.PIPE).stdout
        for python in pythons
    ]
    heads = [text.splitlines()[0].split() for text in told]
    spans = (
        f"{name} {low}" if low == high else f"{name} {low} to {high}"
        for name, low, high in zip(LIBRARIES, heads[0], heads[-1], strict=True)
    )
    names: dict[str, set[str]] = {}
    for line in (line for text in told for line in text.splitlines()[1:]):
        module, *words = line.split()
        names.setdefault(module, set()).update(words)
    rows = (" ".join((module, *sorted(names[module]))) for module in sorted(names))
    TARGET.write_text("\n".join((f"# {', '.join(spans)}", *rows, "")))
    print(f"{sum(map(len, names.values()))} names of {len(names)} modules in {TARGET}")


def releases() -> str:
    """Of `LIBRARIES`, in their order."""
    return " ".join(map(importlib.metadata.version, LIBRARIES))


def lines() -> list[str]:
    return [" ".join((name, *sorted(names))) for name, names in public_names().items()]


def public_names() -> dict[str, set[str]]:
    with warnings.catch_warnings(action="ignore"):  # of what is deprecated
        modules = [importlib.import_module(name) for name in MODULES]
    return {
        name: {word for word in _names(module) if word.isidentifier() and word[0] != "_"}
        for name, module in zip(MODULES, modules, strict=True)
    }


def _names(module: ModuleType) -> Iterator[str]:
    yield from vars(module)
    yield from dir(module)
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        yield found.name
    asked = vars(module).get("__getattr__")
    if asked is not None:
        yield from _known_to(asked, vars(module))


def _known_to(function: Any, names: dict[str, Any]) -> Iterator[str]:
    """All texts that a `__getattr__` may compare a name with, keys of its tables among them."""
    function = inspect.unwrap(function)
    code: CodeType = function.__code__
    yield from (const for const in code.co_consts if isinstance(const, str))
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    known = {**function.__globals__, **names}
    tables = [known.get(word) for word in code.co_names]
    for table in (*cells, *tables):
        if isinstance(table, (dict, list, tuple, set, frozenset)):
            yield from (word for word in table if isinstance(word, str))


if __name__ == "__main__":
    main(sys.argv[1:])
