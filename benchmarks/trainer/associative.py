"""State space layers by scans over time, to be measured and to be compared with.

By `lax.associative_scan`, the form that is often copied, every step's state is kept, B * T * H * P
* N numbers, at each of log2(T) levels. See `extras/mamba.py` for what to use instead.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from reference_trainer.extras.decode import ssd_step

Element = tuple[jax.Array, jax.Array]  # how much is kept of what was before, and what is added


def sequential(
    x_BTHP: jax.Array,
    log_decay_BTH: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    starts_BT: jax.Array,
    state_BHPN: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Step by step as it is defined: what `mamba.ssd` is tested against."""

    def one(state_BHPN: jax.Array, step: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
        x_BHP, log_decay_BH, b_BN, c_BN = step
        y_BHP, state_BHPN = ssd_step(x_BHP, log_decay_BH, b_BN, c_BN, state_BHPN)
        return state_BHPN, y_BHP

    log_decay_BTH = jnp.where(starts_BT[..., None], -jnp.inf, log_decay_BTH)
    steps = tuple(jnp.moveaxis(x, 1, 0) for x in (x_BTHP, log_decay_BTH, b_BTN, c_BTN))
    state_BHPN, y_TBHP = lax.scan(one, state_BHPN, steps)
    return jnp.moveaxis(y_TBHP, 0, 1), state_BHPN


def associative(
    x_BTHP: jax.Array,
    log_decay_BTH: jax.Array,
    b_BTN: jax.Array,
    c_BTN: jax.Array,
    starts_BT: jax.Array,
    state_BHPN: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """As `sequential`."""
    log_decay_BTH = jnp.where(starts_BT[..., None], -jnp.inf, log_decay_BTH)
    kept_BTH11 = jnp.exp(log_decay_BTH)[..., None, None]
    added_BTHPN = jnp.einsum(
        "BTHP,BTN->BTHPN", x_BTHP.astype(jnp.float32), b_BTN.astype(jnp.float32)
    )
    added_BTHPN = added_BTHPN.at[:, 0].add(kept_BTH11[:, 0] * state_BHPN)
    _, state_BTHPN = lax.associative_scan(_then, (kept_BTH11, added_BTHPN), axis=1)
    y_BTHP = jnp.einsum("BTHPN,BTN->BTHP", state_BTHPN, c_BTN.astype(jnp.float32))
    return y_BTHP.astype(x_BTHP.dtype), state_BTHPN[:, -1]


def _then(first: Element, second: Element) -> Element:
    return first[0] * second[0], second[0] * first[1] + second[1]
