import jax
import jax.numpy as jnp
import optax
from functools import partial


def mlp_init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (i, o)) / jnp.sqrt(i), jnp.zeros(o))
        for k, i, o in zip(keys, sizes[:-1], sizes[1:])
    ]


def mlp(params, x):
    for w, b in params[:-1]:
        x = jax.nn.silu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


class ConsistencyModel:
    def __init__(self, total_steps, s0=4, s1=32, lr=1e-3):
        self.total_steps = total_steps
        self.s0, self.s1 = s0, s1
        self.tx = optax.adam(lr)

    def discretization(self, step):
        k = jnp.floor(self.total_steps / (jnp.log2(self.s1 / self.s0) + 1))
        return jnp.minimum(self.s0 * 2 ** jnp.floor(step / k), self.s1) + 1

    def loss(self, params, x, rng, n):
        kt, kz = jax.random.split(rng)
        idx = jnp.floor(jax.random.uniform(kt, (x.shape[0], 1)) * (n - 1))
        z = jax.random.normal(kz, x.shape)
        hi = mlp(params, x + z * (idx + 1) / n)
        lo = jax.lax.stop_gradient(mlp(params, x + z * idx / n))
        return jnp.mean((hi - lo) ** 2)

    @partial(jax.jit, static_argnums=0)
    def train_step(self, params, opt_state, x, rng, step):
        n = self.discretization(step)
        loss, grads = jax.value_and_grad(self.loss)(params, x, rng, n)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss, n


def main():
    model = ConsistencyModel(total_steps=40)
    rng, init_rng = jax.random.split(jax.random.key(0))
    params = mlp_init(init_rng, [2, 32, 2])
    opt_state = model.tx.init(params)
    x = jax.random.normal(jax.random.key(3), (64, 2))
    for i in range(40):
        rng, sub = jax.random.split(rng)
        params, opt_state, loss, n = model.train_step(params, opt_state, x, sub, i + 1)
    print("steps", i + 1, "discretization at the end", float(n))


if __name__ == "__main__":
    main()
