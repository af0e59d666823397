"""Point-cloud classifier with batch norm (equinox) trained by a small trainer class."""
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class PointNet(eqx.Module):
    l1: eqx.nn.Linear
    norm: eqx.nn.BatchNorm
    l2: eqx.nn.Linear

    def __init__(self, key):
        k1, k2 = jax.random.split(key)
        self.l1 = eqx.nn.Linear(12, 16, key=k1)
        self.norm = eqx.nn.BatchNorm(16, axis_name="batch", mode="batch", momentum=0.8)
        self.l2 = eqx.nn.Linear(16, 3, key=k2)

    def __call__(self, x, state):
        h, state = self.norm(self.l1(x.reshape(-1)), state)
        return self.l2(jax.nn.relu(h)), state


def forward(model, state, xs):
    return jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(xs, state)


def loss_fn(model, state, xs, ys):
    logits, state = forward(model, state, xs)
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, ys).mean()
    return loss, state


class Trainer:
    def __init__(self, model, state, lr=1e-2):
        self.model, self.state = model, state
        self.opt = optax.adam(lr)
        self.opt_state = self.opt.init(eqx.filter(model, eqx.is_inexact_array))

    @staticmethod
    @eqx.filter_jit
    def make_step(model, state, opt, opt_state, xs, ys):
        (loss, state), grads = eqx.filter_value_and_grad(loss_fn, has_aux=True)(model, state, xs, ys)
        updates, opt_state = opt.update(grads, opt_state)
        return eqx.apply_updates(model, updates), state, opt_state, loss

    def fit(self, batches):
        for xs, ys in batches:
            self.model, self.state, self.opt_state, loss = self.make_step(
                self.model, self.state, self.opt, self.opt_state, xs, ys
            )
        return loss

    def accuracy(self, xs, ys):
        infer = partial(forward, eqx.nn.inference_mode(self.model), self.state)
        return jnp.mean(infer(xs)[0].argmax(-1) == ys)


def make_batch(key, n=48):
    k1, k2 = jax.random.split(key)
    y = jax.random.randint(k1, (n,), 0, 3)
    return jax.random.normal(k2, (n, 4, 3)) + 3.0 * y[:, None, None] + 5.0, y


if __name__ == "__main__":
    model, state = eqx.nn.make_with_state(PointNet)(jax.random.key(0))
    trainer = Trainer(model, state)
    loss = trainer.fit(make_batch(jax.random.key(i)) for i in range(60))
    print("train loss", loss, "test accuracy", trainer.accuracy(*make_batch(jax.random.key(999))))
