"""Linen MLP classifier with a callback that decays the learning rate per epoch."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class MLP(nn.Module):
    features: int = 16
    classes: int = 3

    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Dense(self.features)(x))
        return nn.Dense(self.classes)(x)


class Momentum:
    def __init__(self, learning_rate, momentum=0.9):
        self.learning_rate = learning_rate
        self.momentum = momentum

    def init(self, params):
        return jax.tree.map(jnp.zeros_like, params)

    def apply(self, params, grads, velocity, learning_rate):
        velocity = jax.tree.map(lambda v, g: self.momentum * v + g, velocity, grads)
        params = jax.tree.map(lambda p, v: p - learning_rate * v, params, velocity)
        return params, velocity


class ExponentialDecay:
    def __init__(self, initial, rate):
        self.initial, self.rate = initial, rate

    def on_epoch_begin(self, trainer, epoch):
        trainer.optimizer.learning_rate = self.initial * self.rate**epoch


class Trainer:
    def __init__(self, model, optimizer, callbacks=()):
        self.model, self.optimizer, self.callbacks = model, optimizer, list(callbacks)
        self._train_step = jax.jit(self.train_step)

    def train_step(self, params, velocity, learning_rate, x, y):
        def loss_fn(p):
            logits = self.model.apply(p, x)
            return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

        loss, grads = jax.value_and_grad(loss_fn)(params)
        params, velocity = self.optimizer.apply(params, grads, velocity, learning_rate)
        return params, velocity, loss

    def fit(self, x, y, epochs, batch_size, seed=0):
        params = self.model.init(jax.random.key(seed), x[:1])
        velocity = self.optimizer.init(params)
        for epoch in range(epochs):
            for cb in self.callbacks:
                cb.on_epoch_begin(self, epoch)
            for i in range(0, len(x) - batch_size + 1, batch_size):
                before = params
                params, velocity, loss = self._train_step(
                    params, velocity, self.optimizer.learning_rate, x[i:i + batch_size], y[i:i + batch_size])
            delta = optax.global_norm(jax.tree.map(jnp.subtract, params, before))
            print(epoch, self.optimizer.learning_rate, "lr seen", float(delta / optax.global_norm(velocity)))
        return params


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.normal(size=(96, 5)).astype(np.float32)
    Trainer(MLP(), Momentum(0.05), [ExponentialDecay(0.05, 0.5)]).fit(x, x[:, :3].argmax(-1), 3, 32)
