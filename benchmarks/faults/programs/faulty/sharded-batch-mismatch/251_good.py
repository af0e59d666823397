"""Policy fine-tuning over a data mesh."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class EpisodeDataset:
    def __init__(self, n=115, horizon=10, dim=8, seed=0):
        rng = np.random.default_rng(seed)
        self.state = rng.normal(size=(n, dim)).astype(np.float32)
        self.actions = rng.normal(size=(n, horizon, dim)).astype(np.float32)

    def __len__(self):
        return len(self.state)


class DataLoader:
    def __init__(self, dataset, sharding, batch_size, seed=0):
        self.dataset, self.sharding, self.batch_size = dataset, sharding, batch_size
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        order = self.rng.permutation(len(self.dataset))
        full = len(order) - len(order) % self.batch_size
        for start in range(0, full, self.batch_size):
            idx = order[start:start + self.batch_size]
            batch = {"state": self.dataset.state[idx], "actions": self.dataset.actions[idx]}
            yield jax.device_put(batch, self.sharding)


tx = optax.adamw(1e-3)


@jax.jit
def train_step(params, opt_state, batch):
    def loss_fn(p):
        h = jax.nn.gelu(batch["state"] @ p["w1"]) @ p["w2"]
        pred = h.reshape(batch["actions"].shape)
        return jnp.mean((pred - batch["actions"]) ** 2)
    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def main(epochs=2):
    mesh = Mesh(np.array(jax.devices()).reshape(4, 1), ("batch", "fsdp"))
    sharding = NamedSharding(mesh, P(("batch", "fsdp")))
    rng = np.random.default_rng(1)
    params = {"w1": rng.normal(size=(8, 64)).astype(np.float32) * 0.1,
              "w2": rng.normal(size=(64, 80)).astype(np.float32) * 0.1}
    replicated = NamedSharding(mesh, P())
    params = jax.device_put(params, replicated)
    opt_state = jax.device_put(tx.init(params), replicated)
    loader = DataLoader(EpisodeDataset(), sharding, batch_size=32)
    for _ in range(epochs):
        for batch in loader:
            params, opt_state, loss = train_step(params, opt_state, batch)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
