"""Fully sharded data parallelism over the embedding axis of a small language model."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=5"

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


@dataclass(frozen=True)
class LMConfig:
    vocab: int = 40
    embed: int = 32
    seq: int = 8


AXIS_MAPPING = {"embed": "data", "vocab": None, "mlp": None}
PARAM_AXES = {"wte": ("vocab", "embed"), "up": ("embed", "mlp"), "down": ("mlp", "embed")}


def init(key, cfg):
    k = jax.random.split(key, 3)
    return {
        "wte": 0.1 * jax.random.normal(k[0], (cfg.vocab, cfg.embed)),
        "up": 0.1 * jax.random.normal(k[1], (cfg.embed, 64)),
        "down": 0.1 * jax.random.normal(k[2], (64, cfg.embed)),
    }


def shardings(mesh, params):
    ways = mesh.shape["data"]

    def axis_for(name, size):
        mesh_axis = AXIS_MAPPING[name]
        return mesh_axis if mesh_axis and size % ways == 0 else None

    spec = {k: P(*map(axis_for, PARAM_AXES[k], p.shape)) for k, p in params.items()}
    return {k: NamedSharding(mesh, s) for k, s in spec.items()}


def loss_fn(params, tokens):
    x = params["wte"][tokens[:, :-1]]
    x = x + jax.nn.gelu(x @ params["up"]) @ params["down"]
    logits = x @ params["wte"].T
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def train(cfg, steps=3):
    mesh = Mesh(np.array(jax.devices()), ("data",))
    params = init(jax.random.key(0), cfg)
    params = jax.device_put(params, shardings(mesh, params))
    opt = optax.adam(1e-3)
    state = opt.init(params)
    batch_sharding = NamedSharding(mesh, P("data", None))

    @jax.jit
    def step(params, state, tokens):
        loss, g = jax.value_and_grad(loss_fn)(params, tokens)
        updates, state = opt.update(g, state, params)
        return optax.apply_updates(params, updates), state, loss

    for i in range(steps):
        tokens = jax.random.randint(jax.random.key(i), (2 * len(jax.devices()), cfg.seq), 0, cfg.vocab)
        params, state, loss = step(params, state, jax.device_put(tokens, batch_sharding))
    return loss


if __name__ == "__main__":
    print("devices", len(jax.devices()), "loss", train(LMConfig()))
