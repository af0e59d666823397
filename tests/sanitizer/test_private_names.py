"""Names that JAX does not document, one by one renamed: what is lost is told, the rest goes on."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.hooks import private, self_tests
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from gotcha_sanitizer.user import api

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

# The name as a later JAX might have it: (attribute of `private`, what it says then).
RENAMED: dict[str, tuple[str, object]] = {
    "monitoring events": ("STAGES", {"/absent": "trace"}),
    "monitoring events of the cache": ("CACHE_HIT", "/absent"),
    "frame _trace_for_jit": ("TRACE", "absent"),
    "frame cache_miss": ("CALL", "absent"),
    "frame _wrapped_callback": ("CALLBACK", "absent"),
    "fields of PjitInfo": ("OPTIONS", ("absent",)),
    "frame call_impl_cache_miss": ("TRANSFORMED", "absent"),
    "rules of jit": ("RULES", {"absent": "grad"}),
    "frame value_and_grad_f": ("GRADIENTS", {"absent": "grad"}),
    "closure _cached_shard_map": ("PMAPPED", "absent"),
    "monitoring listeners": ("LISTENERS", ("_absent",)),
    "class of arrays": ("ARRAY", "Absent"),
    "xla_bridge.backends_are_initialized": ("STARTED", "absent"),
    "number of this host": ("CLIENTS", "_absent"),
    "config.values": ("FLAGS", "absent"),
    "config.trace_context_names": ("CONTEXT_NAMES", "absent"),
}
# What is not found without a name; all else still is.
LOST: dict[str, set[str]] = {
    "monitoring events": {"shape", "new-function", "weak-type", "committed", "static", "key-reuse"},
    "frame _trace_for_jit": {"key-reuse"},
    "frame cache_miss": {"committed"},
}
FOUND = {"shape", "new-function", "weak-type", "committed", "static", "key-reuse"}


def program() -> list[float]:
    """Five causes of a recompile, and a key that is used twice."""
    results: list[Any] = []

    @functools.partial(jax.jit, static_argnames="n")
    def step(x: Any, n: int = 1) -> Any:
        return x * n

    @jax.jit
    def drawn(key: Any) -> Any:
        return jax.random.normal(key, (3,)) + jax.random.normal(key, (3,))

    for size in (33, 41, 45, 51, 57):
        results.append(step(jnp.zeros(size)).sum())
    for i in range(4):
        results.append(jax.jit(lambda x: x + i)(1.0))  # noqa: B023
    results += [step(jnp.float32(3)), step(3.0)]
    for n in (2, 3):
        results.append(step(jnp.zeros(33), n=n).sum())
    results.append(step(jax.device_put(jnp.ones(33), jax.devices()[0])).sum())
    results.append(drawn(jax.random.key(0)).sum())
    results.append(jax.grad(lambda x: step(x).sum())(jnp.ones(33)).sum())
    return [float(each) for each in results]


def found(watched: session.Session) -> set[str]:
    """Causes of what was found or noted, short; the session is over then."""
    gotcha.stop()
    told = {f.cause or f.name for f in watched.run.findings.values()}
    told |= {f.name for f in watched.run.findings.values()}
    return {each for each in FOUND if any(name.startswith(each) for name in told)}


@pytest.fixture(scope="module")
def plain() -> list[float]:
    gotcha.stop()
    return program()


@pytest.fixture
def watch() -> Iterator[Any]:
    gotcha.stop()
    jax.clear_caches()
    yield lambda: session.start(Options(quiet=True))
    gotcha.stop()


def test_nothing_is_missing_here():
    assert self_tests.self_test(jax) == {}


def test_every_name_has_a_row():
    assert set(RENAMED) == {name.feature for name in self_tests.NAMES}


def strings(value: object) -> set[str]:
    """The names in a constant of `private`."""
    match value:
        case str():
            return {value}
        case Mapping() | tuple() | frozenset():
            return set().union(*(strings(each) for each in value))
    return set()


def test_no_other_file_knows_a_private_name():
    """Words that are also public (`args`, `jit`, `static_argnums`, ...) do not count."""
    public = {"fun", "args", "kwargs", "jaxpr", "values", "client", "device", "backend", "inline"}
    public |= {
        "argnums",
        "has_aux",
        "f",
        "length",
        "reverse",
        "traceback",
        "Unspecified",
        "branches",
        "p",
        "params",
    }
    public |= {name for name in private.OPTIONS if name.endswith(("argnums", "argnames"))}
    named = set().union(*(strings(v) for k, v in vars(private).items() if k.isupper()))
    secret = {name for name in named if not name.startswith("/")} - public - private.CALLS
    folder = Path(gotcha.__file__).parent
    for path in folder.rglob("*.py"):
        if path.name == "private.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            word = getattr(node, "attr", getattr(node, "value", None))
            assert word != "_src" and word not in secret, f"{path.name}: {word}"


@pytest.mark.parametrize("feature", RENAMED)
def test_a_name_that_is_gone(feature: str, plain: list[float], watch: Any, monkeypatch: Any):
    name, value = RENAMED[feature]
    monkeypatch.setattr(private, name, value)
    watched = watch()
    assert program() == plain
    assert feature in watched.run.degraded, watched.run.degraded
    assert watched.run.degraded[feature] in watched.report()
    assert found(watched) == FOUND - LOST.get(feature, set())


def test_all_is_found_where_nothing_is_gone(plain: list[float], watch: Any):
    watched = watch()
    assert program() == plain
    assert found(watched) == FOUND


def test_why_is_said_of_each_recompile_without_the_frame_of_the_call(watch: Any, monkeypatch: Any):
    monkeypatch.setattr(private, "CALL", "absent")
    watched = watch()
    step = jax.jit(lambda x: x * 2)
    values = [jnp.zeros(n) for n in (33, 41, 45)]
    for value in values:
        step(value)
        step.lower(jnp.zeros(99)).compile()  # ahead of time: no recompile of a call
        jax.make_jaxpr(step)(value)
    first, *rest = gotcha.history(step)
    assert first.cause == ""
    assert [each.differences for each in rest if each.cause] == [
        ("x: float32[33] -> float32[41]",),
        ("x: float32[41] -> float32[45]",),
    ]
    gotcha.stop()
    assert [f.count for f in watched.run.findings.values() if f.name == "recompile"] == [2]


@pytest.mark.parametrize("feature", [n.feature for n in self_tests.NAMES if n.counts])
@pytest.mark.parametrize("block", ["no_recompile", "budget", "allow"])
def test_a_block_that_cannot_count_says_so(feature: str, block: str, watch: Any, monkeypatch: Any):
    name, value = RENAMED[feature]
    monkeypatch.setattr(private, name, value)
    watched = watch()
    step = jax.jit(lambda x: x * 3)
    made = {
        "no_recompile": gotcha.no_recompile,
        "budget": lambda: gotcha.budget(step, compiles=9),
        "allow": lambda: gotcha.no_recompile(allow=0),
    }[block]()
    with (
        pytest.warns(RuntimeWarning, match=f"could not see all compiles.*{feature}"),
        contextlib.suppress(gotcha.Recompiled),
        made,
    ):
        step(1.0)
    assert feature in api.blind(watched)


def test_listeners_that_cannot_be_seen_are_not_put_in_twice(watch: Any, monkeypatch: Any):
    watched = watch()
    known = [len(getattr(jax._src.monitoring, name)) for name in private.LISTENERS]
    monkeypatch.setattr(private, "LISTENERS", ("_absent", *private.LISTENERS[1:]))
    (register,) = [job.function for job in watched.ticker._jobs if job.period == 5.0]
    register()
    monkeypatch.undo()
    assert [len(getattr(jax._src.monitoring, name)) for name in private.LISTENERS] == known


def test_a_setting_has_a_number_where_its_name_is_gone(watch: Any, monkeypatch: Any):
    monkeypatch.setattr(private, "CONTEXT_NAMES", "absent")
    watched = watch()
    step = jax.jit(lambda x: x @ x)
    x = jnp.ones((2, 2))
    step(x)
    with jax.default_matmul_precision("float32"):
        step(x)
    gotcha.stop()
    (told,) = [f for f in watched.run.findings.values() if f.cause == "context"]
    assert "part " in told.message and "float32" in told.message
