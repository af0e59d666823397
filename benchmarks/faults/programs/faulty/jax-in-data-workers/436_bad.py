"""Actor process feeds rollouts through a queue to a linear TD learner."""
import multiprocessing as mp

import jax
import jax.numpy as jnp
import numpy as np


def simulate(rng, length=32, dim=6):
    obs = rng.normal(size=(length + 1, dim)).astype(np.float32).cumsum(0) * 0.1
    rewards = np.tanh(obs[1:, 0])
    return {"obs": obs, "rewards": rewards.astype(np.float32)}


def normalise(batch):
    obs = jnp.asarray(batch["obs"])
    obs = (obs - obs.mean(0)) / (obs.std(0) + 1e-5)
    return {"obs": jax.device_put(obs), "rewards": jax.device_put(batch["rewards"])}


def actor(queue, seed, num_rollouts):
    rng = np.random.default_rng(seed)
    for _ in range(num_rollouts):
        queue.put(normalise(simulate(rng)))
    queue.put(None)


@jax.jit
def td_update(w, obs, rewards, lr=0.05, gamma=0.9):
    def loss_fn(w):
        v = obs @ w
        target = rewards + gamma * jax.lax.stop_gradient(v[1:])
        return jnp.mean((v[:-1] - target) ** 2)

    loss, grad = jax.value_and_grad(loss_fn)(w)
    return w - lr * grad, loss


def learner(queue, dim=6):
    w, losses = jnp.zeros(dim), []
    while (batch := queue.get()) is not None:
        kind = type(batch["obs"]).__name__
        w, loss = td_update(w, batch["obs"], batch["rewards"])
        losses.append(loss)
    return w, losses, kind


def main():
    ctx = mp.get_context("spawn")
    queue = ctx.Queue(maxsize=4)
    process = ctx.Process(target=actor, args=(queue, 0, 10))
    process.start()
    w, losses, kind = learner(queue)
    process.join()
    print("received", kind, "loss", float(losses[0]), "->", float(losses[-1]))


if __name__ == "__main__":
    main()
