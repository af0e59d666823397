from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp
import optax


class TrainingState(NamedTuple):
    params: Any
    opt_state: optax.OptState
    step: jax.Array


def loss_and_pgrad(loss_fn: Callable, has_aux: bool):
    g = jax.value_and_grad(loss_fn, has_aux=has_aux)

    def h(*args, **kwargs):
        return g(*args, **kwargs)

    return h


def gradient_update_fn(loss_fn, optimizer, has_aux=False):
    vg = loss_and_pgrad(loss_fn, has_aux)

    def f(*args, optimizer_state):
        value, grads = vg(*args)
        updates, optimizer_state = optimizer.update(grads, optimizer_state)
        params = optax.apply_updates(args[0], updates)
        return value, params, optimizer_state

    return f


def critic(params, obs):
    return (jnp.tanh(obs @ params["w1"]) @ params["w2"])[..., 0]


def critic_loss(params, obs, returns):
    err = critic(params, obs) - returns
    return jnp.mean(err**2), {"abs_err": jnp.mean(jnp.abs(err))}


def train(optimizer, steps=10, seed=0):
    k1, k2, k3 = jax.random.split(jax.random.key(seed), 3)
    params = {
        "w1": jax.random.normal(k1, (5, 16)) * 0.4,
        "w2": jax.random.normal(k2, (16, 1)) * 0.4,
    }
    obs = jax.random.normal(k3, (64, 5))
    returns = jnp.sum(obs, -1)
    state = TrainingState(params, optimizer.init(params), jnp.zeros((), jnp.int32))
    update = jax.jit(gradient_update_fn(critic_loss, optimizer, has_aux=True))
    for _ in range(steps):
        (loss, aux), params, opt_state = update(
            state.params, obs, returns, optimizer_state=state.opt_state
        )
        state = TrainingState(params, opt_state, state.step + 1)
    return float(loss)


if __name__ == "__main__":
    print("adamw", train(optax.adamw(1e-2, weight_decay=1e-4)))
