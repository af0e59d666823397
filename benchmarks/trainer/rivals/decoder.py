"""A decoder of Flax linen modules, of nanodo's shape, and two training steps around it.

The shape: learned positions, LayerNorm without biases before attention and MLP, three projections,
scores and softmax in float32, GELU, the embedding as the head. The shape and the way to keep the
step's number are those of google-deepmind/nanodo (Apache-2.0); its code is not.

Axes: B rows, T steps, S steps seen, D width, H heads, K head width, V vocabulary.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training.train_state import TrainState

from reference_trainer.config import Config
from reference_trainer.train import state as states


class Decoder(nn.Module):
    """Logits BTV of tokens BT."""

    config: Config

    @nn.compact
    def __call__(self, tokens_BT: jax.Array) -> jax.Array:
        model = self.config.model
        embed = nn.Embed(model.features[0], model.width)
        places = nn.Embed(self.config.data.length, model.width)
        x_BTD = embed(tokens_BT) + places(jnp.arange(tokens_BT.shape[1]))
        for _ in range(model.depth):
            x_BTD = Layer(model.width, model.head_width, model.mlp)(x_BTD)
        return embed.attend(nn.LayerNorm(use_bias=False)(x_BTD))


class Layer(nn.Module):
    """Attention, then an MLP, each added to what came in."""

    width: int
    head_width: int
    mlp: int

    @nn.compact
    def __call__(self, x_BTD: jax.Array) -> jax.Array:
        x_BTD = x_BTD + self.attention(nn.LayerNorm(use_bias=False)(x_BTD))
        y_BTD = nn.LayerNorm(use_bias=False)(x_BTD)
        y_BTF = jax.nn.gelu(nn.Dense(self.mlp * self.width, use_bias=False)(y_BTD))
        return x_BTD + nn.Dense(self.width, use_bias=False)(y_BTF)

    def attention(self, x_BTD: jax.Array) -> jax.Array:
        heads = (self.width // self.head_width, self.head_width)
        q_BTHK, k_BSHK, v_BSHK = (
            nn.DenseGeneral(heads, use_bias=False, name=name)(x_BTD) for name in ("q", "k", "v")
        )
        scores_BHTS = jnp.einsum("BTHK,BSHK->BHTS", q_BTHK * self.head_width**-0.5, k_BSHK)
        steps = x_BTD.shape[1]
        earlier_TS = jnp.tril(jnp.ones((steps, steps), bool))
        weights_BHTS = jax.nn.softmax(jnp.where(earlier_TS, scores_BHTS, -1e30), axis=-1)
        out_BTHK = jnp.einsum("BHTS,BSHK->BTHK", weights_BHTS, v_BSHK)
        return nn.DenseGeneral(self.width, axis=(-2, -1), use_bias=False, name="out")(out_BTHK)


class Rival:
    """A state, a batch and a compiled step, to be called as `cases.Training` is."""

    def __init__(self, config: Config, tokens_BT: jax.Array, targets_BT: jax.Array):
        self.batch, self.config = (tokens_BT, targets_BT), config
        self.model = self.decoder()
        self.state: TrainState = jax.jit(self._create)(jax.random.key(0), tokens_BT)
        self.step = jax.jit(self.update, donate_argnums=0)

    def __call__(self) -> jax.Array:
        # gotcha: allow[weak-type-argument] what `Nanodo` does is measured, too
        self.state, loss = self.step(self.state, *self.batch)
        return loss

    def decoder(self) -> nn.Module:
        return Decoder(self.config)

    def optimizer(self) -> Any:
        return states.optimizer(self.config)

    def update(
        self, state: TrainState, tokens_BT: jax.Array, targets_BT: jax.Array
    ) -> tuple[TrainState, jax.Array]:
        """As Flax's own examples do it."""
        loss, grads = self.taken(state, tokens_BT, targets_BT)
        return state.apply_gradients(grads=grads), loss

    def taken(
        self, state: TrainState, tokens_BT: jax.Array, targets_BT: jax.Array
    ) -> tuple[jax.Array, Any]:
        def mean(params: Any) -> jax.Array:
            logits_BTV = state.apply_fn({"params": params}, tokens_BT)
            losses = optax.softmax_cross_entropy_with_integer_labels(logits_BTV, targets_BT)
            return jnp.mean(losses)

        return jax.value_and_grad(mean)(state.params)

    def _create(self, key: jax.Array, tokens_BT: jax.Array) -> TrainState:
        params = self.model.init(key, tokens_BT)["params"]
        return TrainState.create(apply_fn=self.model.apply, params=params, tx=self.optimizer())


class Nanodo(Rival):
    """Optax's MultiSteps always, and the step's number taken from it.

    `TrainState.create` sets a Python 0, which is weakly typed; what the first step returns is not,
    so that the second step is compiled again.
    """

    def optimizer(self) -> Any:
        return optax.MultiSteps(super().optimizer(), 1)

    def update(
        self, state: TrainState, tokens_BT: jax.Array, targets_BT: jax.Array
    ) -> tuple[TrainState, jax.Array]:
        loss, grads = self.taken(state, tokens_BT, targets_BT)
        updates, opt_state = state.tx.update(grads, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        step: Any = state.opt_state.gradient_step + 1  # type: ignore[attr-defined]
        return state.replace(step=step, params=params, opt_state=opt_state), loss
