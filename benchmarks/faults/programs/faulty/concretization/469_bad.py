"""Video transformer with stochastic depth rising with the layer index (linen)."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class StochasticDepth(nn.Module):
    rate: float

    @nn.compact
    def __call__(self, x, deterministic: bool):
        if self.rate == 0.0 or deterministic:
            return x
        keep = 1.0 - self.rate
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        mask = jax.random.bernoulli(self.make_rng("dropout"), keep, shape)
        return x * mask / keep


class Block(nn.Module):
    dim: int
    heads: int
    drop_path: float

    @nn.compact
    def __call__(self, x, deterministic):
        y = nn.MultiHeadDotProductAttention(self.heads)(nn.LayerNorm()(x))
        x = x + StochasticDepth(self.drop_path)(y, deterministic)
        y = nn.Dense(self.dim)(nn.gelu(nn.Dense(2 * self.dim)(nn.LayerNorm()(x))))
        return x + StochasticDepth(self.drop_path)(y, deterministic)


class VideoEncoder(nn.Module):
    dim: int = 16
    layers: int = 3
    classes: int = 5
    max_drop_path: float = 0.2

    @nn.compact
    def __call__(self, tubelets, train: bool):
        x = nn.Dense(self.dim)(tubelets)
        rates = jnp.linspace(0.0, self.max_drop_path, self.layers)
        for i in range(self.layers):
            x = Block(self.dim, 2, rates[i])(x, deterministic=not train)
        return nn.Dense(self.classes)(x.mean(axis=1))


def init_train_state(model, key, shape, tx):
    @jax.jit
    def _init(key):
        p_key, d_key = jax.random.split(key)
        return model.init({"params": p_key, "dropout": d_key}, jnp.zeros(shape), train=True)

    variables = _init(key)
    return variables, tx.init(variables["params"])


def make_train_step(model, tx):
    @jax.jit
    def step(variables, opt_state, batch, labels, key):
        def loss_fn(params):
            logits = model.apply({"params": params}, batch, train=True, rngs={"dropout": key})
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, grads = jax.value_and_grad(loss_fn)(variables["params"])
        updates, opt_state = tx.update(grads, opt_state, variables["params"])
        return {"params": optax.apply_updates(variables["params"], updates)}, opt_state, loss

    return step


if __name__ == "__main__":
    model, tx = VideoEncoder(), optax.adamw(1e-3)
    variables, opt_state = init_train_state(model, jax.random.key(0), (2, 6, 8), tx)
    step = make_train_step(model, tx)
    x, y = jax.random.normal(jax.random.key(1), (2, 6, 8)), jnp.array([1, 3])
    for i in range(2):
        variables, opt_state, loss = step(variables, opt_state, x, y, jax.random.key(i))
    print("loss", loss)
