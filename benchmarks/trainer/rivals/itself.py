"""The model of nanodo itself, where a copy of google-deepmind/nanodo is on `PYTHONPATH`.

Its training loop needs five more packages and a tokenizer; the step around the model is of its
shape (decoder.py).
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from flax import linen as nn

from benchmarks.trainer.rivals.decoder import Nanodo


def is_there() -> bool:
    return find_spec("nanodo") is not None


class Itself(Nanodo):
    """`nanodo.model.TransformerDo` of our sizes, in float32, not sharded."""

    def decoder(self) -> nn.Module:
        nanodo, model = import_module("nanodo.model"), self.config.model
        sizes = nanodo.DoConfig(
            D=model.width,
            H=model.width // model.head_width,
            L=self.config.data.length,
            N=model.depth,
            V=model.features[0],
            F=model.mlp * model.width,
            fsdp_enabled=False,
        )
        return nanodo.TransformerDo(sizes)
