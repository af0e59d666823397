"""Physics-informed network solved in chunks so diagnostics can be read in between."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


def poisson_residual(net, x):
    u = lambda s: net(s[None])[0]
    return jax.grad(jax.grad(u))(x) + jnp.pi**2 * jnp.sin(jnp.pi * x)


def objective(net, xs):
    res = jax.vmap(lambda x: poisson_residual(net, x))(xs)
    edge = net(jnp.array([0.0]))[0] ** 2 + net(jnp.array([1.0]))[0] ** 2
    return jnp.mean(res**2) + 10.0 * edge


class Problem:
    def __init__(self, net, schedule, n_points=32):
        self.net = net
        self.schedule = schedule
        self.opt = optax.chain(optax.scale_by_adam(), optax.scale_by_learning_rate(schedule))
        self.xs = jnp.linspace(0.0, 1.0, n_points)
        self.history = []
        self._step = eqx.filter_jit(self._make_step)

    def _make_step(self, net, state):
        loss, grads = eqx.filter_value_and_grad(objective)(net, self.xs)
        updates, state = self.opt.update(grads, state, eqx.filter(net, eqx.is_array))
        return eqx.apply_updates(net, updates), state, loss

    def solve(self, epochs):
        state = self.opt.init(eqx.filter(self.net, eqx.is_array))
        for _ in range(epochs):
            self.net, state, loss = self._step(self.net, state)
        self.history.append((int(state[1].count), float(loss)))
        return loss

    def error(self):
        u = jax.vmap(lambda x: self.net(x[None])[0])(self.xs)
        return jnp.abs(u - jnp.sin(jnp.pi * self.xs)).max()


def train(chunks=5, epochs=40):
    net = eqx.nn.MLP(1, 1, 16, 2, activation=jnp.tanh, key=jax.random.key(0))
    schedule = optax.join_schedules(
        [optax.constant_schedule(0.0), optax.exponential_decay(5e-3, 100, 0.5)], [100]
    )
    problem = Problem(net, schedule)
    for i in range(chunks):
        problem.solve(epochs)
    return problem


if __name__ == "__main__":
    problem = train()
    print("history (count, loss)", problem.history)
    print("max error", float(problem.error()))
