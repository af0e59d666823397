"""LoRA-style fine-tuning of a frozen linear map with a small equinox trainer."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class LoRALinear(eqx.Module):
    weight: jax.Array
    a: jax.Array
    b: jax.Array

    def __init__(self, key, din, dout, rank=2):
        k1, k2 = jax.random.split(key)
        self.weight = jax.random.normal(k1, (dout, din)) / np.sqrt(din)
        self.a = 0.1 * jax.random.normal(k2, (rank, din))
        self.b = jnp.zeros((dout, rank))

    def __call__(self, x):
        return self.weight @ x + self.b @ (self.a @ x)


def trainable(model):
    spec = jax.tree.map(lambda _: False, model)
    return eqx.tree_at(lambda m: (m.a, m.b), spec, (True, True))


class Trainer:
    def __init__(self, model, lr=1e-2):
        self.model = model
        self.lora, self.frozen = eqx.partition(model, trainable(model))
        self.tx = optax.adam(lr)
        self.opt_state = self.tx.init(self.lora)
        self.train_losses = []
        self._jit_step = eqx.filter_jit(self._step)

    def _step(self, lora, opt_state, x, y):
        def loss_fn(lora):
            pred = jax.vmap(eqx.combine(lora, self.frozen))(x)
            return jnp.mean((pred - y) ** 2)

        loss, grads = eqx.filter_value_and_grad(loss_fn)(lora)
        self.train_losses.append(loss)
        updates, opt_state = self.tx.update(grads, opt_state)
        return eqx.apply_updates(lora, updates), opt_state

    def fit(self, batches, log_every=10):
        for step, (x, y) in enumerate(batches, start=1):
            self.lora, self.opt_state = self._jit_step(self.lora, self.opt_state, x, y)
            if step % log_every == 0:
                recent = self.train_losses[-log_every:]
                print(f"step {step} | train loss {np.mean(jax.device_get(recent)):.4f}")
        return eqx.combine(self.lora, self.frozen)


def make_batches(n, din=8, dout=4, batch=16, seed=0):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(din, dout)).astype(np.float32)
    for _ in range(n):
        x = rng.normal(size=(batch, din)).astype(np.float32)
        yield x, x @ w


if __name__ == "__main__":
    trainer = Trainer(LoRALinear(jax.random.key(0), 8, 4))
    model = trainer.fit(make_batches(30))
    print("rank-2 update norm", float(jnp.linalg.norm(model.b @ model.a)))
