"""Walk a trainer state and name every array for the checkpoint index."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class OptStateSpec(NamedTuple):
    mu: dict
    nu: dict


class PartitionedOptState(NamedTuple):
    """Optimizer state with a host-side partition table that is not saved."""
    mu: dict
    nu: dict
    partition: tuple


_CHILDREN = {}


def register_children(cls, fn):
    _CHILDREN[cls] = fn


register_children(PartitionedOptState, lambda s: [("mu", s.mu), ("nu", s.nu)])


def children(node):
    handler = _CHILDREN.get(type(node))
    if handler is not None:
        return handler(node)
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        return [(name, getattr(node, name)) for name in node._fields]
    if isinstance(node, dict):
        return sorted(node.items())
    if isinstance(node, (list, tuple)):
        return [(str(i), v) for i, v in enumerate(node)]
    return None


def flatten_paths(tree, prefix=()):
    kids = children(tree)
    if kids is None:
        return {"/".join(prefix): tree}
    out = {}
    for name, child in kids:
        out.update(flatten_paths(child, prefix + (name,)))
    return out


def build_state(key, sizes=(8, 16, 4)):
    params = {}
    for i, (m, n) in enumerate(zip(sizes[:-1], sizes[1:])):
        key, sub = jax.random.split(key)
        params[f"layer{i}"] = {"w": jax.random.normal(sub, (m, n)), "b": jnp.zeros(n)}
    zeros = jax.tree.map(jnp.zeros_like, params)
    opt = PartitionedOptState(zeros, zeros, partition=("data", "model"))
    return {"params": params, "opt": opt, "stats": OptStateSpec({}, {})}


def checkpoint_index(state):
    return {path: (leaf.shape, str(leaf.dtype))
            for path, leaf in flatten_paths(state).items()}


if __name__ == "__main__":
    index = checkpoint_index(build_state(jax.random.PRNGKey(0)))
    print(len(index), "arrays", sorted(index)[:3])
