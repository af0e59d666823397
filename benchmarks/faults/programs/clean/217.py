import jax
import jax.numpy as jnp
import optax


class ParamEMA:
    """Lives on the host; update() changes the object itself."""

    def __init__(self, params, decay):
        self.decay = decay
        self.count = 0
        self.value = params

    def update(self, params):
        self.count += 1
        d = min(self.decay, (1 + self.count) / (10 + self.count))
        self.value = jax.tree.map(lambda e, p: d * e + (1 - d) * p, self.value, params)


class MetricLog:
    def __init__(self):
        self.rows = []

    def append(self, **row):
        self.rows.append({k: float(v) for k, v in row.items()})


def loss_fn(params, x, y):
    pred = jnp.tanh(x @ params["w"]) @ params["v"]
    return jnp.mean((pred - y) ** 2)


def make_step(tx):
    @jax.jit
    def step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(grads, opt_state)
        norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
        return optax.apply_updates(params, updates), opt_state, {"loss": loss, "norm": norm}

    return step


def main():
    k = jax.random.split(jax.random.key(0), 3)
    params = {"w": jax.random.normal(k[0], (3, 8)), "v": jax.random.normal(k[1], (8,)) * 0.3}
    x = jax.random.normal(k[2], (64, 3))
    y = jnp.sin(x[:, 0])
    tx = optax.chain(optax.clip_by_global_norm(1.0), optax.scale_by_adam(), optax.scale(-1e-2))
    opt_state, step = tx.init(params), make_step(tx)
    ema, log = ParamEMA(params, 0.99), MetricLog()
    for _ in range(15):
        params, opt_state, metrics = step(params, opt_state, x, y)
        ema.update(params)
        log.append(**metrics)
    print("rows", len(log.rows), "ema loss", float(loss_fn(ema.value, x, y)))


if __name__ == "__main__":
    main()
