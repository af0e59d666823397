"""Signatures of the public functions and classes of the libraries, in one line each.

    python -m benchmarks.signatures PYTHON [PYTHON ...]

writes `lint/gotcha_lint/facts/signatures.txt`: what the libraries of all these Pythons say alike,
the one with the oldest releases first. What differs between releases is left out. A line is the
name and its parameters: `a` must be given, `b=` may be; `/`, `*`, `*args` and `**more` as Python
writes them.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "lint/gotcha_lint/facts/signatures.txt"
LIBRARIES = ("equinox", "flax", "jax", "optax")
MODULES = (
    *("jax", "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.random", "jax.nn"),
    *("jax.nn.initializers", "jax.tree", "jax.tree_util", "jax.scipy.special", "jax.scipy.linalg"),
    *("jax.experimental.pjit", "jax.experimental.multihost_utils", "jax.experimental.mesh_utils"),
    *("jax.distributed", "jax.debug", "jax.profiler", "jax.sharding", "jax.ad_checkpoint"),
    *("flax.linen", "flax.nnx", "flax.core", "flax.jax_utils", "flax.training.checkpoints"),
    *("flax.training.train_state", "flax.training.common_utils", "flax.traverse_util"),
    *("flax.serialization", "optax", "optax.losses", "optax.schedules", "optax.contrib"),
    *("equinox", "equinox.nn"),
)
DEPRECATED = {"jax.experimental.pjit": ("pjit",)}  # which a module gives without listing them
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def main(pythons: Sequence[str]) -> None:
    if not pythons:
        for line in (releases(), *lines()):
            print(line)
        return
    asked = ("-m", "benchmarks.signatures")
    told = [
        subprocess.run([python, *asked], check=True, text=True, stdout=subprocess.PIPE).stdout
        for python in pythons
    ]
    heads = [text.splitlines()[0].split() for text in told]
    alike = set.intersection(*(set(text.splitlines()[1:]) for text in told))
    spans = (
        f"{name} {low}" if low == high else f"{name} {low} to {high}"
        for name, low, high in zip(LIBRARIES, heads[0], heads[-1], strict=True)
    )
    TARGET.write_text("\n".join((f"# {', '.join(spans)}", *sorted(alike), "")))
    print(f"{len(alike)} signatures in {TARGET}")


def releases() -> str:
    """Of `LIBRARIES`, in their order."""
    return " ".join(map(importlib.metadata.version, LIBRARIES))


def lines() -> list[str]:
    with warnings.catch_warnings(action="ignore"):  # of what is deprecated
        return sorted({" ".join((name, *words)) for name, words in signatures()})


def signatures() -> Iterator[tuple[str, list[str]]]:
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for word in sorted({*vars(module), *DEPRECATED.get(module_name, ())}):
            found = getattr(module, word, None)
            if word.startswith("_") or not callable(found) or not _is_of_library(found):
                continue
            parameters = _parameters(found)
            if parameters is not None:
                yield f"{module_name}.{word}", parameters


def _is_of_library(found: Any) -> bool:
    owner = getattr(found, "__module__", None) or ""
    return owner.partition(".")[0] in (*LIBRARIES, "jaxlib")


def _parameters(found: Callable[..., Any]) -> list[str] | None:
    """None where Python does not know what it takes, and for `*args, **kwargs` alone."""
    try:
        if isinstance(found, type) and type(found).__call__ is not type.__call__:
            new = () if found.__new__ is object.__new__ else _kinds(found.__new__)[1:]
            if new not in ((), _VARIADIC):
                return None  # `__new__` may take arguments away
            parameters = list(inspect.signature(found.__init__).parameters.values())[1:]
        else:
            parameters = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):
        return None
    if tuple(parameter.kind for parameter in parameters) == _VARIADIC:
        return None
    bare = inspect.Signature([_bare(parameter) for parameter in parameters])
    return [word.replace("=0", "=") for word in str(bare)[1:-1].split(", ") if word]


def _kinds(found: Callable[..., Any]) -> tuple[Any, ...]:
    return tuple(parameter.kind for parameter in inspect.signature(found).parameters.values())


def _bare(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.empty if parameter.default is parameter.empty else 0
    return parameter.replace(annotation=parameter.empty, default=default)


if __name__ == "__main__":
    main(sys.argv[1:])
