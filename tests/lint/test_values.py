"""Laws of the lattice of values: a join does not depend on which branch is written first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint.analysis.values import Kind, Value, Via, join
from tests.lint.support import found, lint_files

T = TypeVar("T")


def typed(kind: Callable[..., T], parts: dict[str, Any]) -> T:
    return kind(**parts)


NUMBERS = st.lists(st.integers(0, 2), max_size=2, unique=True).map(tuple)
NAMES = st.lists(st.sampled_from(["n", "m"]), max_size=2, unique=True).map(tuple)
VIAS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["jit", "vmap"]),
        "site": st.tuples(st.sampled_from(["a.py", "b.py"]), st.integers(0, 3)),
        "static_nums": NUMBERS,
        "static_names": NAMES,
        "donate_nums": NUMBERS,
        "known": st.booleans(),
        "bound": st.integers(-1, 1),
    }
).map(lambda parts: typed(Via, parts))
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "kind": st.sampled_from(list(Kind)),
    "tracer": st.booleans(),
    "maybe": st.booleans(),
    "of": st.sampled_from(["", "int", "float", "list", "softmax"]),
    "targets": st.frozensets(st.tuples(st.just("a.py"), st.integers(0, 2)), max_size=2),
    "cls": st.none() | st.tuples(st.just("a.py"), st.integers(0, 1)),
    "via": st.lists(VIAS, max_size=2).map(tuple),
    "bound": st.integers(0, 1),
    "param": st.sampled_from(["", "x"]),
    "literal": st.none() | st.sampled_from(["a", "b"]),
    "ident": st.integers(0, 2),
    "made": st.sampled_from(["", "def", "lambda"]),
}
LEAVES = st.fixed_dictionaries(PARTS).map(lambda parts: typed(Value, parts))
ITEMS = st.lists(LEAVES, max_size=3).map(tuple)
VALUES = LEAVES | st.builds(lambda value, items: value._replace(items=items), LEAVES, ITEMS)


# A pair of independent values hardly ever has one kind, which most of `join` is about.
ALIKE = st.tuples(VALUES, VALUES).map(lambda pair: (pair[0], pair[1]._replace(kind=pair[0].kind)))


@given(ALIKE)
def test_join_of_one_kind_is_commutative(pair: tuple[Value, Value]) -> None:
    assert join(*pair) == join(*reversed(pair))


@given(VALUES, VALUES)
def test_join_is_commutative(a: Value, b: Value) -> None:
    assert join(a, b) == join(b, a)


@given(VALUES)
def test_join_is_idempotent(a: Value) -> None:
    assert join(a, a) == a


BRANCHES = """\
import jax
import jax.numpy as jnp


def scale(x, sizes):
    return x * len(sizes)


def main(fast: bool):
    if {test}:
        step = jax.jit(scale{first})
    else:
        step = jax.jit(scale{second})
    return step(jnp.ones(3), [1, 2])
"""
STATIC = ", static_argnums=1"


@pytest.mark.parametrize(
    "other", ["", ", static_argnums=1, donate_argnums=0", ", static_argnums=(0, 1)"]
)
@pytest.mark.parametrize("test", ["fast", "not fast"])
def test_the_order_of_branches_does_not_matter(tmp_path: Path, test: str, other: str) -> None:
    rule = "unhashable-static-argument"
    for first, second in ((STATIC, other), (other, STATIC)):
        text = BRANCHES.format(test=test, first=first, second=second)
        findings = lint_files(tmp_path, {"step.py": text}, (rule,), all=True)
        assert found(findings) == [(14, rule)]
