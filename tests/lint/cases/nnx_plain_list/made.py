from flax import nnx


def tower(sizes, rngs):
    return [nnx.Linear(a, b, rngs=rngs) for a, b in zip(sizes, sizes[1:], strict=False)]


def towers(sizes, rngs):
    return nnx.List(tower(sizes, rngs))


class Made(nnx.Module):
    def __init__(self, rngs):
        self.tower = tower((1, 2, 3), rngs)  # ! nnx-plain-list


class MadeWell(nnx.Module):
    def __init__(self, rngs):
        self.tower = towers((1, 2, 3), rngs)


def names(count):
    return [f"layer {n}" for n in range(count)]


class Named(nnx.Module):
    def __init__(self, count, rngs):
        self.names = names(count)
        self.first = tower((1, 2), rngs)[0]


class MadeAndWrapped(nnx.Module):
    def __init__(self, rngs):
        self.tower = tower((1, 2, 3), rngs)
        self.tower = nnx.List(self.tower)
