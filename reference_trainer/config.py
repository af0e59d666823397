"""Every number of a run, in one frozen value.

Wrong: a dict or an `argparse.Namespace` that anything may change: a compiled step never sees the
change, and a dict cannot be a static argument.
Right: frozen dataclasses. They hash, so that they may be static; they are written into each
checkpoint; a run is changed by making a new value.
(gotchas: stale-self, unhashable-static-argument)
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reference_trainer.run.ranges import wrong


class UserError(Exception):
    """A mistake that a user can correct: shown as one line, without a traceback."""

    code = 2  # the exit status of the process


class ConfigError(UserError):
    """A setting that does not exist, or a value it cannot have."""


class DataError(UserError):
    """The data is missing, unreadable or not of the kind that was requested."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """What the layers are: a change here makes a checkpoint unusable."""

    features: tuple[int, ...] = (256,)  # sizes of the vocabularies of one step's inputs
    heads: tuple[int, ...] = (256,)  # sizes of the categorical outputs of one step
    tied: bool = True  # the head is the embedding, transposed (text only)
    width: int = 128
    depth: int = 4
    pattern: tuple[Literal["attention", "ssm"], ...] = ("attention",)  # repeated down the stack
    head_width: int = 32
    mlp: int = 4  # hidden width, as a multiple of the width
    window: int = 0  # attention looks back this many steps; 0: to the document's start
    state: int = 32  # of the state space layers, per channel
    conv: int = 4  # reach of the short convolution of the state space layers
    dropout: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Compute:
    """How the same layers are computed: but for `quantise`, results agree up to rounding."""

    dtype: Literal["float32", "bfloat16"] = "float32"  # of activations; parameters stay float32
    quantise: Literal["none", "int8"] = "none"  # train as if weights and inputs were int8
    attention: Literal["xla", "chunked", "cudnn", "packed"] = "xla"
    chunk: int = 128  # queries at a time in chunked attention
    ssm: Literal["matrices", "kernel"] = "matrices"  # the kernel: on a GPU, in bfloat16
    ssm_chunk: int = 64  # steps in one chunk of the state space layers; 32 for the kernel
    loss_chunk: int = 0  # steps at a time in the head and loss; 0: all at once
    layers: Literal["scan", "unroll"] = "unroll"
    remat: Literal["none", "full", "attention", "dots"] = "none"  # full: all is computed again
    remat_every: int = 1  # 2: every second layer is computed again
    deterministic: bool = False  # the same bits from run to run on a GPU too, for some of its speed


@dataclass(frozen=True, kw_only=True)
class Data:
    """What is read, and how rows of a fixed length are made of it."""

    source: Literal["stdlib", "files", "tokens", "chorales"] = "stdlib"
    paths: tuple[str, ...] = ()  # for source=files and tokens
    weights: tuple[float, ...] = ()  # a share for each path (tokens); none: by size
    limit: int = 0  # documents used; 0: all
    held_out: float = 0.1  # share of the files that are never trained on
    batching: Literal["pack", "bucket", "pad"] = "pack"
    length: int = 256  # steps in a row
    batch: int = 16  # rows in one step, over all devices; 0: as many as memory holds
    bins: int = 8  # open rows of the packer
    buckets: int = 4
    delay: int = 0  # steps between an observation and the action (chorales)
    loader: Literal["grain", "simple"] = "grain"
    prefetch: int = 2  # batches made ready on the device ahead of time; 0: none
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Optimizer:
    """AdamW or Muon, with warm-up and a cosine decay."""

    kind: Literal["adamw", "muon"] = "adamw"
    learning_rate: float = 2e-3
    final_share: float = 0.1  # of the learning rate, at the last step
    warmup: int = 20
    weight_decay: float = 0.1
    clip: float = 1.0  # largest norm of the gradients
    b1: float = 0.9
    b2: float = 0.95
    accumulate: int = 1  # parts a batch is cut into, computed one after another


@dataclass(frozen=True, kw_only=True)
class Run:
    """How long, how often, and on what."""

    steps: int = 300
    eval_every: int = 100
    eval_batches: int = 0  # before the last evaluation; 0: all of the held-out data
    save_every: int = 100
    keep: int = 2  # newest checkpoints kept, besides the best
    log_every: int = 10
    parallel: Literal["dp", "zero", "fsdp"] = "dp"  # who holds the state: all, or each a part
    fused: int = 1  # steps in one call of the compiled program, where the host is slow
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Config:
    """A whole run; hashable."""

    model: Model = field(default_factory=Model)
    compute: Compute = field(default_factory=Compute)
    data: Data = field(default_factory=Data)
    optimizer: Optimizer = field(default_factory=Optimizer)
    run: Run = field(default_factory=Run)

    def __post_init__(self) -> None:
        if message := wrong(self, group(self)):
            raise ConfigError(message)

    def replace(self, **sections: Mapping[str, Any]) -> Config:
        """`config.replace(data={"batch": 8})`: the same run with other values; ConfigError."""
        changed = {
            section: dataclasses.replace(getattr(self, section), **values)
            for section, values in sections.items()
        }
        return dataclasses.replace(self, **changed)

    def to_json(self) -> dict[str, dict[str, Any]]:
        """Plain lists, numbers and strings: what a checkpoint holds and `from_json` reads."""
        return json.loads(json.dumps(dataclasses.asdict(self)))


def group(config: Config) -> int:
    """Layers that one iteration over the stack computes: a pattern, and one cycle of remat."""
    every = config.compute.remat_every if config.compute.remat != "none" else 1
    return math.lcm(len(config.model.pattern), every)
