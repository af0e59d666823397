import jax
import jax.numpy as jnp
import optax
from typing import NamedTuple


class Batch(NamedTuple):
    obs: jax.Array
    reward_table: jax.Array


def policy(params, obs):
    return jnp.tanh(obs @ params["w1"]) @ params["w2"]


def reinforce_loss(params, batch, key):
    logits = policy(params, batch.obs)
    actions = jax.lax.stop_gradient(jax.random.categorical(key, logits))
    reward = jnp.take_along_axis(batch.reward_table, actions[:, None], 1)[:, 0]
    logp = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[:, None], 1)[:, 0]
    advantage = jax.lax.stop_gradient(reward - reward.mean())
    greedy = jnp.argmax(logits, -1)
    best = jnp.argmax(batch.reward_table, -1)
    return -jnp.mean(logp * advantage), {
        "reward": reward.mean(),
        "greedy_hit": jnp.mean(greedy == best),
    }


def round_ste(x, levels):
    return x + jax.lax.stop_gradient(jnp.round(x * levels) / levels - x)


def quantize(params, levels=32):
    return jax.tree.map(lambda p: round_ste(p, levels), params)


def main():
    k = jax.random.split(jax.random.key(0), 4)
    params = {"w1": jax.random.normal(k[0], (4, 16)) * 0.5, "w2": jax.random.normal(k[1], (16, 3)) * 0.1}
    obs = jax.random.normal(k[2], (128, 4))
    batch = Batch(obs, jnp.stack([obs[:, 0], obs[:, 1], -obs[:, 0]], 1))
    tx = optax.adam(2e-2)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, key):
        loss = lambda p: reinforce_loss(quantize(p), batch, key)
        (_, info), g = jax.value_and_grad(loss, has_aux=True)(params)
        updates, opt_state = tx.update(g, opt_state)
        return optax.apply_updates(params, updates), opt_state, info, optax.global_norm(g)

    for key in jax.random.split(k[3], 60):
        params, opt_state, info, norm = step(params, opt_state, key)
    print({n: round(float(v), 3) for n, v in info.items()}, "grad norm", float(norm))


if __name__ == "__main__":
    main()
