"""The tables of signatures and of names, and what the installed libraries say."""

from __future__ import annotations

from benchmarks.public_names import public_names
from benchmarks.signatures import lines
from gotcha_lint.facts.public_names import first_missing, is_missing, releases_of
from gotcha_lint.facts.signatures import DATA
from gotcha_lint.interpret.faults.library_calls import parameters_of


def test_kinds_of_parameters():
    given = {p.name: (p.kind, p.has_default) for p in parameters_of("flax.nnx.Linear") or ()}
    assert given["in_features"] == ("pos", False)
    assert given["use_bias"] == ("kw", True)
    assert given["rngs"] == ("kw", False)


def test_unknown_function():
    assert parameters_of("jax.numpy.no_such_function") is None


def test_table_holds_for_the_installed_libraries():
    """On each Python and its releases: what differs between them is not in the table."""
    assert set(DATA.read_text().splitlines()[1:]) <= set(lines())


def test_names_of_the_installed_libraries_are_in_the_table():
    """On each Python and its releases: what one of them has is there."""
    names = [(module, name) for module, each in public_names().items() for name in each]
    assert len(names) > 1000
    assert [one for one in names if is_missing(*one)] == []


def test_missing_names():
    assert is_missing("jax.tree_util", "tree_get")
    assert not is_missing("jax.tree_util", "_private")
    assert not is_missing("another_library", "tree_get")
    assert first_missing("flax.nnx.RNGs") == ("flax.nnx", "RNGs")
    assert first_missing("jax.numpy.linalg.norm") is None
    assert releases_of("jax.numpy").startswith("jax 0.10.2")
