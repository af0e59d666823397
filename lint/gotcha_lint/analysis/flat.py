"""Values that no gradient runs through: `jax.lax.stop_gradient`, also in the function called."""

from __future__ import annotations

from gotcha_lint.analysis.values import FLAT, PART, Kind, Value


def flat(value: Value) -> Value:
    """The value, and all that it holds, without its gradient."""
    if value.items:
        return value._replace(items=tuple(map(flat, value.items)))
    plain = value.kind in (Kind.ARRAY, Kind.UNKNOWN) and value.of[:1] in ("", PART)
    return value._replace(of=FLAT) if plain else value
