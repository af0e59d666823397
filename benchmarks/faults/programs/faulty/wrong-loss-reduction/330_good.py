import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import jax
import jax.numpy as jnp
import numpy as np
import optax
from functools import partial


def model(params, ids):
    return params["emb"][ids] @ params["out"]


def loss_fn(params, batch):
    logits = model(params, batch["decoder_input_ids"])
    mask = batch["decoder_attention_mask"]
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["labels"])
    return (loss * mask).sum(), mask.sum()


def train_step(params, batch, lr):
    (loss, count), grad = jax.value_and_grad(loss_fn, has_aux=True)(params, batch)
    count = jax.lax.psum(count, axis_name="batch")
    loss = jax.lax.psum(loss, axis_name="batch") / count
    grad = jax.tree.map(lambda g: g / count, jax.lax.psum(grad, axis_name="batch"))
    return jax.tree.map(lambda p, g: p - lr * g, params, grad), loss


def shard(batch, n):
    return jax.tree.map(lambda x: x.reshape((n, x.shape[0] // n) + x.shape[1:]), batch)


def make_batch(rng, batch_size=8, length=6, vocab=12):
    ids = rng.integers(0, vocab, (batch_size, length + 1))
    lengths = np.concatenate([np.full(batch_size // 2, length), np.full(batch_size // 2, 1)])
    mask = (np.arange(length)[None] < lengths[:, None]).astype(np.float32)
    return {
        "decoder_input_ids": ids[:, :-1],
        "labels": ids[:, 1:],
        "decoder_attention_mask": mask,
    }


def main():
    n = jax.local_device_count()
    rng = np.random.default_rng(0)
    params = {
        "emb": jnp.asarray(rng.standard_normal((12, 8)), jnp.float32),
        "out": jnp.asarray(rng.standard_normal((8, 12)), jnp.float32),
    }
    batch = make_batch(rng)
    p_train = jax.pmap(train_step, "batch", in_axes=(None, 0, None), out_axes=(0, 0))
    _, loss = p_train(params, shard(batch, n), 0.1)
    total, count = loss_fn(params, batch)
    print("devices", n, "loss", float(loss[0]), "one device", float(total / count))


if __name__ == "__main__":
    main()
