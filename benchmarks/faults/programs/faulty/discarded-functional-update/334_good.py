import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class BiasAdder(nn.Module):
    """Subtracts a running mean of its inputs, kept in its own collection."""

    momentum: float = 0.9

    @nn.compact
    def __call__(self, x):
        ready = self.has_variable("moments", "mean")
        mean = self.variable("moments", "mean", jnp.zeros, x.shape[-1:])
        if ready:
            mean.value = self.momentum * mean.value + (1 - self.momentum) * x.mean(0)
        return x - mean.value


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = BiasAdder()(x)
        return nn.Dense(1)(nn.relu(nn.Dense(16)(x)))[:, 0]


model = Model()
tx = optax.adam(1e-2)


@jax.jit
def update_step(opt_state, params, state, x, y):
    def loss(params):
        pred, updated_state = model.apply(
            {"params": params, **state}, x, mutable=list(state.keys())
        )
        return jnp.mean((pred - y) ** 2), updated_state

    (value, updated_state), grads = jax.value_and_grad(loss, has_aux=True)(params)
    updates, opt_state = tx.update(grads, opt_state)
    params = optax.apply_updates(params, updates)
    return opt_state, params, updated_state, value


def main(steps=40):
    x = jax.random.normal(jax.random.key(0), (64, 4)) + 5.0
    y = x[:, 0] - x[:, 1]
    variables = dict(model.init(jax.random.key(1), x))
    params = variables.pop("params")
    state = variables
    opt_state = tx.init(params)
    for _ in range(steps):
        opt_state, params, state, value = update_step(opt_state, params, state, x, y)
    print("loss", float(value), "running mean", state["moments"]["BiasAdder_0"]["mean"])


if __name__ == "__main__":
    main()
