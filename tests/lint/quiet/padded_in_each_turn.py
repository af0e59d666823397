"""What each turn takes from elsewhere is padded to one length: it does not grow."""

import jax
import jax.numpy as jnp


def project(values, indices, worker, project_batch, size):
    starts = jnp.arange(len(indices), step=size)
    sums = []
    for k, start in enumerate(starts[:-1]):
        print(f"block {k + 1}")
        end = starts[k + 1]
        batch, index = jax.device_put([values[start:end], indices[start:end]], worker)
        if len(index) < size:
            batch = jnp.concatenate([batch, jnp.zeros([size - len(index), 3], device=worker)])
            index = jnp.concatenate([index, jnp.zeros([size - len(index)], device=worker)])
        sums.append(project_batch(batch, index))
    return sums


def main(worker, project_batch):
    project(jnp.ones((800, 3)), jnp.arange(800), worker, project_batch, 64)


main(jax.devices()[0], lambda batch, index: batch.sum())
