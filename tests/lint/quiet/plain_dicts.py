"""What walks a tree with `isinstance(x, dict)` gets plain dicts only."""

import jax
import numpy as np
import orbax.checkpoint as ocp
from flax import nnx, serialization


def compare(model, other):
    def check(one, two):
        if isinstance(one, dict):
            for name in one:
                check(one[name], two[name])
        else:
            assert np.array_equal(np.array(one), np.array(two))

    before = nnx.to_pure_dict(nnx.state(model))
    check(before, nnx.to_pure_dict(nnx.state(other)))


def restored(manager, model, step):
    template = nnx.to_pure_dict(nnx.state(model, nnx.Param))
    template = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), template)
    given = ocp.args.Composite(model=ocp.args.PyTreeRestore(item=template))
    saved = manager.restore(step, args=ocp.args.Composite(model=given))
    again = manager.restore(step, args=ocp.args.PyTreeRestore(item=template))
    params = again["params"]

    def to_numpy(tree):
        if isinstance(tree, dict):
            return {name: to_numpy(part) for name, part in tree.items()}
        return np.asarray(tree)

    return saved, to_numpy(params)


def sizes(state):
    def leaves(tree):
        if isinstance(tree, dict):
            return [leaf for part in tree.values() for leaf in leaves(part)]
        return [np.asarray(tree)]

    return [leaf.size for leaf in leaves(serialization.to_state_dict(state))]
