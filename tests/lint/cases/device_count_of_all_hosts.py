import jax
import jax.numpy as jnp

COUNT = jax.device_count()  # ! device-count-of-all-hosts
HERE = jax.local_device_count()
step = jax.pmap(lambda x: x)


def by_a_global(batch):
    return step(batch.reshape((COUNT, -1) + batch.shape[1:]))


def in_a_function(batch):
    n = len(jax.devices())  # ! device-count-of-all-hosts
    return step(jnp.reshape(batch, (n, batch.shape[0] // n, *batch.shape[1:])))


def shard(batch, count):
    def one(x):
        shape = (count, x.shape[0] // count) + x.shape[1:]
        return x.reshape(shape)

    return jax.tree.map(one, batch)


def by_a_function(batch):
    n = jax.device_count()  # ! device-count-of-all-hosts
    print(n)
    return step(shard(batch, n))


def in_place(batch):
    flat = batch.reshape(jax.device_count(), -1)  # ! device-count-of-all-hosts
    return step(flat)


def of_this_host(batch):
    n = jax.local_device_count()
    return step(shard(batch.reshape((HERE, -1)), n))


def of_its_own_devices(batch):
    n = len(jax.local_devices())
    return step(batch.reshape(n, -1))


def of_the_whole_batch(size):
    return size // jax.device_count()


def of_a_row(batch):
    n = jax.device_count()
    return batch.reshape(4, n)
