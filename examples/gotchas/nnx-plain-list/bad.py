"""Keeps modules in a plain list or dict.

Since Flax 0.12 a plain container is static data and must not hold arrays; `nnx.List` and `nnx.Dict`
are part of the model.
"""

from flax import nnx


class Model(nnx.Module):
    def __init__(self, rngs):
        self.layers = [nnx.Linear(3, 3, rngs=rngs) for _ in range(2)]  # ! nnx-plain-list


model = Model(nnx.Rngs(0))
