import jax
from data import rows


@jax.jit
def loss(weights, batch):
    return ((batch.inputs @ weights - batch.targets) ** 2).mean()


def main(weights, batch):
    return loss(weights, rows(batch, 0, 8))
