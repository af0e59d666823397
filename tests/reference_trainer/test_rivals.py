"""nanodo itself is measured where a copy of it is at hand; here something of its kind is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.trainer.measures import rivals
from benchmarks.trainer.row import Size

MODEL = """\
import dataclasses

import jax
from flax import linen as nn


@dataclasses.dataclass(frozen=True)
class DoConfig:
    D: int
    H: int
    L: int
    N: int
    V: int
    F: int
    fsdp_enabled: bool = True


class TransformerDo(nn.Module):
    docfg: DoConfig

    @nn.compact
    def __call__(self, tokens):
        assert not self.docfg.fsdp_enabled
        embed = nn.Embed(self.docfg.V, self.docfg.D)
        return embed.attend(nn.Dense(self.docfg.D)(embed(tokens)))
"""


@pytest.mark.slow
def test_nanodo_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "nanodo"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.py").write_text(MODEL, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("nanodo", "nanodo.model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    found = {row.name: row.value for row in rivals.measure(Size("cpu", quick=True))}
    itself, shape = (found[f"tokens/s, unrolled / nanodo {kind}"] for kind in ("itself", "shape"))
    assert itself and shape and itself < shape
