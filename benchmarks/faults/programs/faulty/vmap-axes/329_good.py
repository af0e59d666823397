import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class ParticleCollection:
    x: jax.Array
    log_weights: jax.Array

    @property
    def n_particles(self):
        return self.x.shape[0]


def log_density(x, y):
    return -0.5 * jnp.sum((x - 1.0) ** 2) - 0.5 * jnp.sum((y - x**2) ** 2)


def initialize(key, n, dim):
    x = jax.random.normal(key, (n, dim))
    return ParticleCollection(x, jnp.zeros(n))


def resample(key, pc):
    idx = jax.random.categorical(key, pc.log_weights, shape=(pc.n_particles,))
    return ParticleCollection(pc.x[idx], jnp.zeros(pc.n_particles))


def mh_kernel(key, x, y, scale=0.2):
    k_prop, k_acc = jax.random.split(key)
    prop = x + scale * jax.random.normal(k_prop, x.shape)
    log_ratio = log_density(prop, y) - log_density(x, y)
    accept = jnp.log(jax.random.uniform(k_acc)) < log_ratio
    return jnp.where(accept, prop, x)


class Rejuvenate:
    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, key, pc, y):
        sub_keys = jax.random.split(key, pc.n_particles)
        x = jax.vmap(self.kernel, in_axes=(0, 0, None))(sub_keys, pc.x, y)
        return pc.replace(x=x)


@jax.jit
def smc_step(key, pc, y):
    k_res, k_rej = jax.random.split(key)
    pc = pc.replace(log_weights=jax.vmap(log_density, in_axes=(0, None))(pc.x, y))
    return Rejuvenate(mh_kernel)(k_rej, resample(k_res, pc), y)


def main(n=64):
    pc = initialize(jax.random.key(0), n, 2)
    y = jnp.array([1.2, 0.8])
    for key in jax.random.split(jax.random.key(1), 15):
        pc = smc_step(key, pc, y)
    print("posterior mean", pc.x.mean(0))


if __name__ == "__main__":
    main()
