import jax
import jax.numpy as jnp
import optax


class EMAModel:
    """Exponential moving average of parameters with a warmed-up decay."""

    def __init__(self, params, decay=0.9999):
        self.decay = decay
        self.optimization_step = 0
        self.shadow = params

    def get_decay(self, step):
        value = (1 + step) / (10 + step)
        return 1 - min(self.decay, value)

    def step(self, params):
        self.optimization_step += 1
        self.decay = self.get_decay(self.optimization_step)
        self.shadow = jax.tree.map(
            lambda s, p: s - self.decay * (s - p), self.shadow, params
        )


def denoiser(params, x, t):
    h = jax.nn.silu(x @ params["w1"] + t[:, None] * params["t1"])
    return h @ params["w2"]


def make_step(tx):
    @jax.jit
    def step(params, opt_state, x, key):
        kt, kn = jax.random.split(key)
        t = jax.random.uniform(kt, (x.shape[0],))
        noise = jax.random.normal(kn, x.shape)

        def loss_fn(p):
            xt = jnp.sqrt(1 - t)[:, None] * x + jnp.sqrt(t)[:, None] * noise
            return jnp.mean((denoiser(p, xt, t) - noise) ** 2)

        loss, g = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(g, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return step


def main(steps=60):
    k1, k2, kx, key = jax.random.split(jax.random.key(0), 4)
    params = {
        "w1": jax.random.normal(k1, (4, 16)) * 0.4,
        "t1": jnp.zeros(16),
        "w2": jax.random.normal(k2, (16, 4)) * 0.4,
    }
    tx = optax.adamw(1e-3)
    opt_state, step = tx.init(params), make_step(tx)
    ema = EMAModel(params)
    x = jax.random.normal(kx, (32, 4))
    for k in jax.random.split(key, steps):
        params, opt_state, loss = step(params, opt_state, x, k)
        ema.step(params)
    n = ema.optimization_step
    wanted = 1 - min(0.9999, (1 + n) / (10 + n))
    print(f"weight of the new parameters {ema.decay:.4f}, wanted {wanted:.4f}")


if __name__ == "__main__":
    main()
