import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from typing import NamedTuple, Any


class Transition(NamedTuple):
    obs: jax.Array
    action: jax.Array
    target: jax.Array


class QNetwork(nn.Module):
    actions: int

    @nn.compact
    def __call__(self, obs):
        return nn.Dense(self.actions)(nn.relu(nn.Dense(24)(obs)))


class LearnerState(NamedTuple):
    params: Any
    opt_state: optax.OptState


def make_learner(network, tx):
    def init(key, obs):
        params = network.init(key, obs)["params"]
        return LearnerState(params, tx.init(params))

    def loss(params, batch):
        q = network.apply(params, batch.obs)
        chosen = jnp.take_along_axis(q, batch.action[:, None], axis=-1)[:, 0]
        return jnp.mean(optax.huber_loss(chosen, batch.target))

    @jax.jit
    def update(state, batch):
        value, grads = jax.value_and_grad(loss)(state.params, batch)
        updates, opt_state = tx.update(grads, state.opt_state)
        return LearnerState(optax.apply_updates(state.params, updates), opt_state), value

    return init, update


def main():
    k0, k1, k2, k3 = jax.random.split(jax.random.key(0), 4)
    batch = Transition(
        obs=jax.random.normal(k1, (32, 4)),
        action=jax.random.randint(k2, (32,), 0, 3),
        target=jax.random.normal(k3, (32,)),
    )
    init, update = make_learner(QNetwork(3), optax.adam(1e-2))
    state = init(k0, batch.obs)
    for _ in range(20):
        state, value = update(state, batch)
    print("td loss", float(value))


if __name__ == "__main__":
    main()
