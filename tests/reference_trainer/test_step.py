"""The step: one program, sums and not means, donated, typed, and safe against NaN."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from reference_trainer import metrics, parallel
from reference_trainer.data.batch import Batch
from reference_trainer.model import backbone, heads
from reference_trainer.run import layout
from reference_trainer.train import state as states
from reference_trainer.train import step as steps
from tests.reference_trainer.support import (
    SMALL,
    TINY,
    gradients,
    init,
    placed,
    same,
    some_batch,
    temporary_bytes,
)


@pytest.fixture
def mesh():
    return parallel.device_mesh()


def relative(left, right) -> float:
    a, b = (np.concatenate([np.ravel(x) for x in jax.tree.leaves(t)]) for t in (left, right))
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def test_batches_do_not_compile_again(mesh):
    state, step = states.create(SMALL, mesh), steps.build(SMALL, mesh)
    state, _ = step(state, placed(some_batch(index=0)))
    compiles = metrics.Compiles()
    losses = set()
    for index in (1, 2):
        state, output = step(state, placed(some_batch(index=index)))
        assert compiles.count == 0
        losses.add(float(output.loss))
    assert len(losses) == 2  # the batches did arrive


def test_a_restored_state_does_not_compile_again(mesh):
    """A restore gives arrays with the layout of `abstract`: a fresh state must have it too."""
    step, batch, abstract = (
        steps.build(SMALL, mesh),
        placed(some_batch()),
        states.abstract(SMALL, mesh),
    )
    fresh = states.create(SMALL, mesh)
    restored = jax.device_put(jax.device_get(fresh), jax.tree.map(lambda x: x.sharding, abstract))
    step(fresh, batch)
    compiles = metrics.Compiles()
    step(restored, batch)
    assert compiles.count == 0


def test_nothing_is_weakly_typed(mesh):
    state = states.create(SMALL, mesh)
    assert not any(leaf.weak_type for leaf in jax.tree.leaves(state))
    state, _ = steps.build(SMALL, mesh)(state, placed(some_batch()))
    assert state.step.dtype == jnp.int32 and int(state.step) == 1
    assert not any(leaf.weak_type for leaf in jax.tree.leaves(state))


def test_the_state_is_donated(mesh):
    state = states.create(SMALL, mesh)
    old = jax.tree.leaves(state.params)[0]
    steps.build(SMALL, mesh)(state, placed(some_batch()))
    assert old.is_deleted()


def test_no_array_is_baked_in(mesh):
    """Masks are computed where they are used: a captured one is a constant of the program."""
    args = states.abstract(TINY, mesh), parallel.abstract_batch(TINY, mesh)
    traced = jax.make_jaxpr(lambda state, batch: steps.train_step(state, batch, TINY))(*args)
    assert max((np.size(c) for c in traced.consts), default=0) < 256


def test_parts_add_up_to_the_whole():
    """Ragged weights: a mean of the parts' means would be far off."""
    params, batch = init(jax.random.key(1), config=SMALL), some_batch()
    weights = batch.weights * (jnp.arange(4) > 1)[:, None]  # two of four rows do not count
    weights = weights.at[2, 7:].set(0.0)
    batch = batch._replace(weights=weights)
    parted = SMALL.replace(optimizer={"accumulate": 2})
    whole, total = gradients(params, batch, SMALL, jax.random.key(0))
    parts, parts_total = gradients(params, batch, parted, jax.random.key(0))
    assert float(total.targets) == float(parts_total.targets) == float(weights.sum())
    assert relative(parts, whole) < 1e-5
    means = [
        gradients(params, Batch(*(x[i::2] for x in batch)), SMALL, jax.random.key(0))
        for i in (0, 1)
    ]
    mean = jax.tree.map(
        lambda a, b: total.targets * (a / means[0][1].targets + b / means[1][1].targets) / 2,
        means[0][0],
        means[1][0],
    )
    assert relative(mean, whole) > 0.1  # the test can tell


def test_dropout_differs_from_step_to_step(mesh):
    config = SMALL.replace(model={"dropout": 0.5}, optimizer={"learning_rate": 0.0})
    state, step, batch = (
        states.create(config, mesh),
        steps.build(config, mesh),
        placed(some_batch()),
    )
    state, first = step(state, batch)
    state, second = step(state, batch)
    assert float(first.loss) != float(second.loss)


def test_a_step_that_is_not_finite_changes_nothing(mesh):
    state, step = states.create(SMALL, mesh), steps.build(SMALL, mesh)
    before = jax.device_get((state.params, state.opt_state))
    batch = some_batch()
    state, output = step(state, placed(batch._replace(weights=batch.weights * jnp.inf)))
    assert not output.finite and int(state.skipped) == 1 and int(state.step) == 1
    assert same(before, jax.device_get((state.params, state.opt_state)))


def test_decay_is_for_matrices_only_stacked_or_not():
    for layers in ("scan", "unroll"):
        config = TINY.replace(compute={"layers": layers})
        params = init(jax.random.key(0), config=config)
        marked = jax.tree.leaves_with_path(states.decayed(params))
        decayed = {jax.tree_util.keystr(path) for path, mark in marked if mark}
        assert any("kernel" in name for name in decayed) and "['embed'][0]" in decayed
        assert not any(
            word in name for name in decayed for word in ("norm", "bias", "rate", "skip")
        )


def test_gradients_are_clipped_and_the_rate_follows_its_schedule():
    """Clipped first: however large a gradient, Adam gets one of the norm `clip`."""
    config = SMALL.replace(optimizer={"clip": 0.5, "b1": 0.0}, run={"steps": 10})
    optimizer = states.optimizer(config)
    params = init(jax.random.key(0), config=config)
    huge = jax.tree.map(lambda leaf: jnp.full_like(leaf, 1e6), params)
    _, after = optimizer.update(huge, optimizer.init(params), params)
    (mu,) = (part.mu for part in jax.tree.leaves(after, is_leaf=_has_mu) if _has_mu(part))
    np.testing.assert_allclose(optax.tree.norm(mu), 0.5, rtol=1e-4)
    settings, rate = config.optimizer, states.schedule(config)
    assert rate(0) == 0
    np.testing.assert_allclose(rate(settings.warmup), settings.learning_rate, rtol=1e-6)
    final = settings.learning_rate * settings.final_share
    np.testing.assert_allclose(rate(config.run.steps), final, rtol=1e-5)
    rates = np.stack([rate(step) for step in range(settings.warmup, config.run.steps + 1)])
    assert (np.diff(rates) < 0).all()


def _has_mu(part) -> bool:
    return isinstance(part, optax.ScaleByAdamState)


@pytest.mark.parametrize("chunk", [0, 16])
def test_the_loss_of_several_heads_is_their_sum(chunk):
    config = SMALL.replace(model={"heads": (64, 16), "tied": False}, compute={"loss_chunk": chunk})
    params, batch = init(jax.random.key(1), config=config), some_batch()
    both = jnp.concatenate([batch.targets, batch.targets % 16], axis=-1)
    x_BTD = jax.random.normal(jax.random.key(2), (*batch.weights.shape, config.model.width))
    found = heads.sums(params, x_BTD, batch._replace(targets=both), config)
    expected = 0.0
    for i, logits in enumerate(heads.logits(params, x_BTD, config)):
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), both[..., i : i + 1], axis=-1)
        expected -= float(jnp.sum(chosen[..., 0] * batch.weights))
    np.testing.assert_allclose(found.loss, expected, rtol=1e-5)
    assert float(found.targets) == 2 * float(batch.weights.sum())


def test_chunked_loss_is_the_loss():
    params, batch = init(jax.random.key(1), config=TINY), some_batch()
    chunked = TINY.replace(compute={"loss_chunk": 16})
    whole, total = gradients(params, batch, TINY, jax.random.key(0))
    parts, parts_total = gradients(params, batch, chunked, jax.random.key(0))
    assert relative(parts, whole) < 1e-5
    np.testing.assert_allclose(parts_total, total, rtol=1e-5)


def test_chunked_loss_keeps_one_chunk_of_logits():
    vocabulary = 8192
    config = TINY.replace(
        model={"features": (vocabulary,), "heads": (vocabulary,), "depth": 2},
        data={"length": 512, "batch": 2},
    )

    def temporary(chunk: int) -> int:
        sized = config.replace(compute={"loss_chunk": chunk})
        params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=sized))
        mesh = parallel.device_mesh()
        batch = parallel.abstract_batch(sized, mesh)
        x_BTD = jax.ShapeDtypeStruct((2, 512, 32), jnp.float32)
        loss = jax.grad(lambda x, p, b: heads.sums(p, x, b, sized).loss)
        return temporary_bytes(jax.jit(loss).lower(x_BTD, params, batch))

    assert temporary(32) < 0.35 * temporary(0)


def test_muon_makes_updates_of_matrices_orthogonal_stacked_or_not():
    """Tables and vectors are Adam's."""
    rows = {}
    for layers in ("unroll", "scan"):
        config = TINY.replace(
            model={"pattern": ("attention",)},
            compute={"layers": layers},
            optimizer={"kind": "muon", "warmup": 0, "weight_decay": 0.0},
        )
        params = init(jax.random.key(0), config=config)
        noise = jax.tree.map(
            lambda leaf: jax.random.normal(jax.random.key(leaf.size), leaf.shape), params["norm"]
        )
        unrolled = layout.unstack(params["layers"]) if layers == "scan" else params["layers"]
        grads = params | {"norm": noise}  # the parameters themselves will do as gradients

        @jax.jit
        def first_update(grads, params, config=config):
            optimizer = states.optimizer(config)
            return optimizer.update(grads, optimizer.init(params), params)[0]

        updates = first_update(grads, params)
        found = updates["layers"]
        rows[layers] = layout.unstack(found) if layers == "scan" else found
        kernel = rows[layers][0]["0"]["mlp"]["up"]["kernel"]
        values = np.linalg.svd(kernel, compute_uv=False)
        before = np.linalg.svd(unrolled[0]["0"]["mlp"]["up"]["kernel"], compute_uv=False)
        assert values.max() / values.min() < 2 < before.max() / before.min()
        size = np.abs(updates["norm"]["scale"])  # as Adam's first: the same for every gradient
        np.testing.assert_allclose(size, size[0], rtol=1e-3)
    assert relative(rows["scan"], rows["unroll"]) < 1e-5
