"""A language model over bytes in one file: the patterns of reference_trainer/, to be copied.

    python examples/single_file.py --out run some/text.txt   # goes on after a stop

A name ends in its axes: B rows, T steps, D width, V vocabulary, H heads, K head width.
"""

import argparse
import functools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from orbax.checkpoint import v1 as ocp


@dataclass(frozen=True)  # hashable: a static argument, and no compiled step misses a change
class Config:
    vocabulary: int = 256  # bytes; 0 separates documents
    width: int = 128
    depth: int = 4
    head_width: int = 32
    dtype: str = "float32"  # of activations; parameters, sums, softmax and norms stay float32
    length: int = 256
    batch: int = 16  # rows of a step, over all devices
    accumulate: int = 1  # parts of a batch, one after another
    learning_rate: float = 2e-3
    warmup: int = 20
    weight_decay: float = 0.1
    clip: float = 1.0
    steps: int = 300
    log_every: int = 10
    save_every: int = 100
    seed: int = 0


class Batch(NamedTuple):  # all that a step needs is an argument; numpy, or on the device
    inputs: Any  # int32 BT
    targets: Any  # int32 BT
    segments: Any  # int32 BT: the document's number in its row, from 1; 0 is padding
    positions: Any  # int32 BT: steps since the document's start
    weights: Any  # float32 BT: 0 where a target does not count


class State(NamedTuple):
    step: jax.Array  # an int32 array: a Python 0 is weakly typed, and compiles the step twice
    params: dict
    opt_state: optax.OptState


# Data: one shape, and batch i is a function of i and the seed.
def read(paths, length):
    """Inputs and targets of at most `length` bytes; a longer text goes on in the next pair."""
    documents = []
    for path in paths:
        stream = np.frombuffer(b"\0" + Path(path).read_bytes() + b"\0", np.uint8)
        for left in range(0, len(stream) - 1, length):
            right = min(left + length, len(stream) - 1)
            documents.append((stream[left:right], stream[left + 1 : right + 1]))
    return documents


def pack(sizes, length, bins=8):
    """Rows of document numbers: each into the fullest of a few open rows that has room."""
    closed, rows, room = [], [[] for _ in range(bins)], [length] * bins
    for number, size in enumerate(sizes):
        fitting = [b for b in range(bins) if room[b] >= size]
        at = min(fitting or range(bins), key=room.__getitem__)
        if not fitting:
            closed.append(rows[at])
            rows[at], room[at] = [], length
        rows[at].append(number)
        room[at] -= size
    return closed + [row for row in rows if row]


class Batches:
    """`batches[i]` is the same whenever it is made, so that one number resumes the data."""

    def __init__(self, documents, config):
        order = np.random.default_rng(config.seed).permutation(len(documents))
        self.documents, self.config = [documents[i] for i in order], config
        self.rows = pack([len(inputs) for inputs, _ in self.documents], config.length)
        self.count = len(self.rows)
        self.rows += [[]] * (-self.count % config.batch)  # empty ones: no other shape at the end

    def __getitem__(self, index):
        epoch, at = divmod(index, len(self.rows) // self.config.batch)
        random = np.random.default_rng((self.config.seed, epoch))
        order = np.append(random.permutation(self.count), range(self.count, len(self.rows)))
        rows = random.permutation(order.reshape(-1, self.config.batch))[at]
        shape = (self.config.batch, self.config.length)
        batch = Batch(*(np.zeros(shape, np.int32) for _ in range(4)), np.zeros(shape, np.float32))
        for b, row in enumerate(rows.astype(int)):
            start = 0
            for segment, number in enumerate(self.rows[row], 1):
                inputs, targets = self.documents[number]
                here = slice(start, start := start + len(inputs))
                batch.inputs[b, here], batch.targets[b, here] = inputs, targets
                batch.segments[b, here], batch.weights[b, here] = segment, 1
                batch.positions[b, here] = np.arange(len(inputs))
        return batch


# Model: functions of a plain tree of float32 arrays.
def init_params(key, config):
    width, small = config.width, (2 * config.depth) ** -0.5  # layers add up to the same size
    keys = iter(jax.random.split(key, 1 + 4 * config.depth))

    def matrix(rows, columns, scale=1.0):
        return scale * rows**-0.5 * jax.random.normal(next(keys), (rows, columns))

    def layer_params():
        norms = {"norm": jnp.ones(width), "mlp_norm": jnp.ones(width)}
        mixer = {"qkv": matrix(width, 3 * width), "out": matrix(width, width, small)}
        mlp = {"up": matrix(width, 4 * width), "down": matrix(4 * width, width, small)}
        return norms | mixer | mlp

    embed, layers = matrix(width, config.vocabulary).T, range(config.depth)
    return {"embed": embed, "layers": [layer_params() for _ in layers], "norm": jnp.ones(width)}


def product(x, matrix):  # summed in float32, written in the type of x
    return jnp.matmul(x, matrix.astype(x.dtype), preferred_element_type=x.dtype)


def normed(x, scale):
    wide = x.astype(jnp.float32)
    root = lax.rsqrt(jnp.mean(wide**2, -1, keepdims=True) + 1e-6)
    return (wide * root * scale).astype(x.dtype)


def rotated(x_BTHK, positions_BT, config):
    half = config.head_width // 2
    turns_K = 10_000.0 ** (-lax.iota(jnp.float32, half) / half)
    angles_BT1K = positions_BT[:, :, None, None].astype(jnp.float32) * turns_K
    cos, sin = jnp.cos(angles_BT1K), jnp.sin(angles_BT1K)
    a, b = jnp.split(x_BTHK.astype(jnp.float32), 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1).astype(x_BTHK.dtype)


def layer(params, x_BTD, batch, config):
    shape = (*x_BTD.shape[:2], 3, -1, config.head_width)
    qkv = product(normed(x_BTD, params["norm"]), params["qkv"]).reshape(shape)
    q, k = (rotated(qkv[:, :, i], batch.positions, config) for i in (0, 1))  # BTHK
    # Of the same document; the mask is made on the device. On a GPU: implementation="cudnn".
    mask_B1TS = batch.segments[:, None, :, None] == batch.segments[:, None, None, :]
    mixed = jax.nn.dot_product_attention(q, k, qkv[:, :, 2], mask=mask_B1TS, is_causal=True)
    x_BTD = x_BTD + product(mixed.reshape(x_BTD.shape), params["out"])
    hidden = jax.nn.gelu(product(normed(x_BTD, params["mlp_norm"]), params["up"]))
    return x_BTD + product(hidden, params["down"])


def loss_sums(params, batch, config):
    """Sum of the losses and number of targets: they add up over parts and devices; means do not."""
    x_BTD = params["embed"][batch.inputs].astype(config.dtype)
    for each in params["layers"]:
        x_BTD = layer(each, x_BTD, batch, config)
    x_BTD = normed(x_BTD, params["norm"])
    table_VD = params["embed"].astype(config.dtype)
    logits = jnp.einsum("btd,vd->btv", x_BTD, table_VD, preferred_element_type=jnp.float32)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch.targets)
    return jnp.sum(losses * batch.weights), jnp.sum(batch.weights)


# One step: one jit, the state donated, sums divided once.
def optimizer(config):
    rate, last = config.learning_rate, max(config.steps, config.warmup + 1)
    schedule = optax.warmup_cosine_decay_schedule(0.0, rate, config.warmup, last, 0.1 * rate)
    matrices = functools.partial(jax.tree.map, lambda leaf: leaf.ndim > 1)
    adamw = optax.adamw(schedule, b2=0.95, weight_decay=config.weight_decay, mask=matrices)
    return optax.chain(optax.clip_by_global_norm(config.clip), adamw)


def gradients(params, batch, config):
    """On each device, of its own rows: ((loss, targets), gradients), summed over the devices."""

    def part(total, some):
        take = jax.value_and_grad(loss_sums, has_aux=True)
        return jax.tree.map(jnp.add, total, take(params, some, config)), None

    zero = ((jnp.zeros(()), jnp.zeros(())), jax.tree.map(jnp.zeros_like, params))
    parts = Batch(*(leaf.reshape(config.accumulate, -1, config.length) for leaf in batch))
    return lax.psum(lax.scan(part, zero, parts)[0], "data")  # devices meet once, after the last


def train_step(state, batch, config):
    each = functools.partial(gradients, config=config)
    each = jax.shard_map(each, in_specs=(P(), P("data")), out_specs=P(), check_vma=False)
    (loss, count), grads = each(state.params, batch)
    count = jnp.maximum(count, 1.0)
    grads = jax.tree.map(lambda grad: grad / count, grads)
    finite = jnp.isfinite(loss) & jnp.isfinite(optax.tree.norm(grads))
    updates, opt_state = optimizer(config).update(grads, state.opt_state, state.params)
    new = State(state.step + 1, optax.apply_updates(state.params, updates), opt_state)
    kept = jax.tree.map(lambda a, b: jnp.where(finite, a, b), new[1:], state[1:])
    return State(new.step, *kept), loss / count


def start(config, checkpoints, layout):
    """The state of the newest checkpoint, or a fresh one, with one layout: no second compile."""

    def fresh(key):
        params = init_params(key, config)
        return State(jnp.zeros((), jnp.int32), params, optimizer(config).init(params))

    key = jax.random.key(config.seed)
    if checkpoints.latest is None:
        return jax.jit(fresh, out_shardings=layout)(key)
    # Shapes and types without arrays: without them lists and dictionaries come back.
    like = jax.tree.map(lambda x: x.update(sharding=layout), jax.eval_shape(fresh, key))
    return checkpoints.load_checkpointables(None, {"state": like})["state"]


def train(config, documents, out):
    """The losses of the steps that were run, from the newest checkpoint in `out` on."""
    mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Explicit,))
    whole, rows = NamedSharding(mesh, P()), NamedSharding(mesh, P("data"))
    step = jax.jit(train_step, static_argnames="config", donate_argnums=0, out_shardings=whole)
    batches, losses, waiting, began = Batches(documents, config), [], None, time.perf_counter()
    with jax.set_mesh(mesh), ocp.training.Checkpointer(Path(out).absolute()) as checkpoints:
        state = start(config, checkpoints, whole)
        for number in range(int(state.step) + 1, config.steps + 1):
            batch = Batch(*(jax.device_put(leaf, rows) for leaf in batches[number - 1]))
            state, loss = step(state, batch, config=config)
            if waiting is not None:  # read one step late: the device has its next one already
                losses.append(float(waiting))
            waiting = loss
            if number % config.log_every == 0 and losses:
                rate = len(losses) * config.batch * config.length / (time.perf_counter() - began)
                print(f"step {number - 1}: loss {losses[-1]:.3f}, {rate:,.0f} tokens/s", flush=True)
                if not np.isfinite(losses[-1]):
                    raise SystemExit("not finite: the update was left out; lower the learning rate")
            if number % config.save_every == 0 or number == config.steps:
                checkpoints.save_checkpointables_async(number, {"state": state}, force=True)
    return [*losses, *([] if waiting is None else [float(waiting)])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--out", required=True, help="the run's folder")
    parser.add_argument("--steps", type=int, default=Config.steps)
    args = parser.parse_args()
    losses = train(Config(steps=args.steps), read(args.texts, Config.length), args.out)
    print(f"last loss: {losses[-1]:.3f} nats per byte" if losses else "the run is complete")


if __name__ == "__main__":
    main()
