"""Depth regression from images: linen model trained by hand with optax."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class DepthNet(nn.Module):
    @nn.compact
    def __call__(self, image):
        x = nn.relu(nn.Conv(8, (3, 3))(image))
        x = nn.relu(nn.Conv(8, (3, 3))(x))
        return nn.Conv(1, (1, 1))(x)


class DepthTrainer:
    def __init__(self, lr=3e-3, shape=(12, 12, 3)):
        self.model = DepthNet()
        self.params = self.model.init(jax.random.key(0), jnp.zeros((1, *shape)))
        self.opt = optax.adam(lr)
        self.opt_state = self.opt.init(self.params)
        self._step = jax.jit(self._train_step)

    def loss(self, preds, targets):
        return jnp.mean((preds - targets) ** 2)

    def _train_step(self, params, opt_state, images, depth):
        preds = self.model.apply(params, images)
        value, grads = jax.value_and_grad(self.loss)(preds, depth)
        updates, opt_state = self.opt.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    def fit(self, batches):
        for images, depth in batches:
            self.params, self.opt_state, value = self._step(
                self.params, self.opt_state, images, depth
            )
        return float(value)


def scenes(seed, n_batches, batch_size=8):
    key = jax.random.key(seed)
    for i in range(n_batches):
        images = jax.random.uniform(jax.random.fold_in(key, i), (batch_size, 12, 12, 3))
        yield images, 1.0 + images.mean(-1, keepdims=True) ** 2


if __name__ == "__main__":
    print("loss", DepthTrainer().fit(scenes(1, 60)))
