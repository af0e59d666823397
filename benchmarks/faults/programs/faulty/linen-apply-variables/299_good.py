import jax
import jax.numpy as jnp
import optax
from flax import linen as nn


class CNN(nn.Module):
    classes: int = 10

    @nn.compact
    def __call__(self, x, train: bool):
        for feats in (8, 16):
            x = nn.Conv(feats, (3, 3))(x)
            x = nn.BatchNorm(use_running_average=not train)(x)
            x = nn.avg_pool(nn.relu(x), (2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        return nn.Dense(self.classes)(nn.relu(nn.Dense(32)(x)))


class Experiment:
    def __init__(self, seed=0, lr=1e-2):
        self.model = CNN()
        variables = self.model.init(
            jax.random.key(seed), jnp.zeros((1, 8, 8, 1)), train=False
        )
        self.params = variables["params"]
        self.batch_stats = variables["batch_stats"]
        self.tx = optax.adam(lr)
        self.opt_state = self.tx.init(self.params)
        self._train = jax.jit(self._train_step)
        self._predict = jax.jit(self._predict_fn)

    def _train_step(self, params, batch_stats, opt_state, x, y):
        def loss_fn(p):
            logits, upd = self.model.apply(
                {"params": p, "batch_stats": batch_stats},
                x, train=True, mutable=["batch_stats"],
            )
            ce = optax.softmax_cross_entropy_with_integer_labels(logits, y)
            return ce.mean(), upd["batch_stats"]

        (loss, stats), g = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, opt_state = self.tx.update(g, opt_state)
        return optax.apply_updates(params, updates), stats, opt_state, loss

    def _predict_fn(self, params, batch_stats, x):
        return self.model.apply(
            {"params": params, "batch_stats": batch_stats}, x, train=False
        ).argmax(-1)

    def fit(self, x, y, steps):
        for _ in range(steps):
            self.params, self.batch_stats, self.opt_state, loss = self._train(
                self.params, self.batch_stats, self.opt_state, x, y
            )
        return float(loss)

    def accuracy(self, x, y):
        return float((self._predict(self.params, self.batch_stats, x) == y).mean())


if __name__ == "__main__":
    x = jax.random.normal(jax.random.key(1), (32, 8, 8, 1))
    y = jnp.arange(32) % 10
    exp = Experiment()
    print("loss", exp.fit(x, y, 10))
    print("accuracy", exp.accuracy(x, y))
