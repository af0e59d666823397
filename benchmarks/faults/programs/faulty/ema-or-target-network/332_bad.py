from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax


class IQLConfig(NamedTuple):
    tau: float = 0.005
    discount: float = 0.99
    expectile: float = 0.7
    n_jitted_updates: int = 8
    batch_size: int = 32


class Agent(NamedTuple):
    critic: Any
    target_critic: Any
    value: Any
    critic_opt: Any
    value_opt: Any


CRITIC_TX = optax.adam(3e-3)
VALUE_TX = optax.adam(3e-3)


def mlp(p, *xs):
    return (jnp.tanh(jnp.concatenate(xs, -1) @ p["w1"]) @ p["w2"])[:, 0]


def update_value(agent, batch, cfg):
    def loss(p):
        diff = mlp(agent.target_critic, batch["s"], batch["a"]) - mlp(p, batch["s"])
        weight = jnp.where(diff > 0, cfg.expectile, 1 - cfg.expectile)
        return jnp.mean(weight * diff**2)

    g = jax.grad(loss)(agent.value)
    upd, opt = VALUE_TX.update(g, agent.value_opt)
    return agent._replace(value=optax.apply_updates(agent.value, upd), value_opt=opt)


def update_critic(agent, batch, cfg):
    target = batch["r"] + cfg.discount * mlp(agent.value, batch["s2"])
    loss = lambda p: jnp.mean((mlp(p, batch["s"], batch["a"]) - target) ** 2)
    g = jax.grad(loss)(agent.critic)
    upd, opt = CRITIC_TX.update(g, agent.critic_opt)
    return agent._replace(critic=optax.apply_updates(agent.critic, upd), critic_opt=opt)


def update_n_times(agent, data, key, cfg):
    for _ in range(cfg.n_jitted_updates):
        key, sub = jax.random.split(key)
        idx = jax.random.randint(sub, (cfg.batch_size,), 0, data["r"].shape[0])
        batch = jax.tree.map(lambda x: x[idx], data)
        agent = update_value(agent, batch, cfg)
        agent = update_critic(agent, batch, cfg)
    new_target = optax.incremental_update(agent.critic, agent.target_critic, cfg.tau)
    return agent._replace(target_critic=new_target)


def main(cfg=IQLConfig()):
    k = jax.random.split(jax.random.key(0), 8)
    net = lambda k1, k2, d: {"w1": jax.random.normal(k1, (d, 16)) * 0.4, "w2": jax.random.normal(k2, (16, 1)) * 0.4}
    critic, value = net(k[0], k[1], 5), net(k[2], k[3], 3)
    agent = Agent(critic, critic, value, CRITIC_TX.init(critic), VALUE_TX.init(value))
    s = jax.random.normal(k[4], (256, 3))
    data = {"s": s, "a": jax.random.normal(k[5], (256, 2)), "r": s[:, 0], "s2": s[::-1]}
    step = jax.jit(update_n_times, static_argnums=3)
    for key in jax.random.split(k[6], 10):
        agent = step(agent, data, key, cfg)
    moved = optax.global_norm(jax.tree.map(jnp.subtract, agent.target_critic, critic))
    total = optax.global_norm(jax.tree.map(jnp.subtract, agent.critic, critic))
    print(f"target moved {moved:.4f}, critic moved {total:.4f} in 80 gradient steps")


if __name__ == "__main__":
    main()
