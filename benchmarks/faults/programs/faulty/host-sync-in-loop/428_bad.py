"""Keras-like fit loop for a linen model with a live progress bar."""
import sys

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(nn.relu(nn.Dense(32)(x)))


class ProgressBar:
    def __init__(self, total, out=sys.stderr):
        self.total, self.out = total, out

    def on_batch_end(self, step, logs):
        shown = " - ".join(f"{k}: {float(v):.4f}" for k, v in logs.items())
        self.out.write(f"\r{step + 1}/{self.total} {shown}")

    def on_epoch_end(self, epoch, logs):
        shown = " - ".join(f"{k}: {float(v):.4f}" for k, v in logs.items())
        self.out.write(f"\repoch {epoch} {shown}\n")


class Model:
    def __init__(self, module, tx):
        self.module, self.tx = module, tx
        self.train_step = jax.jit(self._train_step)

    def _train_step(self, params, opt_state, x, y):
        def loss_fn(p):
            logits = self.module.apply(p, x)
            loss = optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()
            return loss, {"loss": loss, "accuracy": jnp.mean(logits.argmax(-1) == y)}

        (_, logs), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, logs

    def fit(self, x, y, epochs, batch_size, interval=10):
        params = self.module.init(jax.random.key(0), x[:1])
        opt_state = self.tx.init(params)
        steps = len(x) // batch_size
        bar = ProgressBar(steps)
        for epoch in range(epochs):
            for step in range(steps):
                sl = slice(step * batch_size, (step + 1) * batch_size)
                params, opt_state, logs = self.train_step(params, opt_state, x[sl], y[sl])
                bar.on_batch_end(step, logs)
            bar.on_epoch_end(epoch, logs)
        return params, logs


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.normal(size=(640, 8)).astype(np.float32)
    _, logs = Model(Net(), optax.adam(1e-3)).fit(x, x[:, :4].argmax(-1), epochs=2, batch_size=32)
    print({k: float(v) for k, v in logs.items()})
