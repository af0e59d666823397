"""Random jitted programs give the same results and compile as often with and without us."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
np = pytest.importorskip("numpy")

DTYPES = ("float32", "int32", "bool", "float16", "complex64")
UNARY: dict[str, Callable[[Any], Any]] = {
    "double": lambda x: x + x,
    "sum": lambda x: x.sum(keepdims=True),
    "sin": lambda x: jnp.sin(x.real),
    "where": lambda x: jnp.where(x.real > 0, x, x + x),
    "cast": lambda x: x.real.astype("float32"),
    "scan": lambda x: jax.lax.scan(lambda c, y: (c + 1, y + y), 0, x)[1] if x.ndim else x,
    "cond": lambda x: jax.lax.cond(x.real.sum() > 0, lambda y: y, lambda y: y + y, x),
    "vmap": lambda x: jax.vmap(lambda y: y + y)(x) if x.ndim else x,
    "grad": lambda x: jax.grad(lambda y: (y * y).sum())(x.real.astype("float32")),
    "inner": lambda x: jax.jit(lambda y: y + y)(x),
}


@dataclass(frozen=True)
class Frozen:
    """A static argument that compares by value."""

    scale: int


class Plain:
    """A static argument that compares by identity."""

    scale = 2


leaves = st.one_of(
    st.integers(-3, 3),
    st.floats(-2, 2, width=32),
    st.booleans(),
    st.builds(
        lambda shape, dtype, numpy: (np if numpy else jnp).ones(shape, dtype),
        st.lists(st.integers(0, 3), max_size=2).map(tuple),
        st.sampled_from(DTYPES),
        st.booleans(),
    ),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        st.none(),
    ),
    max_leaves=5,
)
statics = st.sampled_from([0, 1, "a", None, Frozen(1), Frozen(2), (1, 2)]) | st.builds(Plain)
calls = st.lists(st.tuples(trees, statics, st.booleans()), min_size=1, max_size=4)
chains = st.lists(st.sampled_from(sorted(UNARY)), min_size=1, max_size=4)

Program = tuple[list[str], Any, int, list[Any]]  # a chain, what is captured, a depth, calls


def make(chain: list[str], captured: Any, depth: int) -> Callable[..., Any]:
    """A jitted function of jitted functions, which captures a value."""

    def body(tree: Any, static: Any = None) -> Any:
        def leaf(x: Any) -> Any:
            x = jnp.asarray(x)
            for name in chain:
                x = UNARY[name](x)
            return x + len(str(type(static))) * 0 + jnp.asarray(captured).real.sum().astype("int8")

        return jax.tree.map(leaf, tree)

    inner = body
    for _ in range(depth):
        inner = functools.partial(jax.jit(inner, static_argnames="static"))
    return jax.jit(inner, static_argnames="static")


@contextlib.contextmanager
def counted() -> Iterator[Counter[tuple[str, object]]]:
    """How often each stage runs, by function."""
    counts: Counter[tuple[str, object]] = Counter()

    def count(event: str, seconds: float, **details: Any) -> None:
        if event.startswith("/jax/core/compile/"):  # others come from any thread of any library
            counts[event, details.get("fun_name")] += 1

    jax.monitoring.register_event_duration_secs_listener(count)
    try:
        yield counts
    finally:
        jax.monitoring.unregister_event_duration_listener(count)


def play(program: Program) -> tuple[list[Any], Counter]:
    """What the calls return or raise, and how often each stage ran."""
    chain, captured, depth, made = program
    with counted() as counts:
        function, results = make(chain, captured, depth), []
        for tree, static, remake in made:
            if remake:
                function = make(chain, captured, depth)
            results.append(outcome(function, tree, static))
        return results, counts


def outcome(function: Callable[..., Any], tree: Any, static: Any) -> Any:
    try:
        out = function(tree, static=static)
    except Exception as error:
        return type(error), str(error).partition("0x")[0]
    flat, structure = jax.tree.flatten(out)
    return str(structure), [(x.dtype, x.shape, x.weak_type, np.asarray(x).tobytes()) for x in flat]


def check(made: Sequence[Program]) -> None:
    """All of them bare, then all of them watched by one session; each begins with empty caches."""
    jax.clear_caches()
    bare = [play(program) for program in made]
    jax.clear_caches()
    watched = session.start(Options(quiet=True))
    try:
        for program, expected in zip(made, bare, strict=True):
            assert play(program) == expected, program
        assert "compile events" not in watched.run.degraded, watched.run.degraded
        assert "session" not in watched.run.degraded, watched.run.degraded
    finally:
        watched.stop()


def draw(count: int, *, derandomize: bool) -> list[Program]:
    """Programs of Hypothesis; they are run together, for JAX compiles its own operations once."""
    drawn: list[Program] = []
    calm = [HealthCheck.too_slow, HealthCheck.data_too_large]

    @settings(
        max_examples=count, deadline=None, suppress_health_check=calm, derandomize=derandomize
    )
    @given(st.tuples(chains, leaves, st.integers(0, 2), calls))
    def collect(program: Program) -> None:
        drawn.append(program)

    collect()
    return drawn


def test_a_few_random_programs():
    check(draw(12, derandomize=True))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))  # minutes each: so several processes share them
def test_a_thousand_random_programs(part: int):
    check(draw(100, derandomize=False))
