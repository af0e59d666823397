"""A program that has two of a thing, or maps over many leaves, is no storm: it settles."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import problems

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")


class Task:
    """An environment: one is trained in, another of the same source is for tests."""

    def __init__(self) -> None:
        def reset(x: Any) -> Any:
            return x * 2

        self.reset = jax.jit(jax.vmap(reset))


def test_two_objects_that_are_kept_are_two_programs(running: Session):
    train, held_out = Task(), Task()
    x = jnp.ones(3)
    for step in range(6):
        for task in (train, held_out) if step > 3 else (train,):
            task.reset(x)
    assert not problems(running)


def test_objects_of_each_turn_are_a_storm_even_if_they_are_kept(running: Session):
    tasks, x = [], jnp.ones(3)
    for _ in range(4):
        tasks.append(Task())
        tasks[-1].reset(x)
    assert list(problems(running)) == ["recompile/new-function"]


# The loops are not in the tests themselves: pytest's `assert` reads the variables of a test, and
# frames that may do so are not looked into.


def _start() -> None:
    jax.jit(lambda x: x)(1.0)  # what comes before the first jitted function is the start


def _many_leaves() -> None:
    leaves = [jnp.ones((4, n)) for n in range(2, 12)]
    _start()
    for _step in range(5):
        jax.tree.map(lambda leaf: leaf.reshape(-1, 2, 2), leaves)


def _new_leaves() -> None:
    _start()
    for step in range(8):
        jnp.ones(4 * (step + 1)).reshape(2, -1)


def test_many_leaves_are_no_storm(running: Session):
    _many_leaves()
    assert not problems(running)


def test_operations_in_a_function_that_is_called_back(running: Session):
    def show(values: Any, done: Any) -> None:
        values[done].block_until_ready()  # another length at each call

    @jax.jit
    def train(key: Any) -> Any:
        def step(key: Any, _: Any) -> tuple[Any, None]:
            key, a, b = jax.random.split(key, 3)
            mask = jax.random.bernoulli(b, 0.2, (64,))
            jax.debug.callback(show, jax.random.normal(a, (64,)), mask)
            return key, None

        return jax.lax.scan(step, key, None, 30)

    key = jax.random.key(0)
    jax.block_until_ready(train(key))
    jax.effects_barrier()
    assert list(problems(running)) == ["eager-op-storm/"]
    (finding,) = running.run.findings.values()
    assert [said for _, said in finding.chain] == ["called back by the program"]


def _lengths_in_an_epoch() -> None:
    total = jnp.zeros(())
    _start()
    for _epoch in range(2):
        for length in {*range(2, 14)}:
            total = total + jnp.ones(length).sum()


def test_an_epoch_of_many_lengths_is_one(running: Session):
    _lengths_in_an_epoch()
    assert list(problems(running)) == ["eager-op-storm/"]


def test_new_leaves_at_each_turn_are_one(running: Session):
    _new_leaves()
    assert list(problems(running)) == ["eager-op-storm/"]


def _body(carry: Any, x: Any, scale: float) -> tuple[Any, Any]:
    return carry + x * scale, None


def _roll(body: Any) -> None:
    jax.lax.scan(body, 0.0, jnp.ones(3))


def _two_scans() -> None:
    bodies = [functools.partial(_body, scale=2.0), functools.partial(_body, scale=3.0)]
    _start()
    for step in range(8):
        _roll(bodies[0])
        if step == 5:
            _roll(bodies[1])


def test_a_scan_for_training_and_one_for_tests(running: Session):
    _two_scans()
    assert not problems(running)


def test_a_librarys_function_that_the_program_jits_ends_the_start(running: Session):
    """As the step of a sampler: what the loop around it makes is no start any more."""
    optax = pytest.importorskip("optax")
    step = jax.jit(optax.apply_updates)
    for n in range(31, 41):
        step(jnp.ones(3), jnp.ones(3))
        jnp.sum(jnp.arange(n) * 2.0)
    assert list(problems(running)) == ["eager-op-storm/"]
