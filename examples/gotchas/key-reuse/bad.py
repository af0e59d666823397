import jax


@jax.jit
def step(key, w):
    noise = jax.random.normal(key, w.shape)
    keep = jax.random.bernoulli(key, 0.9, w.shape)  # ! key-reuse
    return (w + noise) * keep


key, w = jax.random.key(0), jax.numpy.ones(4)
for key in jax.random.split(key, 3):
    w = step(key, w)
