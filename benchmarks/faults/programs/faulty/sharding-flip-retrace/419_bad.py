"""Language-model trainer on a device mesh; state is replicated, the batch is split."""
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@partial(jax.tree_util.register_dataclass, data_fields=["step", "params", "opt_state"], meta_fields=[])
@dataclasses.dataclass
class TrainState:
    step: jax.Array
    params: dict
    opt_state: tuple


def init_params(key, vocab=64, dim=16):
    k1, k2 = jax.random.split(key)
    return {"embed": 0.02 * jax.random.normal(k1, (vocab, dim)),
            "out": 0.02 * jax.random.normal(k2, (dim, vocab))}


def loss_fn(params, tokens):
    h = jnp.cumsum(params["embed"][tokens[:, :-1]], axis=1)
    logits = jnp.tanh(h) @ params["out"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


tx = optax.sgd(0.1, momentum=0.9)


@jax.jit
def train_step(state, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(state.params, tokens)
    updates, opt_state = tx.update(grads, state.opt_state)
    params = optax.apply_updates(state.params, updates)
    return TrainState(state.step + 1, params, opt_state), loss


def init_state(mesh, key):
    replicated = NamedSharding(mesh, P())
    params = jax.device_put(init_params(key), replicated)
    opt_state = jax.device_put(tx.init(params), replicated)
    return TrainState(jnp.zeros((), jnp.int32), params, opt_state)


def batches(mesh, n, batch=8, length=12, seed=0):
    rng = np.random.default_rng(seed)
    sharding = NamedSharding(mesh, P("data", None))
    for _ in range(n):
        yield jax.device_put(rng.integers(0, 64, (batch, length)).astype(np.int32), sharding)


def main():
    mesh = Mesh(np.asarray(jax.devices()), ("data",))
    state = init_state(mesh, jax.random.key(0))
    for tokens in batches(mesh, 5):
        state, loss = train_step(state, tokens)
    print("devices", mesh.size, "step", int(state.step), "loss", float(loss))


if __name__ == "__main__":
    main()
