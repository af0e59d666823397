import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Ode(eqx.Module):
    field: eqx.nn.MLP
    num_steps: int = eqx.field(static=True)
    adaptive: bool = eqx.field(static=True)

    def __init__(self, key, num_steps=8, adaptive=False):
        self.field = eqx.nn.MLP(2, 2, 16, 1, key=key)
        self.num_steps = num_steps
        self.adaptive = adaptive

    def __call__(self, y0):
        dt = 1.0 / self.num_steps
        y = y0
        for i in range(self.num_steps):
            k1 = self.field(y)
            if self.adaptive and i > 0:
                k1 = 0.5 * (k1 + self.field(y + dt * k1))
            y = y + dt * k1
        return y


@eqx.filter_value_and_grad
def loss_fn(model, y0, y1):
    if y0.ndim != 2:
        raise ValueError(f"expected a batch, got shape {y0.shape}")
    return jnp.mean((jax.vmap(model)(y0) - y1) ** 2)


@eqx.filter_jit
def make_step(model, opt_state, tx, y0, y1):
    loss, grads = loss_fn(model, y0, y1)
    updates, opt_state = tx.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


def main():
    model = Ode(jax.random.key(0), adaptive=True)
    tx = optax.adam(1e-2)
    opt_state = tx.init(eqx.filter(model, eqx.is_inexact_array))
    y0 = jax.random.normal(jax.random.key(1), (32, 2))
    y1 = y0 @ jnp.array([[0.0, 1.0], [-1.0, 0.0]])
    for _ in range(20):
        model, opt_state, loss = make_step(model, opt_state, tx, y0, y1)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
