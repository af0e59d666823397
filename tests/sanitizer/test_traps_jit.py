"""A recompile is seen however a function was jitted, and by whom."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import lost, mine, problems

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

SIZES = (3, 5, 7, 9)
SHAPE, NOTHING = "recompile/shape", ""


def _called(function: Callable[..., Any], shape: Callable[[int], tuple[int, ...]]) -> None:
    for n in SIZES:
        function(jnp.ones(shape(n)))


def vmap() -> None:
    jitted = jax.jit(lambda x: x * 2)
    for n in SIZES:
        jax.vmap(jitted)(jnp.ones((4, n)))


def grad() -> None:
    _called(jax.jit(jax.grad(lambda x: (x**2).sum())), lambda n: (n,))


def eager_grad() -> None:
    jitted = jax.jit(lambda x: (x**2).sum())
    for n in SIZES:
        jax.grad(jitted)(jnp.ones(n))


def scan() -> None:
    jitted = jax.jit(lambda x: x * 2)
    _called(jax.jit(lambda x: jax.lax.scan(lambda c, a: (jitted(c), a), 0.0, x)), lambda n: (n,))


def shard_map() -> None:
    auto = (jax.sharding.AxisType.Auto,)
    mesh = jax.make_mesh((1,), ("d",), axis_types=auto)
    spec = jax.sharding.PartitionSpec("d")
    mapped = jax.shard_map(lambda x: x * 2, mesh=mesh, in_specs=spec, out_specs=spec)
    _called(jax.jit(mapped), lambda n: (n,))


def custom_vjp() -> None:
    double = jax.custom_vjp(lambda x: x * 2)
    double.defvjp(lambda x: (x * 2, x), lambda x, g: (g * 2,))
    _called(jax.jit(jax.grad(lambda x: double(x).sum())), lambda n: (n,))


def export() -> None:
    from jax import export

    for n in SIZES:  # lowered on purpose, for each shape
        export.export(jax.jit(lambda x: x * 2))(jax.ShapeDtypeStruct((n,), "float32"))


def ahead_of_time() -> None:
    jitted = jax.jit(lambda x: x * 2)
    for n in SIZES:
        compiled = jitted.lower(jnp.ones(n)).compile()
        compiled(jnp.ones(n))


def donation() -> None:
    _called(jax.jit(lambda x: x * 2, donate_argnums=0), lambda n: (n,))


def pmap() -> None:
    _called(jax.pmap(lambda x: x * 2), lambda n: (1, n))


def nnx_jit() -> None:
    from flax import nnx

    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    step = nnx.jit(lambda model, x: model(x))
    for n in SIZES:
        step(model, jnp.ones((n, 3)))


def nnx_scan() -> None:
    from flax import nnx

    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    axes = {"in_axes": (nnx.Carry, None), "out_axes": nnx.Carry, "length": 2}
    step = nnx.jit(lambda model, x: nnx.scan(lambda c, m: m(c), **axes)(x, model))
    for n in SIZES:
        step(model, jnp.ones((n, 3)))


def linen_jit() -> None:
    from flax import linen as nn

    class Model(nn.Module):
        @nn.jit
        @nn.compact
        def __call__(self, x: Any) -> Any:
            return nn.Dense(3)(x)

    params = Model().init(jax.random.key(0), jnp.ones((2, 3)))
    _called(functools.partial(Model().apply, params), lambda n: (n, 3))


def filter_jit() -> None:
    import equinox as eqx

    model = eqx.nn.Linear(3, 3, key=jax.random.key(0))
    step = eqx.filter_jit(lambda model, x: jax.vmap(model)(x))
    for n in SIZES:
        step(model, jnp.ones((n, 3)))


def optax_update() -> None:
    import optax

    optimizer = optax.adam(1e-3)
    update = jax.jit(optimizer.update)
    for n in SIZES:
        params = {"w": jnp.ones(n)}
        update(params, optimizer.init(params))


EACH = {
    vmap: SHAPE, grad: SHAPE, eager_grad: SHAPE, scan: SHAPE, shard_map: SHAPE, custom_vjp: SHAPE,
    export: NOTHING, ahead_of_time: NOTHING, donation: SHAPE, pmap: SHAPE, nnx_jit: SHAPE,
    nnx_scan: SHAPE, linen_jit: SHAPE, filter_jit: SHAPE, optax_update: SHAPE,
}  # fmt: skip


@pytest.mark.parametrize("way", EACH, ids=lambda way: way.__name__)
def test_ways_to_jit(way: Callable[[], None], running: Session):
    way()
    causes = {name for name in problems(running) if name.startswith("recompile")}
    assert causes == ({EACH[way]} if EACH[way] else set())
    assert not lost(running)
    assert all(p["path"] == __file__ for p in mine(running))


def test_what_a_trace_computes_at_once_is_no_eager_gradient(running: Session):
    """Constants under `ensure_compile_time_eval`, as in solvers: once for each trace."""

    def loss(x: Any) -> Any:
        with jax.ensure_compile_time_eval():
            table = jnp.cumsum(jnp.linspace(0.0, 1.0, 29)).reshape(29, 1) @ jnp.ones((1, 2))
        return (x * table.sum()).sum()

    step = jax.jit(lambda x: x - jax.grad(loss)(x))
    x = jnp.ones(3)
    for _ in range(3):
        x = step(x)
    assert "cumsum" in {p["function"] for p in running.run.programs if p["eager"]}
    assert not running.run.findings


@pytest.mark.parametrize(("runs", "told"), [(3, set()), (6, {"recompile/new-function"})])
def test_a_new_function_with_other_shapes(runs: int, told: set[str], running: Session):
    """Three models that a library fits, each jitted for its own run, are three programs anyway."""

    def fit(n: int) -> None:
        @jax.jit
        def body(x: Any) -> Any:
            return x * 3 - 1

        body(jnp.ones(n))

    for n in range(runs):
        fit(31 + n)
    assert set(problems(running)) == told


def test_a_transformation_is_named_once(running: Session):
    """`evaluated by a transformation outside of jit: evaluated by vmap outside of jit`."""
    step = jax.jit(lambda x: x * 7)
    for n in (33, 34):
        jax.vmap(step)(jnp.ones((2, n)))
    jax.clear_caches()
    jax.vmap(step)(jnp.ones((2, 34)))
    problems(running)
    said = [f.message for f in running.run.findings.values() if f.cause == "transform"]
    assert all("outside of jit: vmap" in message for message in said)
    assert said


def test_a_weak_array_is_no_python_number(running: Session):
    step = jax.jit(lambda x: x * 5)
    step(jnp.asarray(2.0))
    step(jnp.zeros((), jnp.float32))
    assert "a Python number made (weak type)" in problems(running)["recompile/weak-type"]


def test_the_library_that_takes_an_eager_gradient_is_named(running: Session):
    eqx = pytest.importorskip("equinox")
    for n in range(3):
        eqx.filter_grad(lambda w: (jnp.sin(w) ** 2).sum())(jnp.ones(51 + n))
    assert "eager-grad/" in problems(running)
    (found,) = [each for each in running.run.problems if each.name == "eager-grad"]
    assert found.chain[0][1] == "equinox takes it here"
