"""Sampling, with a state carried from step to step: the cost of a step does not grow with the text.

Wrong: calling the training forward pass on a text that grows by one each time: a new shape, and a
new program, per character. Right: one program over a fixed number of steps, in which the prompt is
forced and the rest is drawn. (gotchas: growing-array, varying-shape)
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from reference_trainer.config import Config
from reference_trainer.extras import decode
from reference_trainer.model.backbone import Params
from reference_trainer.model.heads import logits

BYTES = 256  # of a larger vocabulary the rest is padding


def text(
    params: Params, prompt: str, config: Config, *, seed: int = 0, temperature: float = 0.8
) -> str:
    """The prompt and its continuation, up to a row's length or the end of the document."""
    known = np.frombuffer(b"\0" + prompt.encode(), np.uint8)[: config.data.length]
    forced_BT = np.full((1, config.data.length), -1, np.int32)
    forced_BT[0, : len(known)] = known
    drawn_BT = generate(params, forced_BT, jax.random.key(seed), temperature, config=config)
    out = bytes(np.asarray(drawn_BT)[0].astype(np.uint8))
    end = out.find(b"\0", len(known))
    return out[1 : end if end >= 0 else None].decode(errors="replace")


@functools.partial(jax.jit, static_argnames="config")
def generate(
    params: Params, forced_BT: jax.Array, key: jax.Array, temperature: float, *, config: Config
) -> jax.Array:
    """Tokens int32 BT: `forced_BT` where it is not negative, drawn elsewhere.

    Temperature 0 takes the likeliest. One program for all prompts: a prompt is values, not a shape.
    """
    rows, length = forced_BT.shape

    def one(carry: tuple, part: tuple[jax.Array, jax.Array]) -> tuple[tuple, jax.Array]:
        layers, proposed_B = carry
        position, forced_B = part
        token_B = jnp.where(forced_B >= 0, forced_B, proposed_B)
        x_BD, layers = decode.step(params, token_B[:, None], layers, position, config)
        logits_BV = logits(params, x_BD, config)[0][:, :BYTES]
        step_key = jax.random.fold_in(key, position)
        drawn_B = jax.random.categorical(step_key, logits_BV / jnp.maximum(temperature, 1e-6))
        best_B = jnp.argmax(logits_BV, axis=-1)
        return (layers, jnp.where(temperature > 0, drawn_B, best_B).astype(jnp.int32)), token_B

    start = (decode.start(config, rows, length), jnp.zeros(rows, jnp.int32))
    _, tokens_TB = jax.lax.scan(one, start, (jnp.arange(length), forced_BT.T))
    return tokens_TB.T


@functools.partial(jax.jit, static_argnames="config", donate_argnames="carry")
def policy_step(
    params: Params, inputs_BF: jax.Array, carry: list, position: jax.Array, *, config: Config
) -> tuple[list[jax.Array], list]:
    """One frame of every row: the heads' logits, float32 BV each, and the state carried on."""
    x_BD, carry = decode.step(params, inputs_BF, carry, position, config)
    return logits(params, x_BD, config), carry
