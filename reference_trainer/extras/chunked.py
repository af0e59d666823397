"""Attention over a few queries at a time, in plain JAX: memory grows with T, not with T * T.

Wrong: a scan over chunks alone, which keeps the scores of every chunk for the way back.
Right: each chunk is computed again there.

Axes as in `model/attention.py`; L steps in a chunk, C chunks.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from reference_trainer.model.attention import Keys, Queries, mixed
from reference_trainer.model.parts import cut, joined

PARTS = 4  # of a row


def chunked(queries: Queries, keys: Keys, window: int, chunk: int) -> jax.Array:
    """Parts of the row, each with the keys up to its own end.

    One part would be enough for the memory; four do 5/8 of its work. A window saves more alone.
    """
    steps = queries.q_BTHK.shape[1]
    chunk = min(chunk, steps)
    size = -(-steps // (chunk * (1 if window else PARTS))) * chunk
    parts = []
    for start in range(0, steps, size):
        end = min(start + size, steps)
        part = Queries(queries.q_BTHK[:, start:end], queries.segments_BT[:, start:end], start)
        parts.append(_part(part, keys.part(0, end), window, chunk))
    return jnp.concatenate(parts, axis=1)


def _part(queries: Queries, keys: Keys, window: int, chunk: int) -> jax.Array:
    """A loop over chunks of queries; with a window, each takes only the keys in its reach."""
    seen = keys.k_BSHK.shape[1]
    reach = min(seen, chunk + window) if window else seen

    # Without the checkpoint the loop keeps the scores of every chunk, and saves no memory.
    @jax.checkpoint
    def one(some: Queries) -> jax.Array:
        first = jnp.clip(some.first - window, 0, seen - reach)
        return mixed(some, keys.part(first, reach), window)

    q_CBLHK, segments_CBL = cut(queries.q_BTHK, chunk), cut(queries.segments_BT, chunk)
    first_C = queries.first + chunk * lax.iota(jnp.int32, len(q_CBLHK))
    out_CBLHK = lax.map(one, Queries(q_CBLHK, segments_CBL, first_C))
    return joined(out_CBLHK, queries.q_BTHK.shape[1])
