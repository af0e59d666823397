from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax


class Rollout(NamedTuple):
    obs: jax.Array
    action: jax.Array
    logp: jax.Array
    advantage: jax.Array
    returns: jax.Array


def policy_value(params, obs):
    h = jnp.tanh(obs @ params["torso"])
    return h @ params["pi"], (h @ params["v"])[:, 0]


def ppo_loss(params, batch, clip_eps, vf_coef, ent_coef):
    logits, value = policy_value(params, batch.obs)
    logp_all = jax.nn.log_softmax(logits)
    logp = jnp.take_along_axis(logp_all, batch.action[:, None], 1)[:, 0]
    ratio = jnp.exp(logp - batch.logp)
    clipped = jnp.clip(ratio, 1 - clip_eps, 1 + clip_eps)
    actor = -jnp.mean(jnp.minimum(ratio * batch.advantage, clipped * batch.advantage))
    critic = jnp.mean((value - batch.returns) ** 2)
    entropy = -jnp.mean(jnp.sum(jnp.exp(logp_all) * logp_all, -1))
    total = actor + vf_coef * critic - ent_coef * entropy
    return total, (critic, entropy)


def make_update(tx, clip_eps=0.2, vf_coef=0.5, ent_coef=0.01):
    grad_fn = jax.value_and_grad(ppo_loss, has_aux=True)

    @jax.jit
    def update(params, opt_state, batch):
        (total, aux), grads = grad_fn(params, batch, clip_eps, vf_coef, ent_coef)
        updates, opt_state = tx.update(grads, opt_state, params)
        metrics = {"total": total, "critic": aux[0], "entropy": aux[1]}
        return optax.apply_updates(params, updates), opt_state, metrics

    return update


def main():
    k = jax.random.split(jax.random.key(0), 6)
    params = {
        "torso": jax.random.normal(k[0], (4, 16)) * 0.5,
        "pi": jax.random.normal(k[1], (16, 3)) * 0.1,
        "v": jax.random.normal(k[2], (16, 1)) * 0.1,
    }
    n = 64
    obs = jax.random.normal(k[3], (n, 4))
    action = jax.random.randint(k[4], (n,), 0, 3)
    logp = jnp.full((n,), -jnp.log(3.0))
    batch = Rollout(obs, action, logp, jax.random.normal(k[5], (n,)), obs.sum(-1))
    tx = optax.adam(3e-3)
    opt_state, update = tx.init(params), make_update(tx)
    for _ in range(4):
        params, opt_state, metrics = update(params, opt_state, batch)
    print({m: round(float(v), 4) for m, v in metrics.items()})


if __name__ == "__main__":
    main()
