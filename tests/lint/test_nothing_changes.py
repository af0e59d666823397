"""Results that are all that a call gives, and arrays that nothing can be written to."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, found, lint_files, marks

STREAM = code(
    """
    import jax
    import jax.numpy as jnp
    import tensorflow as tf
    from datasets import load_dataset


    @jax.jit
    def loss_of(w, x):
        return jnp.mean((w - x) ** 2)


    def resumed(w, done):
        rows = load_dataset("our/texts", split="train", streaming=True)
        rows.skip(done)  # ! discarded-update
        rows = rows.with_format("numpy")
        for row in rows:
            print(float(loss_of(w, row["x"])))


    def shuffled(w, images):
        data = tf.data.Dataset.from_tensor_slices(images)
        data.shuffle(1000)  # ! discarded-update
        data.map(tf.cast)  # ! discarded-update
        data = data.batch(32, drop_remainder=True)
        for batch in data.as_numpy_iterator():
            print(float(loss_of(w, batch)))


    def bound(w, images):
        data = tf.data.Dataset.from_tensor_slices(images)
        data = data.shuffle(1000).repeat()
        return [loss_of(w, batch) for batch in data.take(5)]


    def looked_through(w, show):
        rows = load_dataset("our/texts", split="train")
        rows.map(show)
        rows.set_format("jax")
        return [loss_of(w, row["x"]) for row in rows]
    """
)


def test_steps_of_a_pipeline_give_a_new_one(tmp_path: Path) -> None:
    assert found(lint_files(tmp_path, {"a.py": STREAM}, ("discarded-update",))) == marks(STREAM)


ATTRIBUTES = code(
    """
    import jax
    import jax.numpy as jnp
    import numpy as np
    from flax import linen as nn
    from flax import nnx


    class Box:
        pass


    @jax.jit
    def doubled(x):
        return 2 * x


    def resumed(saved, is_new):
        total = jnp.zeros(3)
        if not is_new:
            total.total = saved["total"]  # ! cannot-run
        return doubled(total)


    def tagged():
        y = doubled(jnp.ones(3))
        y.name = "y"  # ! cannot-run
        return y


    class Counting(nn.Module):
        @nn.compact
        def __call__(self, x):
            count = self.variable("counts", "steps", jnp.zeros, ())
            count.value = count.value + 1
            return x * count.value


    def others(x, count):
        box, rows, scale = Box(), np.zeros((2, 3)), nnx.Param(jnp.ones(3))
        box.value = doubled(x)
        rows.shape = (3, 2)
        scale.value = doubled(scale.value)
        either = doubled(rows) if count else box
        either.name = "x"
        try:
            doubled(jnp.ones(3)).name = "x"
        except AttributeError:
            print("no names")
        return box, rows, scale
    """
)


def test_no_attribute_of_an_array_can_be_set(tmp_path: Path) -> None:
    assert found(lint_files(tmp_path, {"a.py": ATTRIBUTES}, ("cannot-run",))) == marks(ATTRIBUTES)
