"""The stack of layers: scanned is unrolled, a packed document is one alone, a step is a row."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer.data.batch import Batch
from reference_trainer.extras import decode, sample
from reference_trainer.model import backbone, heads
from reference_trainer.run import layout
from reference_trainer.train import step as steps
from tests.reference_trainer.support import (
    TINY,
    abstract_batch,
    gradients,
    hidden,
    init,
    some_batch,
    temporary_bytes,
)

DEEP = TINY.replace(model={"depth": 8})


def scanned(config=TINY):
    return config.replace(compute={"layers": "scan"})


def alone(length: int, seed: int) -> Batch:
    tokens_T = np.random.default_rng(seed).integers(0, 64, length, np.int32)
    ones_BT = jnp.ones((1, length), jnp.int32)
    positions_BT = jnp.arange(length, dtype=jnp.int32)[None]
    inputs_BT1 = jnp.asarray(tokens_T)[None, :, None]
    return Batch(inputs_BT1, inputs_BT1, ones_BT, positions_BT, ones_BT.astype(jnp.float32))


def joined(first: Batch, second: Batch) -> Batch:
    second = second._replace(segments=second.segments + 1)
    return Batch(*(jnp.concatenate(pair, axis=1) for pair in zip(first, second, strict=True)))


def test_scanned_is_unrolled_over_the_same_parameters():
    config = TINY.replace(model={"depth": 4})  # two turns of the scan: their order counts
    params, batch = init(jax.random.key(0), config=config), some_batch()
    stacked = params | {"layers": layout.stack(params["layers"])}
    expected = hidden(params, batch, config=config)
    np.testing.assert_allclose(hidden(stacked, batch, scanned(config)), expected, atol=2e-5)
    back = layout.unstack(stacked["layers"])
    assert jax.tree.all(jax.tree.map(np.array_equal, back, params["layers"]))
    made = init(jax.random.key(0), config=scanned(config))
    assert jax.tree.structure(made) == jax.tree.structure(stacked)


def test_a_scan_is_compiled_once_for_all_layers():
    def size(config) -> int:
        params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
        batch = abstract_batch(config)
        run = functools.partial(backbone.hidden, config=config)
        return len(jax.jit(run).lower(params, batch).as_text())

    assert size(scanned(DEEP)) < 1.2 * size(scanned())
    assert size(DEEP) > 2 * size(TINY)


@pytest.mark.parametrize("kind", ["attention", "ssm"])
def test_a_packed_document_is_a_document_alone(kind):
    config = TINY.replace(model={"pattern": (kind,)})
    params = init(jax.random.key(0), config=config)
    first, second = alone(20, 1), alone(30, 2)
    both = hidden(params, joined(first, second), config)
    np.testing.assert_allclose(both[:, :20], hidden(params, first, config), atol=1e-5)
    np.testing.assert_allclose(both[:, 20:], hidden(params, second, config), atol=1e-5)


@pytest.mark.parametrize("kind", ["attention", "ssm"])
@pytest.mark.parametrize("layers", ["scan", "unroll"])
def test_a_carried_state_gives_what_the_whole_row_gives(kind, layers):
    config = TINY.replace(model={"pattern": (kind,), "window": 12}, compute={"layers": layers})
    params, batch = init(jax.random.key(0), config=config), alone(40, 3)
    expected_TV = heads.logits(params, hidden(params, batch, config)[0], config)[0]
    carry = decode.start(config, 1, 40)
    for t in range(40):
        position = jnp.asarray(t, jnp.int32)
        found, carry = sample.policy_step(
            params, batch.inputs[:, t], carry, position, config=config
        )
        np.testing.assert_allclose(found[0][0], expected_TV[t], atol=2e-4)


def temporary(config) -> int:
    batch = abstract_batch(config)
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    grads = functools.partial(steps.gradients, config=config)
    key = jax.eval_shape(lambda: jax.random.key(0))
    return temporary_bytes(jax.jit(grads).lower(params, batch, key=key))


def test_recomputing_saves_memory_in_the_scanned_stack():
    config = scanned(TINY).replace(
        model={"depth": 6, "width": 64, "pattern": ("attention",)}, data={"length": 128}
    )
    whole = temporary(config)
    full = temporary(config.replace(compute={"remat": "full"}))
    assert full < 0.4 * whole
    dots = temporary(config.replace(compute={"remat": "dots"}))
    second = temporary(config.replace(compute={"remat": "full", "remat_every": 2}))
    assert dots < 0.6 * whole
    assert full < second < whole


@pytest.mark.parametrize("compute", [{"remat": "full"}, {"remat": "dots", "remat_every": 2}])
@pytest.mark.parametrize(("layers", "depth"), [("scan", 4), ("unroll", 2)])
def test_recomputing_changes_no_gradient(compute, layers, depth):
    """A scan has two turns; unrolled, one layer of each kind is enough."""
    config = TINY.replace(model={"depth": depth}, compute={"layers": layers})
    again = config.replace(compute=compute)
    params, batch = init(jax.random.key(0), config=config), some_batch()
    expected, _ = gradients(params, batch, config, jax.random.key(0))
    found, _ = gradients(params, batch, again, jax.random.key(0))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=2e-3), found, expected)


def test_bfloat16_computes_in_it_and_keeps_float32_where_it_counts():
    config = TINY.replace(compute={"dtype": "bfloat16"})
    params, batch = init(jax.random.key(0), config=config), some_batch()
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(params))
    x_BTD = hidden(params, batch, config)
    assert x_BTD.dtype == jnp.bfloat16
    assert heads.logits(params, x_BTD, config)[0].dtype == jnp.float32
    exact_BTD = hidden(params, batch, TINY)
    error = jnp.linalg.norm(x_BTD - exact_BTD) / jnp.linalg.norm(exact_BTD)
    assert 0 < error < 0.05
    grads, total = gradients(params, batch, config, jax.random.key(0))
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves((grads, total)))


def test_what_needs_the_range_or_the_bits_is_float32():
    """Softmax and decays (exp), norms (rsqrt), step sizes (log1p), and decays that add up."""
    config = TINY.replace(compute={"dtype": "bfloat16"})
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    batch = abstract_batch(config)
    run = functools.partial(backbone.hidden, config=config)
    found = list(operations(jax.make_jaxpr(run)(params, batch).jaxpr))
    for delicate, least in (("exp", 3), ("rsqrt", 5), ("log1p", 1), ("cumsum", 1)):
        types = [out.aval.dtype for name, out in found if name == delicate]
        assert len(types) >= least
        assert jnp.bfloat16 not in types


def operations(program: Any) -> Iterator[tuple[str, Any]]:
    """Each with its first result; those of a function as often as it is called."""
    for equation in program.eqns:
        yield equation.primitive.name, equation.outvars[0]
        for inner in jax.tree.leaves(
            list(equation.params.values()), is_leaf=lambda x: hasattr(x, "eqns")
        ):
            if hasattr(inner, "eqns"):
                yield from operations(getattr(inner, "jaxpr", inner))


DOT = re.compile(r"dot_general .*: \(tensor<(\S+)>, tensor<(\S+)>\) -> tensor<(\S+)>")


def products(function: Any, *args: Any) -> list[tuple[list[str], ...]]:
    """Shapes and types of each matrix product, as it is lowered for a GPU."""
    text = jax.jit(function).trace(*args).lower(lowering_platforms=("cuda",)).as_text()
    return [tuple(part.split("x") for part in found) for found in DOT.findall(text)]


def test_layers_write_bfloat16_and_gradients_of_matrices_float32():
    """What a layer writes is half as large; what adds up over rows and devices keeps its bits."""
    config = TINY.replace(compute={"dtype": "bfloat16"}, model={"tied": False})
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    batch = abstract_batch(config)
    layers = jax.tree.leaves_with_path(params["layers"])
    kernels = [leaf.shape for path, leaf in layers if path[-1].key == "kernel"]
    forward = [
        out
        for _, right, out in products(
            functools.partial(backbone.hidden, config=config), params, batch
        )
        if len(right) == 3  # a matrix, and its type
    ]
    assert len(forward) == len(kernels)
    assert {out[-1] for out in forward} == {"bf16"}
    key = jax.eval_shape(lambda: jax.random.key(0))
    backward = products(lambda p, b, k: steps.gradients(p, b, config, k), params, batch, key)
    sizes = {sorted_shape(shape) for shape in kernels}
    found = [
        out for left, right, out in backward if len(out) == 3 and sorted_shape(out[:2]) in sizes
    ]
    assert len(found) == len(kernels) + 1  # the table of the head has the shape of one of them
    assert {out[-1] for out in found} == {"f32"}


def sorted_shape(shape: Any) -> tuple[int, ...]:
    return tuple(sorted(map(int, shape)))


def test_gradients_of_a_common_token_add_up_in_float32():
    config = TINY.replace(model={"tied": False}, compute={"dtype": "bfloat16"})
    table_VD = jnp.ones((64, 32))
    inputs_BT1 = jnp.zeros((64, 128, 1), jnp.int32)  # one token, 8,192 times

    def total(table_VD: jax.Array) -> jax.Array:
        return backbone.embedded({"embed": [table_VD]}, inputs_BT1, config).sum(dtype=jnp.float32)

    np.testing.assert_allclose(jax.jit(jax.grad(total))(table_VD)[0], 8192.0)


def test_int8_training_has_gradients_everywhere():
    config = TINY.replace(compute={"quantise": "int8"})
    params, batch = init(jax.random.key(0), config=config), some_batch()
    plain, _ = gradients(params, batch, TINY, jax.random.key(0))
    grads, _ = gradients(params, batch, config, jax.random.key(0))
    for path, leaf in jax.tree.leaves_with_path(grads):
        if "kernel" in jax.tree_util.keystr(path):
            assert float(jnp.mean(leaf != 0)) > 0.9, path
    near = [
        float(jnp.vdot(a, b) / (jnp.linalg.norm(a) * jnp.linalg.norm(b)))
        for a, b in zip(jax.tree.leaves(plain), jax.tree.leaves(grads), strict=True)
    ]
    assert np.median(near) > 0.98


def test_dropout_is_only_where_there_is_a_key():
    config = TINY.replace(model={"dropout": 0.3})
    params, batch = init(jax.random.key(0), config=config), some_batch()
    plain = hidden(params, batch, config)
    np.testing.assert_array_equal(plain, hidden(params, batch, TINY))
    dropped = [hidden(params, batch, config, jax.random.key(k)) for k in (0, 0, 1)]
    np.testing.assert_array_equal(dropped[0], dropped[1])
    assert not np.allclose(dropped[0], dropped[2]) and not np.allclose(dropped[0], plain)
