import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import optax

_RNG_STACK = []


@contextlib.contextmanager
def stochastic(seed):
    _RNG_STACK.append(np.random.default_rng(seed))
    try:
        yield
    finally:
        _RNG_STACK.pop()


def make_noise(shape, scale):
    return jnp.asarray(scale * _RNG_STACK[-1].standard_normal(shape), jnp.float32)


def encode(params, x):
    return jnp.tanh(x @ params["enc"])


def denoise_loss(params, x):
    noisy = x + make_noise(x.shape, 0.3)
    recon = encode(params, noisy) @ params["dec"]
    return jnp.mean((recon - x) ** 2), noisy


def make_train_step(tx):
    @jax.jit
    def train_step(params, opt_state, x):
        (loss, noisy), grads = jax.value_and_grad(denoise_loss, has_aux=True)(params, x)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss, noisy

    return train_step


def main(steps=5):
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.standard_normal((32, 6)), jnp.float32)
    params = {
        "enc": jnp.asarray(rng.standard_normal((6, 4)) * 0.4, jnp.float32),
        "dec": jnp.asarray(rng.standard_normal((4, 6)) * 0.4, jnp.float32),
    }
    tx = optax.adam(1e-2)
    opt_state = tx.init(params)
    step = make_train_step(tx)
    seen = []
    with stochastic(0):
        for _ in range(steps):
            params, opt_state, loss, noisy = step(params, opt_state, x)
            seen.append(float(noisy[0, 0]))
    print("distinct noisy inputs:", len(set(seen)), "of", steps)


if __name__ == "__main__":
    main()
