"""Keys for what shuffles or loads: each set of data with the same one; weights that are there."""

import jax

import zoo


def load_digits_dataset(name, rng):
    rng, key = jax.random.split(rng)
    return zoo.read(name, key, shuffle=jax.random.uniform(rng))


def scores(names, rng, model):
    found = {}
    for name in names:
        found[name] = model(load_digits_dataset(name, rng))
    return found, load_digits_dataset("all", rng)


key = jax.random.key(0)
latent = jax.random.normal(key, (4, 512))
net = zoo.Generator(pretrained="faces")
params = net.init(key, 3)
print(net.apply(params, latent))

other = jax.random.key(1)
init_weights, energy = zoo.potential(checkpoint_path="small")
loaded = init_weights(other, 3)
other, subkey = jax.random.split(other)
print(energy(loaded, jax.random.normal(subkey, (3,))))
