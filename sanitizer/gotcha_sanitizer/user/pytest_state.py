"""What a test should leave as it was, and which jitted functions it reaches by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from gotcha_sanitizer.values.parts import Function

_PREFIXES = ("JAX_", "XLA_")


@dataclass(frozen=True)
class State:
    """Settings of JAX and of the environment, as text."""

    config: dict[str, str]
    environment: dict[str, str]

    @classmethod
    def now(cls, jax: Any) -> State:
        """`jax` is the module; None while it is not imported."""
        from gotcha_sanitizer.hooks import internals

        settings = internals.settings(jax) if jax is not None else {}
        found = {k: v for k, v in os.environ.items() if k.startswith(_PREFIXES)}
        return cls(settings, found)

    def changes(self, now: State) -> Iterator[str]:
        """What differs, like `jax_enable_x64: False -> True`."""
        pairs = [(self.environment, now.environment, "os.environ ")]
        if self.config:  # else JAX was imported meanwhile
            pairs.append((self.config, now.config, ""))
        for old, new, what in pairs:
            for name in sorted(old.keys() | new.keys()):
                was, is_now = old.get(name, "not set"), new.get(name, "not set")
                if was != is_now:
                    yield f"{what}{name}: {was} -> {is_now}"


def reached(item: pytest.Item) -> Iterator[Function]:
    """Jitted functions that the test's code names: globals, closures, helpers, fixtures."""
    from gotcha_sanitizer.hooks import capture, identity

    test = getattr(item, "obj", None)
    _, base = identity.identify(test, item.name)
    values = [read.now for read in capture.reads(test, base)]
    values += [lambda value=value: value for value in getattr(item, "funcargs", {}).values()]
    for now in values:
        try:
            value = now()
        except LookupError:
            continue
        if hasattr(value, "lower") and hasattr(value, "__wrapped__"):
            yield identity.identify(value, getattr(value, "__name__", "?"))[0]
