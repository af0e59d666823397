"""DQN agent state with an online and a target network."""
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct


@struct.dataclass
class AgentState:
    online: Any
    target: Any
    opt_state: Any
    step: jax.Array


tx = optax.adam(1e-3)


def q_net(params, obs):
    return jax.nn.relu(obs @ params["w1"]) @ params["w2"]


def create_agent(key, obs_dim=6, actions=3, width=32):
    k1, k2 = jax.random.split(key)
    online = {"w1": 0.3 * jax.random.normal(k1, (obs_dim, width)),
              "w2": 0.3 * jax.random.normal(k2, (width, actions))}
    target = jax.tree.map(lambda p: p, online)
    return AgentState(online, target, tx.init(online), jnp.int32(0))


def td_loss(online, target, batch):
    obs, action, reward, next_obs = batch
    bootstrap = reward + 0.99 * q_net(target, next_obs).max(-1)
    q = jnp.take_along_axis(q_net(online, obs), action[:, None], 1)[:, 0]
    return jnp.mean((q - jax.lax.stop_gradient(bootstrap)) ** 2)


@functools.partial(jax.jit, donate_argnums=(0,))
def update(state, batch):
    loss, grads = jax.value_and_grad(td_loss)(state.online, state.target, batch)
    updates, opt_state = tx.update(grads, state.opt_state)
    online = optax.apply_updates(state.online, updates)
    target = optax.incremental_update(online, state.target, 0.01)
    return state.replace(online=online, target=target, opt_state=opt_state,
                         step=state.step + 1), loss


def replay(seed, size=32, obs_dim=6):
    rng = np.random.default_rng(seed)
    obs = rng.normal(size=(2, size, obs_dim)).astype(np.float32)
    return (obs[0], rng.integers(0, 3, size).astype(np.int32),
            rng.normal(size=size).astype(np.float32), obs[1])


def main(steps=20):
    state = create_agent(jax.random.PRNGKey(0))
    for i in range(steps):
        state, loss = update(state, replay(i))
    print("step", int(state.step), "loss", float(loss))


if __name__ == "__main__":
    main()
