import jax
import jax.numpy as jnp
import numpy as np
import optax


def make_noise(key, shape, scale):
    return scale * jax.random.normal(key, shape)


def encode(params, x):
    return jnp.tanh(x @ params["enc"])


def denoise_loss(params, x, key):
    noisy = x + make_noise(key, x.shape, 0.3)
    recon = encode(params, noisy) @ params["dec"]
    return jnp.mean((recon - x) ** 2), noisy


def make_train_step(tx):
    @jax.jit
    def train_step(params, opt_state, x, key):
        (loss, noisy), grads = jax.value_and_grad(denoise_loss, has_aux=True)(params, x, key)
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
    for key in jax.random.split(jax.random.key(0), steps):
        params, opt_state, loss, noisy = step(params, opt_state, x, key)
        seen.append(float(noisy[0, 0]))
    print("distinct noisy inputs:", len(set(seen)), "of", steps)


if __name__ == "__main__":
    main()
