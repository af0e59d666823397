from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class Encoder(nn.Module):
    width: int = 16

    @nn.compact
    def __call__(self, x, train):
        x = nn.Dense(self.width)(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.9)(x)
        return nn.Dense(8)(nn.relu(x))


class SimCLRState(train_state.TrainState):
    batch_stats: Any = None


def augment(key, x):
    return x + 0.2 * jax.random.normal(key, x.shape)


def nt_xent(za, zb, temperature=0.5):
    z = jnp.concatenate([za, zb])
    z = z * jax.lax.rsqrt(jnp.sum(z**2, -1, keepdims=True) + 1e-6)
    sim = z @ z.T / temperature - 1e9 * jnp.eye(z.shape[0])
    n = za.shape[0]
    labels = (jnp.arange(2 * n) + n) % (2 * n)
    return optax.softmax_cross_entropy_with_integer_labels(sim, labels).mean()


@jax.jit
def train_step(state, x, key):
    ka, kb = jax.random.split(key)
    views = jnp.concatenate([augment(ka, x), augment(kb, x)])

    def loss_fn(params):
        variables = {"params": params, "batch_stats": state.batch_stats}
        z = state.apply_fn(variables, views, train=True)
        za, zb = jnp.split(z, 2)
        return nt_xent(za, zb)

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main():
    model = Encoder()
    x = jax.random.normal(jax.random.key(0), (32, 12))
    variables = model.init(jax.random.key(1), x, train=False)
    state = SimCLRState.create(
        apply_fn=model.apply,
        params=variables["params"],
        batch_stats=variables["batch_stats"],
        tx=optax.adam(1e-2),
    )
    for key in jax.random.split(jax.random.key(2), 10):
        state, loss = train_step(state, x, key)
    print("loss", float(loss))
    print("mean", state.batch_stats["BatchNorm_0"]["mean"][:3])


if __name__ == "__main__":
    main()
