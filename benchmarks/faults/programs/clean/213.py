import jax
import jax.numpy as jnp


def correlation_energy(x, bins, hist):
    """Adds every sample to the histogram buffer and returns the mean energy."""
    idx = jnp.clip(jnp.digitize(x, bins) - 1, 0, hist.shape[0] - 1)
    hist[idx] += 1.0
    return jnp.mean(x**2)


class Sampler:
    def __init__(self, scale=0.5, nbins=10):
        self.scale = scale
        self.bins = jnp.linspace(-2.0, 2.0, nbins + 1)

    def log_prob(self, x):
        return -0.5 * x**2

    def sweep(self, key, x, hist):
        def move(i, carry):
            key, x = carry
            key, kp, ka = jax.random.split(key, 3)
            prop = x + self.scale * jax.random.normal(kp)
            accept = jnp.log(jax.random.uniform(ka)) < self.log_prob(prop) - self.log_prob(x)
            x = jnp.where(accept, prop, x)
            correlation_energy(x, self.bins, hist)
            return key, x

        return jax.lax.fori_loop(0, 200, move, (key, x))


def main():
    sampler = Sampler()
    hist = jax.new_ref(jnp.zeros(10))
    sweep = jax.jit(sampler.sweep)
    key, x = jax.random.key(0), jnp.zeros(())
    for _ in range(3):
        key, x = sweep(key, x, hist)
    print("samples counted", float(hist[...].sum()))


if __name__ == "__main__":
    main()
