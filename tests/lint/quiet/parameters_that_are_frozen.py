"""A program that freezes its parameters may use the methods of a FrozenDict."""

from flax.core import freeze


def make(model, key, x):
    return freeze(model.init(key, x)["params"])


def share(source, target):
    params = target.params.copy(add_or_replace={"encoder": source.params["encoder"]})
    return target.replace(params=params)


def thaw(params):
    return params.unfreeze()
