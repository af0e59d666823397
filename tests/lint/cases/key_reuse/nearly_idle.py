"""Keys that nearly look as if nobody drew from them."""

import jax


def make_dataset(key, rows):
    return jax.random.normal(key, (rows, 8))


def sets(key):
    train = make_dataset(key, 1000)
    test = make_dataset(key, 100)  # ! key-reuse
    return train, test


class Mlp:
    def __init__(self, remat_checkpoint=False):
        self.remat = remat_checkpoint

    def init(self, key):
        return jax.random.normal(key, (3, 3))


def noisy(key):
    model = Mlp(remat_checkpoint=True)
    params = model.init(key)
    noise = jax.random.normal(key, (3, 3))  # ! key-reuse
    return params, noise


def adversarial(key):
    # Real and fake images from here on.
    z = jax.random.normal(key, (64, 100))
    mix = jax.random.uniform(key, (64, 100))  # ! key-reuse
    return z, mix


def drop_a(key, x):
    return x * jax.random.bernoulli(key, 0.5, x.shape)


def drop_b(key, x):
    return x + jax.random.bernoulli(key, 0.1, x.shape)


def apply_one(fn, key, x):
    return fn(key, x)


def one_after_another(key, x):
    fns = {"a": drop_a, "b": drop_b}
    for fn in fns.values():
        x = apply_one(fn, key, x)  # ! key-reuse
    return x


def init_layer(key, rows, columns):
    return jax.random.normal(key, (rows, columns))


def two_layers(key):
    layers = []
    w1 = init_layer(key, 64, 64)
    layers.append(w1)
    w2 = init_layer(key, 64, 64)  # ! key-reuse
    layers.append(w2)
    return layers


def handed_out(key):
    noise = jax.random.normal(key, (3,))
    yield noise
    mask = jax.random.bernoulli(key, 0.5, (3,))  # ! key-reuse
    return mask
