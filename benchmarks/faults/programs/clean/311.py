"""Two-chain Langevin sampler; keys are split once and moved to the device together."""
import jax
import jax.numpy as jnp


def split_for_device(key, device):
    key, init_key, run_key = jax.random.split(key, 3)
    init_key, run_key = jax.device_put((init_key, run_key), device)
    return key, init_key, run_key


def log_prob(x):
    return -0.5 * jnp.sum(x**2) + jnp.log1p(jnp.exp(-jnp.sum((x - 2.0) ** 2)))


def langevin(key, x, n, eps=0.05):
    def body(carry, k):
        noise = jax.random.normal(k, carry.shape)
        x = carry + eps * jax.grad(log_prob)(carry) + jnp.sqrt(2.0 * eps) * noise
        return x, x

    return jax.lax.scan(body, x, jax.random.split(key, n))[1]


@jax.jit
def run_chains(init_key, run_key):
    starts = jax.random.normal(init_key, (2, 3))
    keys = jax.random.split(run_key, 2)
    return jax.vmap(langevin, in_axes=(0, 0, None))(keys, starts, 200)


def rhat(chains):
    within = chains.var(axis=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0)
    return jnp.sqrt((within + between) / within)


if __name__ == "__main__":
    key = jax.random.key(0)
    for device in jax.devices():
        key, init_key, run_key = split_for_device(key, device)
        print(device, rhat(run_chains(init_key, run_key)))
