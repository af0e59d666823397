# pyright: reportReturnType=false, reportAssignmentType=false, reportArgumentType=false
"""A trainer with state of its own; the compiled functions are pure."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .data import TEXTS, batches, encode
from .model import Params, apply, init, next_token_loss


class Trainer:
    """Parameters, optimizer state, and the compiled step."""

    def __init__(self, seed: int, width: int, depth: int) -> None:
        self.key, init_key = jax.random.split(jax.random.key(seed))
        self.params = init(init_key, width, depth)
        self.optimizer = optax.adamw(1e-2)
        self.opt_state = self.optimizer.init(self.params)
        self.temperature = 1.0
        self.step_fn = jax.jit(self._make_step(), donate_argnums=(0, 1))

    def _make_step(self) -> Any:
        optimizer = self.optimizer

        def step(
            params: Params, opt_state: optax.OptState, tokens: jax.Array, scale: jax.Array
        ) -> tuple[Params, optax.OptState, jax.Array]:
            loss, grads = jax.value_and_grad(next_token_loss)(params, tokens)
            grads = jax.tree.map(lambda grad: grad * scale, grads)
            updates, opt_state = optimizer.update(grads, opt_state, params)
            params = optax.apply_updates(params, updates)
            return params, opt_state, loss

        return step

    def train(self, epochs: int) -> list[float]:
        """Losses of all steps."""
        scale = jnp.ones(())
        losses = []
        for _ in range(epochs):
            for tokens in batches(TEXTS, 2):
                self.params, self.opt_state, loss = self.step_fn(
                    self.params, self.opt_state, tokens, scale
                )
                losses.append(loss)
            scale = scale * 0.5
        return [float(loss) for loss in jax.device_get(losses)]

    def sample(self, prompt: str, count: int) -> list[int]:
        """Continue a prompt by `count` tokens."""
        start = encode(prompt)
        buffer = jnp.zeros((1, len(start) + count), jnp.int32)
        buffer = buffer.at[0, : len(start)].set(jnp.asarray(start))
        for position in range(len(start), len(start) + count):
            self.key, draw_key = jax.random.split(self.key)
            token = next_token(self.params, buffer, position, self.temperature, draw_key)
            buffer = buffer.at[0, position].set(token)
        return np.asarray(buffer)[0].tolist()


@jax.jit
def next_token(
    params: Params,
    buffer: jax.Array,
    position: jax.Array,
    temperature: jax.Array,
    key: jax.Array,
) -> jax.Array:
    """Draw the token at a position from those before it."""
    logits = apply(params, buffer)[0, position - 1] / temperature
    logits = logits.at[0].set(-jnp.inf)
    return jax.random.categorical(key, logits)


@partial(jax.jit, static_argnames=("top",))
def best(params: Params, tokens: jax.Array, top: int) -> jax.Array:
    """The `top` most likely next tokens."""
    logits = apply(params, tokens)[:, -1]
    return jax.lax.top_k(logits, top)[1]


def save(trainer: Trainer, path: Path) -> None:
    leaves = jax.device_get(jax.tree.leaves(trainer.params))
    np.savez(path, *leaves)


def main() -> dict[str, float]:
    trainer = Trainer(seed=0, width=16, depth=2)
    losses = trainer.train(epochs=3)
    tokens = trainer.sample("the ", 6)
    likely = best(trainer.params, jnp.asarray([tokens]), top=3)
    save(trainer, Path("lm.npz"))
    sampled = float(sum(place * token for place, token in enumerate(tokens)))
    return {
        "train": sum(losses),
        "last": losses[-1],
        "sampled": sampled,
        "likely": float(np.asarray(likely).sum()),
    }


if __name__ == "__main__":
    print(main())
