import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


def normalize(x, axis=-1):
    return x / (jnp.linalg.norm(x, axis=axis, keepdims=True) + 1e-12)


class SlotEncoder(nn.Module):
    slots: int = 4
    dim: int = 8

    @nn.compact
    def __call__(self, feats):
        queries = self.param(
            "queries", nn.initializers.zeros_init(), (self.slots, self.dim)
        )
        keys = normalize(nn.Dense(self.dim)(feats))
        sim = jnp.einsum("qd,bkd->bqk", normalize(queries), keys)
        att = nn.softmax(sim / 0.1, axis=-1)
        return jnp.einsum("bqk,bkd->bqd", att, feats[..., : self.dim])


def loss_fn(params, model, feats, target):
    slots = model.apply({"params": params}, feats)
    return jnp.mean((slots.mean(axis=1) - target) ** 2)


def fit(steps=5):
    model = SlotEncoder()
    feats = jax.random.normal(jax.random.key(0), (6, 10, 8))
    target = feats.max(axis=1)
    params = model.init(jax.random.key(1), feats)["params"]
    tx = optax.adam(1e-2)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state):
        loss, g = jax.value_and_grad(loss_fn)(params, model, feats, target)
        updates, opt_state = tx.update(g, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    losses = []
    for _ in range(steps):
        params, opt_state, loss = step(params, opt_state)
        losses.append(float(loss))
    return losses


if __name__ == "__main__":
    print(fit())
