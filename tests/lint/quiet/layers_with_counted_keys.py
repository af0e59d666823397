"""`nnx.Rngs` counts its draws: layers that are made in a loop start from different numbers."""

from flax import nnx


def layers(rngs: nnx.Rngs, count: int = 3):
    return [nnx.Linear(2, 2, rngs=rngs) for _ in range(count)]


class Block(nnx.Module):
    def __init__(self, width, rngs):
        self.layer = nnx.Linear(width, width, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)


class Net(nnx.Module):
    def __init__(self, width, *, rngs):
        self.blocks = nnx.List([Block(width, rngs) for _ in range(4)])
        for number in range(3):
            setattr(self, f"layer{number}", nnx.Linear(width, width, rngs=rngs))


def build(make, rngs: nnx.Rngs):
    return [make(8, rngs=rngs) for _ in range(2)]


net = Net(3, rngs=nnx.Rngs(0))
more = layers(nnx.Rngs(1))
