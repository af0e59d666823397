"""The table of signatures is that of the installed libraries, where they are its releases."""

from __future__ import annotations

import importlib.metadata

import pytest

from benchmarks.signatures import signatures
from gotcha_lint.facts.signatures import DATA, parameters_of, release_of


def test_kinds_of_parameters():
    given = {p.name: (p.kind, p.has_default) for p in parameters_of("flax.nnx.Linear") or ()}
    assert given["in_features"] == ("pos", False)
    assert given["use_bias"] == ("kw", True)
    assert given["rngs"] == ("kw", False)


def test_unknown_function():
    assert parameters_of("jax.numpy.no_such_function") is None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_table_is_that_of_the_libraries():
    libraries = ("equinox", "flax", "jax", "optax")
    for library in libraries:
        release = f"{library} {importlib.metadata.version(library)}"
        if release_of(f"{library}.x") != release:
            pytest.skip(f"made from {release_of(f'{library}.x')}")
    made = sorted({" ".join((name, *words)) for name, words in signatures()})
    assert DATA.read_text().splitlines()[1:] == made
