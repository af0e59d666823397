"""Soft actor-critic critic update with twin Q functions (plain JAX + linen modules)."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Critic(nn.Module):
    @nn.compact
    def __call__(self, obs, act):
        x = nn.relu(nn.Dense(32)(jnp.concatenate([obs, act], -1)))
        return nn.Dense(1)(x)[..., 0]


def make_critic(key, lr):
    net = Critic()
    params = net.init(key, jnp.zeros((1, 4)), jnp.zeros((1, 2)))
    return TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(lr))


@functools.partial(jax.jit, static_argnames=("gamma",))
def critic_gradients(critic_1, critic_2, target_1, target_2, batch, entropy_coef, gamma):
    next_q = jnp.minimum(
        critic_1.apply_fn(target_1, batch["next_obs"], batch["next_act"]),
        critic_2.apply_fn(target_2, batch["next_obs"], batch["next_act"]),
    )
    soft_q = next_q - entropy_coef * batch["next_logp"]
    target = batch["reward"] + gamma * (1.0 - batch["done"]) * soft_q

    def critic_loss(params, apply_fn):
        q = apply_fn(params, batch["obs"], batch["act"])
        return jnp.mean((q - target) ** 2), q

    (loss_1, q1), grad_1 = jax.value_and_grad(critic_loss, has_aux=True)(
        critic_1.params, critic_1.apply_fn
    )
    (loss_2, q2), grad_2 = jax.value_and_grad(critic_loss, has_aux=True)(
        critic_2.params, critic_2.apply_fn
    )
    return grad_1, grad_2, loss_1 + loss_2


def update(critic_1, critic_2, target_1, target_2, batch):
    grad_1, grad_2, loss = critic_gradients(critic_1, critic_2, target_1, target_2, batch, 0.2, 0.99)
    critic_1 = critic_1.apply_gradients(grads=grad_1)
    critic_2 = critic_2.apply_gradients(grads=grad_2)
    target_1 = optax.incremental_update(critic_1.params, target_1, 0.005)
    target_2 = optax.incremental_update(critic_2.params, target_2, 0.005)
    return critic_1, critic_2, target_1, target_2, loss


def sample_batch(key, n=128):
    k = jax.random.split(key, 5)
    obs, act = jax.random.normal(k[0], (n, 4)), jax.random.normal(k[1], (n, 2))
    return {"obs": obs, "act": act, "reward": obs[:, 0] + act[:, 0], "done": jnp.ones(n),
            "next_obs": jax.random.normal(k[2], (n, 4)), "next_act": jax.random.normal(k[3], (n, 2)),
            "next_logp": jax.random.normal(k[4], (n,))}


if __name__ == "__main__":
    c1, c2 = make_critic(jax.random.key(0), 3e-3), make_critic(jax.random.key(1), 3e-3)
    t1, t2 = c1.params, c2.params
    for i in range(200):
        c1, c2, t1, t2, loss = update(c1, c2, t1, t2, sample_batch(jax.random.key(i)))
    b = sample_batch(jax.random.key(999))
    mse = [float(jnp.mean((c.apply_fn(c.params, b["obs"], b["act"]) - b["reward"]) ** 2)) for c in (c1, c2)]
    print("errors of the two critics", mse)
