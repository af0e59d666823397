"""Jitted functions that only run inside of another one: they have no program of their own."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.reporters import text
from gotcha_sanitizer.reporters._page import tables
from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.record import fold
from gotcha_sanitizer.run.session import Session
from gotcha_sanitizer.values.words import short

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

pytestmark = pytest.mark.usefixtures("fresh")


@pytest.fixture
def fresh() -> None:
    jax.clear_caches()


@jax.jit
def inner(x: Any) -> Any:
    return x * 2


@jax.jit
def outer(x: Any) -> Any:
    return jax.lax.scan(lambda carry, _: (jax.nn.relu(inner(carry)), None), x, length=3)[0]


def test_the_report_names_the_function_that_it_is_part_of(running: Session):
    outer(jnp.ones(3))
    jax.value_and_grad(lambda x: outer(x).sum())(jnp.ones(3))
    lines = gotcha.report().splitlines()
    place = f"{short(__file__)}:{inner.__wrapped__.__code__.co_firstlineno}"
    assert f"  inner ({place}): inlined in outer: n/a" in lines
    assert len([line for line in lines if "inner" in line]) == 1


def test_the_record_keeps_it(running: Session):
    outer(jnp.ones(3))
    run = fold(running.run.programs)
    assert [(f.name, f.within) for f in run.inlined.values()] == [("inner", ["outer"])]
    assert "inlined in outer" in text.render(run)
    assert merge([run, run]).inlined == run.inlined
    assert "inlined in outer" in str(tables.functions(run))


def test_a_function_with_a_program_of_its_own_is_shown_by_that(running: Session):
    outer(jnp.ones(3))
    inner(jnp.ones(3))
    assert "inlined in" not in gotcha.report()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(gotcha.history(inner)) == 1


def test_an_operation_outside_of_jit_may_be_what_it_is_part_of(running: Session):
    jax.lax.scan(lambda carry, _: (inner(carry), None), jnp.ones(3), length=3)
    assert "inlined in scan" in gotcha.report()


def test_history_does_not_claim_that_nothing_was_compiled(running: Session):
    outer(jnp.ones(3))
    with pytest.warns(RuntimeWarning, match="`inner` is inlined in outer: n/a"):
        assert gotcha.history(inner) == ()


def test_a_budget_that_counts_nothing_says_why(running: Session):
    with pytest.warns(RuntimeWarning, match="`inner` is inlined in outer: n/a"):
        with gotcha.budget(inner) as budget:
            outer(jnp.ones(3))
        assert budget.spent == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with gotcha.budget(inner):
            outer(jnp.ones(3))  # compiled before: this block made nothing
        with gotcha.budget(inner):
            inner(jnp.ones(3))
            outer(jnp.ones(4))


def test_shared_functions_are_walked_once(running: Session):
    @jax.jit
    def step(x: Any) -> Any:
        return x + 1

    for _ in range(24):  # 2^24 paths
        step = jax.jit(lambda x, f=step: f(x) + f(x))
    found = jaxprs.inlined(jax.make_jaxpr(step)(1.0))
    assert [site.function for site in found].count("step") == 1 and len(found) == 2
