import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class RobertaLayer(nn.Module):
    dim: int
    rate: float

    @nn.compact
    def __call__(self, x, deterministic: bool = True):
        h = nn.gelu(nn.Dense(4 * self.dim)(nn.LayerNorm()(x)))
        h = nn.Dropout(self.rate)(h, deterministic=deterministic)
        return x + nn.Dense(self.dim)(h)


class RobertaModule(nn.Module):
    vocab: int = 40
    dim: int = 16
    classes: int = 2
    rate: float = 0.3

    @nn.compact
    def __call__(self, ids, deterministic: bool = True):
        x = nn.Embed(self.vocab, self.dim)(ids)
        for _ in range(2):
            x = RobertaLayer(self.dim, self.rate)(x, deterministic)
        return nn.Dense(self.classes)(x.mean(axis=1))


class SequenceClassifier:
    """Thin wrapper that owns the parameters, in the style of a pretrained model."""

    def __init__(self, seed=0):
        self.module = RobertaModule()
        ids = jnp.zeros((1, 6), jnp.int32)
        self.params = self.module.init(jax.random.key(seed), ids)["params"]

    def __call__(self, ids, params=None, dropout_rng=None, train=False):
        rngs = {} if dropout_rng is None else {"dropout": dropout_rng}
        params = self.params if params is None else params
        return self.module.apply({"params": params}, ids, rngs=rngs)


def fine_tune(model, ids, labels, steps=10):
    tx = optax.adamw(1e-3)

    @jax.jit
    def step(params, opt_state, rng):
        def loss_fn(p):
            logits = model(ids, params=p, dropout_rng=rng, train=True)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, g = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(g, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    params, opt_state = model.params, tx.init(model.params)
    first = [float(step(params, opt_state, jax.random.key(i))[2]) for i in range(3)]
    for key in jax.random.split(jax.random.key(9), steps):
        params, opt_state, loss = step(params, opt_state, key)
    return first, float(loss)


if __name__ == "__main__":
    ids = jax.random.randint(jax.random.key(1), (16, 6), 0, 40)
    first, last = fine_tune(SequenceClassifier(), ids, jnp.arange(16) % 2)
    print("first loss under three dropout keys", first, "last", last)
