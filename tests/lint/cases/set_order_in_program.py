"""Sets of strings, in programs and elsewhere."""

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax.sharding import Mesh, PartitionSpec
from jax.sharding import PartitionSpec as P

FROZEN = frozenset(["encoder", "decoder"])
LAYERS = ("encoder", "decoder")
ONE = {"encoder"}


@jax.jit
def total(params):
    loss = 0.0
    for name in FROZEN:  # ! set-order-in-program
        loss = loss + jnp.sum(params[name])
    for name in LAYERS:
        loss = loss + jnp.sum(params[name])
    for name in sorted(FROZEN):
        loss = loss + jnp.sum(params[name])
    for name in ONE:
        loss = loss + jnp.sum(params[name])
    return loss


@jax.jit
def common(params, others):
    both = params.keys() & others.keys()
    missing = set(params.keys()) - {"encoder"}
    near = [jnp.sum((params[n] - others[n]) ** 2) for n in both]  # ! set-order-in-program
    far = sum(jnp.sum(params[n]) for n in missing)  # ! set-order-in-program
    return sum(near) + far


@jax.jit
def kept_in_order(params):
    names = {"encoder", "decoder"}
    stacked = jnp.stack([params[name] for name in names])  # ! set-order-in-program
    rows = []
    for name in names:  # ! set-order-in-program
        rows.append(params[name])
    for number, name in enumerate(names):  # ! set-order-in-program
        stacked = stacked + number * params[name]
    return stacked, rows


@jax.jit
def through_a_list(params):
    names = list({"encoder", "decoder"})  # ! set-order-in-program
    return [jnp.sin(params[name]) for name in names]


@jax.jit
def united(params):
    names = FROZEN.union({"head"})
    return [params[name] for name in names]  # ! set-order-in-program


@jax.jit
def as_a_dict(params):
    same = {name: params[name] for name in FROZEN}
    other = {}
    for name in FROZEN:
        other[name] = params[name]
    return same, other


@jax.jit
def computed_as_a_dict(params):
    return {name: jnp.sin(params[name]) for name in FROZEN}  # ! set-order-in-program


@jax.jit
def only_asked(params):
    if any(params[name].ndim > 2 for name in FROZEN) or not FROZEN <= params.keys():
        raise ValueError("too many axes")
    for name in FROZEN:
        if name not in params:
            raise ValueError(f"no {name}")
    widest = max(params[name].shape[0] for name in FROZEN)
    return jnp.zeros(widest) if "encoder" in FROZEN else jnp.ones(widest)


@jax.jit
def dict_as_written(params):
    loss = 0.0
    for name in {"encoder": 1, "decoder": 2}:
        loss = loss + jnp.sum(params[name])
    for name in params.keys():
        loss = loss + jnp.sum(params[name])
    return loss


@jax.jit
def numbers(x):
    y = 0.0
    for axis in {0, 1}:
        y = y + x.sum(axis)
    for axis in set(range(3)) - {1}:
        y = y + x.sum(axis)
    return y


@jax.jit
def unknown(params, names):
    return sum(jnp.sum(params[name]) for name in set(names))


def on_the_host(params, names):
    sizes = []
    for name in FROZEN:
        sizes.append(params[name].size + 1)
    return sizes


class Heads(nn.Module):
    @nn.compact
    def __call__(self, x):
        heads = {"value", "policy"}
        out = [nn.Dense(4, name=name)(x) for name in ("value", "policy")]
        for name in heads:  # ! set-order-in-program
            x = x + jnp.sin(x) * len(name)
        return out, x


def dealt(key):
    names = {"query", "key", "value"}
    keys = jax.random.split(key, 3)
    start = {n: jax.random.normal(k, (2,)) for n, k in zip(names, keys)}  # ! set-order-in-program
    for name in names:  # ! set-order-in-program
        key, sub = jax.random.split(key)
        start[name] = jax.random.normal(sub, (3,))
    for name in sorted(names):
        key, sub = jax.random.split(key)
        start[name] = jax.random.normal(sub, (3,))
    for name in names:
        own = jax.random.fold_in(key, len(name))
        start[name] = jax.random.normal(own, (3,))
    return start


def zipped_alone(values):
    return dict(zip({"a", "b"}, values))


def zipped_with_keys(key):
    keys = dict(zip({"a", "b"}, jax.random.split(key)))  # ! set-order-in-program
    return keys, dict(zip(("a", "b"), jax.random.split(key)))


def axes(devices):
    names = {"data", "model"}
    mesh = Mesh(devices, tuple(names))  # ! set-order-in-program
    spec = P(*names)  # ! set-order-in-program
    both = PartitionSpec(tuple({"data", "model"} - {"model"}))  # ! set-order-in-program
    fine = PartitionSpec(tuple(sorted(names)), None)
    ordered = P(*(name for name in ("data", "model") if name in names))
    partial = P(None, reduced={"data", "model"}, unreduced=frozenset(["expert", "pipe"]))
    named = jax.make_mesh((1, 1), axis_names=list(names))  # ! set-order-in-program
    return mesh, spec, both, fine, ordered, partial, named, jax.make_mesh((1, 1), ("data", "model"))


def wrapped_again(values, names):
    values = zip(values, names)
    for value in values:
        values = enumerate(zip(values, value))
    return list(values)


@jax.jit
def one_at_most(params):
    bias = sum(jnp.sum(params[name]) for name in params.keys() & {"bias"})
    scale = sum(jnp.sum(params[name]) for name in {"scale", "bias"}.intersection(ONE))
    first = sum(jnp.sum(params[name]) for name in frozenset(["scale"]) - {"bias"})
    return bias + scale + first


@jax.jit
def all_but_one(params):
    rest = sum(jnp.sum(params[n]) for n in set(params) - {"bias"})  # ! set-order-in-program
    return rest + sum(jnp.sum(params[n]) for n in {*params})
