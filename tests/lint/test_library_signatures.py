"""The table of signatures, and what the installed libraries say."""

from __future__ import annotations

from benchmarks.signatures import lines
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
