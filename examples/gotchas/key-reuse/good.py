import jax


@jax.jit
def step(key, w):
    for_noise, for_mask = jax.random.split(key)
    noise = jax.random.normal(for_noise, w.shape)
    keep = jax.random.bernoulli(for_mask, 0.9, w.shape)
    return (w + noise) * keep


key, w = jax.random.key(0), jax.numpy.ones(4)
for key in jax.random.split(key, 3):
    w = step(key, w)
