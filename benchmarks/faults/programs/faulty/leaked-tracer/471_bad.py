"""Compartment neuron simulator with stimuli attached to the cell object."""
import jax
import jax.numpy as jnp


class Cell:
    def __init__(self, n_comp: int, dt: float = 0.1):
        self.n_comp = n_comp
        self.dt = dt
        self.coupling = 0.4
        self.stimuli = []

    def clamp(self, comp, current):
        self.stimuli.append((comp, current))

    def external(self, t):
        i_ext = jnp.zeros(self.n_comp)
        for comp, current in self.stimuli:
            i_ext = i_ext.at[comp].add(current[t])
        return i_ext

    def step(self, v, t, params):
        lap = jnp.roll(v, 1) + jnp.roll(v, -1) - 2.0 * v
        leak = -params["g_leak"] * (v - params["e_leak"])
        return v + self.dt * (leak + self.coupling * lap + self.external(t))


def integrate(cell, params, n_steps):
    def body(v, t):
        v = cell.step(v, t, params)
        return v, v[-1]

    v0 = jnp.full((cell.n_comp,), -65.0)
    return jax.lax.scan(body, v0, jnp.arange(n_steps))[1]


def simulate(cell, params, image):
    cell.clamp(0, jnp.repeat(image, 8))
    return integrate(cell, params, 8 * image.shape[0])


def make_loss(cell):
    def loss(params, images, targets):
        traces = jax.vmap(lambda im: simulate(cell, params, im))(images)
        return jnp.mean((traces[:, -1] - targets) ** 2)

    return loss


def main():
    cell = Cell(n_comp=5)
    params = {"g_leak": jnp.array(0.2), "e_leak": jnp.array(-65.0)}
    images = jax.random.uniform(jax.random.key(0), (6, 10)) * 40.0
    targets = jnp.full((6,), -50.0)

    jitted_sim = jax.jit(jax.vmap(lambda im: simulate(cell, params, im)))
    traces = jitted_sim(images)
    print("trace end", traces[:, -1])

    loss = make_loss(cell)
    for _ in range(3):
        value, grads = jax.value_and_grad(loss)(params, images, targets)
        params = jax.tree.map(lambda p, g: p - 1e-4 * g, params, grads)
    print("loss", value, params)


if __name__ == "__main__":
    main()
