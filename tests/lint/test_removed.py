"""What the table calls gone is gone from the installed releases."""

from __future__ import annotations

import contextlib
import importlib
import warnings
from importlib import metadata

import jax
import jax.numpy as jnp
import pytest
from flax import linen as nn

from gotcha_lint.facts.deprecated import DEPRECATED
from gotcha_lint.facts.gone import CAME
from gotcha_lint.facts.releases import Release
from gotcha_lint.facts.removed import REMOVED

RELEASE = tuple(int(part) for part in jax.__version__.split(".")[:2])
HAVE: dict[str, Release] = {
    "jax": RELEASE,
    **{
        library: tuple(int(part) for part in metadata.version(library).split(".")[:3])
        for library in ("flax", "optax")
    },
}
GONE = [name for name, row in REMOVED.items() if row.since <= HAVE[row.library]]


@pytest.mark.parametrize("name", GONE)
def test_gone(name: str) -> None:
    with warnings.catch_warnings(action="ignore"):
        assert not is_there(name)


NOT_YET = [
    name
    for name, row in REMOVED.items()
    if row.library == "jax" and row.since > RELEASE >= CAME.get(name, RELEASE)
]


@pytest.mark.parametrize("name", NOT_YET)
def test_still_there(name: str) -> None:
    """Since when a name is gone is told by release: before that it is there."""
    with warnings.catch_warnings(action="ignore"):
        assert is_there(name)


STILL = [
    name
    for name, row in DEPRECATED.items()
    if row.since <= HAVE[row.library] and (name not in REMOVED or REMOVED[name].since > RELEASE)
]
ARGUMENTS = {  # of those that warn when they are called
    "optax.global_norm": (1.0,),
    "optax.tree_utils.tree_l2_norm": (1.0,),
    "flax.linen.SelfAttention": (2,),
    "flax.training.prefetch_iterator.PrefetchIterator": (iter([1]),),
}


@pytest.mark.parametrize("name", STILL)
def test_there_with_a_warning(name: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path, _, last = name.rpartition(".")
        module = importlib.import_module(path)
        lookup = vars(module).get("__getattr__")
        if lookup is not None and hasattr(lookup, "cache_clear"):  # jax warns once for each name
            lookup.cache_clear()
        found = getattr(module, last)
        if not caught:
            with contextlib.suppress(TypeError):  # an abstract class: it warns before that
                made = found(*ARGUMENTS.get(name, ()))
                if isinstance(made, nn.Module):  # a layer warns when it is called
                    made.init(jax.random.key(0), jnp.ones((1, 4, 8)))
    said = " ".join(str(one.message) for one in caught)
    assert any(word in said for word in ("deprecated", "renamed", "was removed"))


def test_the_probe_finds_what_is_there() -> None:
    assert is_there("jax.tree.map")
    assert is_there("jax.numpy.linalg")
    assert is_there("jax.experimental.jax2tf")  # not importable without another package
    assert not is_there("jax.tree.nap")


def is_there(name: str) -> bool:
    """A module, or an attribute of the longest part of the name that is one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        module = ".".join(parts[:cut])
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is not None and not f"{module}.".startswith(f"{error.name}."):
                return True  # it is there, and needs another package
            continue
        except ImportError:
            continue
        return _has(found, parts[cut:])
    return False


def _has(found: object, names: list[str]) -> bool:
    for name in names:
        try:
            found = getattr(found, name)
        except AttributeError:
            return False
    return True
