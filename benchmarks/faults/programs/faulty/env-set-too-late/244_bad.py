"""Command-line trainer with an option for the number of host devices."""
import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--host-devices", type=int, default=4)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(argv)


def configure_devices(count):
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_force_host_platform_device_count={count}"


def init_params(key, din=8, width=32):
    k1, k2 = jax.random.split(key)
    return {"w1": 0.3 * jax.random.normal(k1, (din, width)),
            "w2": 0.3 * jax.random.normal(k2, (width,))}


def loss_fn(params, x, y):
    return jnp.mean((jnp.tanh(x @ params["w1"]) @ params["w2"] - y) ** 2)


@jax.jit
def train_step(params, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.05 * g, params, grads), loss


def make_batch(seed, size=64):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(size, 8)).astype(np.float32)
    return x, x[:, 0]


def main(argv=None):
    args = parse_args(argv)
    params = init_params(jax.random.PRNGKey(args.seed))
    configure_devices(args.host_devices)
    mesh = Mesh(np.array(jax.devices()), ("data",))
    batch_sharding = NamedSharding(mesh, P("data"))
    params = jax.device_put(params, NamedSharding(mesh, P()))
    for step in range(args.steps):
        x, y = jax.device_put(make_batch(step), batch_sharding)
        params, loss = train_step(params, x, y)
    print("devices", len(jax.devices()), "loss", round(float(loss), 4))


if __name__ == "__main__":
    main()
