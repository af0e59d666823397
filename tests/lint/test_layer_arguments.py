"""The table of positional arguments says what the signatures of Flax and Equinox say."""

from __future__ import annotations

import dataclasses
import inspect
from importlib import import_module

import pytest

from gotcha_lint.facts.layer_arguments import CLOSED, KIND_OF, POSITIONAL

KNOWN = sorted(name for name in POSITIONAL if not name.startswith("haiku."))


def signature(name: str) -> list[str]:
    """The positional arguments of a layer; those of linen are the fields of a dataclass."""
    module, _, short = name.rpartition(".")
    cls = getattr(import_module(module), short)
    if module == "flax.linen":
        return [f.name for f in dataclasses.fields(cls) if f.init and not f.kw_only]
    parameters = inspect.signature(cls.__init__).parameters.values()
    return [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD][1:]


@pytest.mark.parametrize("name", KNOWN)
def test_order(name):
    real, ours = signature(name), list(POSITIONAL[name])
    assert real[: len(ours)] == ours
    if name.startswith(CLOSED):
        assert real == ours


def test_every_kind_is_of_some_layer():
    used = {field for fields in POSITIONAL.values() for field in fields}
    assert set(KIND_OF) <= used
