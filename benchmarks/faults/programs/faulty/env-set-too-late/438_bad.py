"""Train a soft actor-critic style critic next to other jobs on one GPU."""
import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import optax

DEFAULT_KEY = jax.random.PRNGKey(0)

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

parser = argparse.ArgumentParser()
parser.add_argument("-env", default="synthetic")
parser.add_argument("-steps", type=int, default=30)
parser.add_argument("-gamma", type=float, default=0.99)


def mlp_init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [{"w": jax.random.normal(k, (m, n)) / np.sqrt(m), "b": jnp.zeros(n)}
            for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def q_value(params, obs, act):
    x = jnp.concatenate([obs, act], axis=-1)
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return (x @ params[-1]["w"] + params[-1]["b"])[..., 0]


tx = optax.adam(1e-3)


@jax.jit
def critic_step(params, opt_state, batch, gamma):
    def loss_fn(p):
        nxt = jax.lax.stop_gradient(q_value(p, batch["next_obs"], batch["next_act"]))
        target = batch["reward"] + gamma * (1 - batch["done"]) * nxt
        return jnp.mean((q_value(p, batch["obs"], batch["act"]) - target) ** 2)

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def sample_batch(rng, n=64, obs=4, act=2):
    f = lambda *s: rng.normal(size=s).astype(np.float32)
    return {"obs": f(n, obs), "act": f(n, act), "next_obs": f(n, obs), "next_act": f(n, act),
            "reward": f(n), "done": (rng.random(n) < 0.05).astype(np.float32)}


def main(args):
    rng = np.random.default_rng(0)
    params = mlp_init(DEFAULT_KEY, [6, 64, 64, 1])
    opt_state = tx.init(params)
    for _ in range(args.steps):
        params, opt_state, loss = critic_step(params, opt_state, sample_batch(rng), args.gamma)
    print("critic loss", float(loss))


if __name__ == "__main__":
    main(parser.parse_args())
