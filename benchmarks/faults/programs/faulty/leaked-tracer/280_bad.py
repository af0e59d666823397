import jax
import jax.numpy as jnp
import optax
from jax import flatten_util


def rbf_kernel(x, y, h):
    return jnp.exp(-jnp.sum((x - y) ** 2) / h)


class SteinVI:
    """Annealed Stein variational gradient descent."""

    def __init__(self, log_prob, tx, num_particles=8, loss_temperature=1.0):
        self.log_prob = log_prob
        self.tx = tx
        self.num_particles = num_particles
        self.loss_temperature = loss_temperature
        self._update = jax.jit(self._update_impl)

    def init(self, key, dim):
        particles = jax.random.normal(key, (self.num_particles, dim)) * 3.0
        return particles, self.tx.init(particles), jnp.zeros((), jnp.int32)

    def _temperature(self, step, num_steps):
        return jnp.tanh((1.3 * (step + 1) / num_steps) ** 3)

    def _phi(self, particles):
        score = self.loss_temperature * jax.vmap(jax.grad(self.log_prob))(particles)
        pair = lambda a, b: rbf_kernel(a, b, 2.0)
        gram = jax.vmap(lambda a: jax.vmap(lambda b: pair(b, a))(particles))(particles)
        rep = jax.vmap(lambda a: jax.vmap(lambda b: jax.grad(pair)(b, a))(particles))(
            particles
        )
        return (gram @ score + rep.sum(1)) / self.num_particles

    def _update_impl(self, state, num_steps):
        particles, opt_state, step = state
        self.loss_temperature = self._temperature(step, num_steps)
        updates, opt_state = self.tx.update(-self._phi(particles), opt_state)
        return optax.apply_updates(particles, updates), opt_state, step + 1

    def run(self, state, num_steps):
        for _ in range(num_steps):
            state = self._update(state, num_steps)
        return state

    def report(self, state):
        mean = state[0].mean(0)
        tempered = self.loss_temperature * self.log_prob(mean)
        return float(tempered)


if __name__ == "__main__":
    svi = SteinVI(lambda z: -0.5 * jnp.sum((z - 1.0) ** 2), optax.adagrad(0.3))
    out = svi.run(svi.init(jax.random.key(0), 2), 50)
    print("mean", out[0].mean(0))
    print("tempered log prob", svi.report(out))
