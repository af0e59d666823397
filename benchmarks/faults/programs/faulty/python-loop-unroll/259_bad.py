"""Trainer that runs several steps per execution of the compiled function."""
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax


class ConvNet:
    def __init__(self, widths=(8, 16, 16)):
        self.widths = widths

    def init(self, key):
        params, cin = [], 1
        for k, cout in zip(jax.random.split(key, len(self.widths)), self.widths):
            params.append(jax.random.normal(k, (3, 3, cin, cout)) / np.sqrt(9 * cin))
            cin = cout
        return {"convs": params, "head": jnp.zeros((cin, 10))}

    def apply(self, params, x):
        for w in params["convs"]:
            x = jax.nn.relu(jax.lax.conv_general_dilated(
                x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
        return x.mean((1, 2)) @ params["head"]


class Trainer:
    def __init__(self, model, tx, steps_per_execution=1):
        self.model, self.tx = model, tx
        self.steps_per_execution = steps_per_execution
        self.train_function = jax.jit(self._multi_step)

    def _one_step(self, state, batch):
        params, opt_state = state
        x, y = batch

        def loss_fn(p):
            logits = self.model.apply(p, x)
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return (optax.apply_updates(params, updates), opt_state), loss

    def _multi_step(self, state, batches):
        for i in range(self.steps_per_execution):
            batch = jax.tree.map(lambda a: a[i], batches)
            state, loss = self._one_step(state, batch)
        return state, loss

    def fit(self, stacked, seed=0):
        params = self.model.init(jax.random.PRNGKey(seed))
        state = (params, self.tx.init(params))
        for batches in stacked:
            state, loss = self.train_function(state, batches)
        return float(loss)


def stacked_batches(n, k, batch=8, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield (rng.normal(size=(k, batch, 16, 16, 1)).astype(np.float32),
               rng.integers(0, 10, (k, batch)).astype(np.int32))


if __name__ == "__main__":
    for k in (1, 24):
        start = time.perf_counter()
        loss = Trainer(ConvNet(), optax.adam(1e-3), k).fit(stacked_batches(2, k))
        print("steps per execution", k, "loss", loss, round(time.perf_counter() - start, 1), "s")
