"""Objects as static arguments: which part of them is the reason, and what is not known of it."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import problems

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

IDENTITY = "recompile/static-identity"


def _square(x: Any) -> Any:
    return x * x


def _strategies() -> tuple[type, type]:
    class Strategy:
        def __init__(self, start: Any, shape: Any = None) -> None:
            self.start = start
            self.shape = shape

        @functools.partial(jax.jit, static_argnames="self")
        def ask(self, key: Any) -> Any:
            return self.start + jax.random.normal(key, (2,))

    class Other(Strategy):
        pass

    return Strategy, Other


def _said(running: Session) -> list[str]:
    problems(running)
    return [found.message.partition(": ")[2] for found in running.run.findings.values()]


def test_another_class_is_another_object_as_a_whole(running: Session):
    """It was said that an array in it was made again, with equal contents; and to make it once."""
    key = jax.random.key(0)
    for strategy in _strategies():
        strategy(jnp.ones(2)).ask(key)
    assert not running.run.problems
    (said,) = _said(running)
    assert said.startswith("a static argument that compares by identity: self: Strategy(")
    assert "-> Other(" in said


def test_what_an_array_holds_is_not_claimed(running: Session):
    strategy, _ = _strategies()
    key = jax.random.key(0)
    for n in range(4):
        strategy(jnp.full(2, n)).ask(key)
    assert IDENTITY in problems(running)
    (said,) = _said(running)
    assert said.endswith("self.start: int32[2] -> another one")


def test_none_has_a_name_and_is_not_missing(running: Session):
    """It was `state['reward']: missing -> there`, and the place of the `None` by its number."""
    step = jax.jit(lambda state: jax.tree.map(lambda x: x * 2, state))
    x = jnp.ones(3)
    for reward in (None, x, (x, None)):
        step({"reward": reward, "x": x})
    whys = [p["why"] for p in running.run.programs if "pytree" in p["causes"]]
    assert whys == [
        ["state['reward']: None -> float32[3]"],
        [
            "state['reward']: float32[3] -> tuple",
            "state['reward'][0]: missing -> there",
            "state['reward'][1]: missing -> there",
        ],
    ]


def test_what_is_known_to_differ_is_the_reason_not_the_array(running: Session):
    strategy, _ = _strategies()
    key = jax.random.key(0)
    strategy(jnp.ones(2)).ask(key)
    strategy(jnp.ones(2), shape=_square).ask(key)
    (said,) = _said(running)
    assert said == "another static value: self.shape: None -> _square"
