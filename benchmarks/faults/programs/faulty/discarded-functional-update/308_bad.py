from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class EmaState(train_state.TrainState):
    ema_params: Any = None
    ema_decay: float = 0.9

    def update_ema(self):
        ema = jax.tree.map(
            lambda e, p: self.ema_decay * e + (1.0 - self.ema_decay) * p,
            self.ema_params,
            self.params,
        )
        return self.replace(ema_params=ema)


class Segmenter(nn.Module):
    classes: int = 3

    @nn.compact
    def __call__(self, img):
        x = nn.relu(nn.Conv(8, (3, 3))(img))
        return nn.Conv(self.classes, (1, 1))(x)


def create_state(key, shape, tx):
    model = Segmenter()
    params = model.init(key, jnp.zeros(shape))["params"]
    return EmaState.create(
        apply_fn=model.apply, params=params, tx=tx, ema_params=params
    )


@jax.jit
def train_step(state, img, mask):
    def loss_fn(params):
        logits = state.apply_fn({"params": params}, img)
        return optax.softmax_cross_entropy_with_integer_labels(logits, mask).mean()

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    state = state.apply_gradients(grads=grads)
    state.update_ema()
    return state, loss


@jax.jit
def evaluate(state, img, mask):
    logits = state.apply_fn({"params": state.ema_params}, img)
    return jnp.mean(logits.argmax(-1) == mask)


def main(steps=40):
    img = jax.random.normal(jax.random.key(0), (4, 8, 8, 3))
    mask = img.argmax(-1)
    state = create_state(jax.random.key(1), (1, 8, 8, 3), optax.adam(1e-2))
    before = float(evaluate(state, img, mask))
    for _ in range(steps):
        state, loss = train_step(state, img, mask)
    print("loss", float(loss), "ema accuracy", before, "->", float(evaluate(state, img, mask)))


if __name__ == "__main__":
    main()
