"""Adversarial mask sources shared by all devices, ascended on a sharded batch."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


def init_model(key, d=8, c=12):
    k = jax.random.split(key, 3)
    return {"V": jax.random.normal(k[0], (d, c)) / 3, "U": jax.random.normal(k[1], (c, d)) / 3,
            "head": jax.random.normal(k[2], (d, 10)) / 3}


def logits(model, x, mask):
    return jax.nn.relu((x @ model["V"]) * mask @ model["U"]) @ model["head"]


def kl_per_position(clean, masked):
    p = jax.nn.log_softmax(clean)
    return jnp.mean(jnp.sum(jnp.exp(p) * (p - jax.nn.log_softmax(masked)), -1))


def ascent_loss(source, model, importance, x):
    mask = importance + (1.0 - importance) * source
    return kl_per_position(logits(model, x, 1.0), logits(model, x, mask))


def make_step(mesh, lr):
    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P(), P(), P("dp")), out_specs=(P(), P()), check_vma=False)
    def step(source, model, importance, x):
        loss, grad = jax.value_and_grad(ascent_loss)(source, model, importance, x)
        grad = jax.lax.psum(grad, "dp")
        loss = jax.lax.pmean(loss, "dp")
        return jnp.clip(source + lr * grad, 0.0, 1.0), loss

    return step


def train(n_devices, steps=5, lr=0.5):
    mesh = Mesh(np.array(jax.devices()[:n_devices]), ("dp",))
    model = init_model(jax.random.key(0))
    source = jnp.full((12,), 0.5)
    importance = jnp.linspace(0.0, 0.9, 12)
    step = make_step(mesh, lr)
    for i in range(steps):
        x = jax.random.normal(jax.random.key(i), (32, 8))
        source, loss = step(source, model, importance, x)
    return source, loss


if __name__ == "__main__":
    one, loss_one = train(1)
    four, loss_four = train(4)
    print("loss on one device", float(loss_one), "on four", float(loss_four))
    print("largest difference of the sources", float(jnp.abs(np.asarray(one) - np.asarray(four)).max()))
