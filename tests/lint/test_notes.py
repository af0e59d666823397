"""What may hold is a note: half precision that is chosen elsewhere, checkpoints of a part."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

STATE = """
    import equinox as eqx
    import jax
    from flax.training import checkpoints


    @jax.jit
    def walk(w, noise):
        return 0.9 * w + jax.random.normal(noise, w.shape)


    def key_of_the_caller(path, w, key, steps):
        w = eqx.tree_deserialise_leaves(path, w)
        for _ in range(steps):
            key, noise = jax.random.split(key)
            w = walk(w, noise)
            eqx.tree_serialise_leaves(path, w)  # 1


    def parameters_alone(path, state, batches, train_step):
        for batch in batches:
            state = train_step(state, batch)
            checkpoints.save_checkpoint(path, jax.device_get(state).params, 0)  # 2


    def state_as_a_whole(path, state, batches, train_step):
        for batch in batches:
            state = train_step(state, batch)
            checkpoints.save_checkpoint(path, state.replace(step=0), 0)


    class Trainer:
        def train(self, path, batches):
            key = self.key
            for batch in batches:
                key, noise = jax.random.split(key)
                self.state, loss = self.step(self.state, batch, noise)
                saved = jax.device_get(self.state)
                checkpoints.save_checkpoint(path, saved.params, 0)  # 3
"""

HALF = """
    import jax
    import jax.numpy as jnp


    @jax.jit
    def norm(x):
        x = x.astype(jnp.bfloat16)
        return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)  # 1


    @jax.jit
    def attend(scores):
        return jax.nn.softmax(scores.astype(jnp.float16), axis=-1)  # 2


    def sharper(fast):
        dtype = jnp.bfloat16 if fast else jnp.float32

        @jax.jit
        def scores(logits):
            return jax.nn.log_softmax(logits.astype(dtype))  # 3

        return scores


    @jax.jit
    def added_in_float32(x):
        half = x.astype(jnp.bfloat16)
        return half.mean(), half.sum(), jnp.mean(half.astype(jnp.float32) ** 2)
"""


def _notes(folder: Path, text: str, rule: str) -> list[int]:
    """The numbers in the comments of the lines that have a note."""
    lines = code(text).splitlines()
    found = lint_files(folder, {"train.py": code(text)}, select=(rule,), all=True)
    assert {finding.severity for finding in found} <= {"info"}
    return sorted(int(lines[finding.line - 1].rpartition("# ")[2]) for finding in found)


def test_checkpoints_of_a_part(tmp_path: Path):
    assert _notes(tmp_path, STATE, "incomplete-checkpoint") == [1, 2, 3]


LAYERS = """
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import optax
    from flax import nnx


    class Head(nnx.Module):
        def __init__(self, config, *, rngs: nnx.Rngs):
            self.norm = nnx.LayerNorm(8, dtype=config.dtype, rngs=rngs)
            self.logits = nnx.Linear(8, 100, dtype=config.dtype, rngs=rngs)
            self.scores = nnx.Linear(8, 100, rngs=rngs)

        def __call__(self, x):
            logits = self.logits(self.norm(x))
            scores = jax.nn.log_softmax(logits)  # 1
            shares = jax.nn.softmax(logits)
            return scores, shares, jax.nn.log_softmax(logits.astype(jnp.float32))

        def wide(self, x):
            return jax.nn.log_softmax(self.scores(self.norm(x)))


    class Same(nnx.Module):
        def __call__(self, x, rngs):
            return jax.nn.log_softmax(nnx.Linear(8, 100, dtype=x.dtype, rngs=rngs)(x))


    def half(model):
        return jax.tree.map(
            lambda x: x.astype(jnp.bfloat16) if eqx.is_inexact_array(x) else x, model
        )


    def begin(model):
        return optax.adamw(1e-4).init(eqx.filter(half(model), eqx.is_inexact_array))  # 2
"""

CALLERS = """
    import jax
    import jax.numpy as jnp
    import jmp
    import optax
    from flax import nnx

    policy = jmp.get_policy("params=float32,compute=bfloat16,output=float32")
    half = jmp.Policy(jnp.bfloat16, jnp.bfloat16, jnp.bfloat16)


    class Model(nnx.Module):
        def __init__(self, width, rngs: nnx.Rngs, dtype=jnp.bfloat16):
            self.head = nnx.Linear(width, 100, dtype=dtype, rngs=rngs)

        def __call__(self, x):
            return self.head(x), None


    class Wide(nnx.Module):
        def __init__(self, width, rngs: nnx.Rngs, dtype=jnp.bfloat16):
            self.head = nnx.Linear(width, 100, dtype=dtype, rngs=rngs)

        def __call__(self, x):
            return self.head(x).astype(jnp.float32), None


    def cross_entropy(logits, labels):
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)  # 1
        return losses.mean()


    def loss(model: Model, x, labels):
        logits, _ = model(x)
        return cross_entropy(logits / 0.7, labels)


    def wide_loss(model: "Wide | None", x):
        logits, _ = model(x)
        return jax.nn.log_softmax(logits).mean()


    @nnx.jit
    def step(model: Model, wide: Wide, x, labels):
        return nnx.grad(loss)(model, x, labels), nnx.grad(wide_loss)(wide, x)


    def scores(params, x):
        x, params = policy.cast_to_compute((x, params))
        out = policy.cast_to_output(x @ params["w"])
        return jax.nn.log_softmax(x @ params["w"]), jax.nn.log_softmax(out)  # 2


    def begin(params):
        wide = optax.adam(1e-3).init(policy.cast_to_param(params))
        return wide, optax.adam(1e-3).init(half.cast_to_param(params))  # 3
"""

GUARDED = """
    import jax
    import jax.numpy as jnp


    def signed_sqrt(x):
        return jnp.where(x < 0, -jnp.sqrt(-x), jnp.sqrt(x))  # 1


    def log(x):
        safe = jnp.where(x > 0, x, 1.0)
        return jnp.where(x > 0, jnp.log(safe), 0.0)


    def count(x):
        return jnp.where(x > 0, jnp.floor(jnp.sqrt(x)), 0.0)
"""


def test_what_a_callers_model_and_a_policy_give(tmp_path: Path):
    assert _notes(tmp_path, CALLERS, "computed-in-half-precision") == [1, 2, 3]


def test_a_root_that_others_may_differentiate(tmp_path: Path):
    assert _notes(tmp_path, GUARDED, "where-nan-gradient") == [1]


def test_layers_of_a_type_that_is_chosen(tmp_path: Path):
    assert _notes(tmp_path, LAYERS, "computed-in-half-precision") == [1, 2]


def test_half_precision_that_loses_less_or_may_be_chosen(tmp_path: Path):
    assert _notes(tmp_path, HALF, "computed-in-half-precision") == [1, 2, 3]
