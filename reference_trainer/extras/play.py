"""Playing: the policy sees its own actions, as it will in use, without corrections.

Wrong: to judge a policy by the frames of the recording alone. Each of them shows what the expert
did one frame ago, so that "the same again" scores well, and a drift is never seen.
Right: also let it play, with a state carried from frame to frame, its actions fed back as late as
they are in the data (`data.delay`).
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from reference_trainer.config import Config
from reference_trainer.data.batch import Document
from reference_trainer.data.batching import Batches
from reference_trainer.extras import decode
from reference_trainer.model.backbone import Params
from reference_trainer.model.heads import logits


def accuracy(
    params: Params, documents: list[Document], previous: tuple[int, ...], config: Config
) -> float:
    """Share of the recorded actions that the policy plays too; `previous` as for `played`."""
    data = config.replace(data={"batching": "pad"}).data
    rows, hits, targets = Batches(documents, data, shuffle=False), 0.0, 0.0
    for i in range(len(rows)):
        batch = rows[i]
        actions_BTH = played(params, batch.inputs, previous=previous, config=config)
        same_BTH = np.asarray(actions_BTH) == batch.targets
        hits += float((same_BTH * batch.weights[..., None]).sum())
        targets += float(batch.weights.sum()) * same_BTH.shape[-1]
    return hits / max(targets, 1.0)


@functools.partial(jax.jit, static_argnames=("previous", "config"))
def played(
    params: Params, inputs_BTF: jax.Array, *, previous: tuple[int, ...], config: Config
) -> jax.Array:
    """The likeliest action at each frame, int32 BTH, given the actions before.

    `previous` names, for each head, the feature that shows its last action that is known: the one
    of `data.delay` + 1 frames ago. Other features are as recorded.
    """
    rows, length, _ = inputs_BTF.shape
    columns = jnp.array(previous)

    def one(carry: tuple, part: tuple[jax.Array, jax.Array]) -> tuple[tuple, jax.Array]:
        layers, actions_BTH = carry
        position, recorded_BF = part
        known = position - 1 - config.data.delay
        own_BH = actions_BTH[:, jnp.maximum(known, 0)]
        fed_BF = jnp.where(known >= 0, recorded_BF.at[:, columns].set(own_BH), recorded_BF)
        x_BD, layers = decode.step(params, fed_BF, layers, position, config)
        heads = [jnp.argmax(head_BV, axis=-1) for head_BV in logits(params, x_BD, config)]
        action_BH = jnp.stack(heads, axis=-1).astype(jnp.int32)
        return (layers, actions_BTH.at[:, position].set(action_BH)), action_BH

    empty_BTH = jnp.zeros((rows, length, len(previous)), jnp.int32)
    start = (decode.start(config, rows, length), empty_BTH)
    frames = (jnp.arange(length), jnp.moveaxis(inputs_BTF, 1, 0))
    _, actions_TBH = jax.lax.scan(one, start, frames)
    return jnp.moveaxis(actions_TBH, 0, 1)
