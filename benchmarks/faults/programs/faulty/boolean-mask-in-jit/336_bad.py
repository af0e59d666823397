import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


def mask_scores(scores, valid):
    return scores.at[~valid].set(-1e9)


class MultiHeadAttention(nn.Module):
    heads: int = 2
    dim: int = 8

    @nn.compact
    def __call__(self, x, lengths):
        b, t, _ = x.shape
        qkv = nn.Dense(3 * self.dim)(x).reshape(b, t, 3, self.heads, -1)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k)
        valid = jnp.arange(t)[None, :] < lengths[:, None]
        valid = jnp.broadcast_to(valid[:, None, None, :], scores.shape)
        att = nn.softmax(mask_scores(scores, valid), axis=-1)
        out = jnp.einsum("bhqk,bkhd->bqhd", att, v).reshape(b, t, self.dim)
        return nn.Dense(self.dim)(out)


def main():
    model = MultiHeadAttention()
    x = jax.random.normal(jax.random.key(0), (4, 6, 8))
    lengths = jnp.array([6, 4, 3, 1])
    params = model.init(jax.random.key(1), x, lengths)
    tx = optax.adam(1e-2)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state):
        def loss(p):
            return jnp.mean((model.apply(p, x, lengths) - jnp.abs(x)) ** 2)

        value, g = jax.value_and_grad(loss)(params)
        updates, opt_state = tx.update(g, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    for _ in range(10):
        params, opt_state, value = step(params, opt_state)
    print("loss", float(value))


if __name__ == "__main__":
    main()
