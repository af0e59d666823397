"""What several measurements need: a batch, a step that trains on it, the memory it asks for."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from reference_trainer import metrics, parallel
from reference_trainer.config import Config, Data, Model, Optimizer
from reference_trainer.data.batch import Batch, Corpus, Document, empty
from reference_trainer.train import state as states
from reference_trainer.train.step import Metrics, build

MIB = 2.0**20
BYTES = 256  # vocabulary of a text


def small(width: int = 64, depth: int = 2, length: int = 64, batch: int = 4) -> Config:
    """Attention layers over bytes, in float32."""
    return Config(
        model=Model(width=width, depth=depth),
        data=Data(length=length, batch=batch, loader="simple"),
        optimizer=Optimizer(warmup=2),
    )


def shrunk(config: Config) -> Config:
    """The same settings of the computation, over a model that any machine runs in seconds."""
    return config.replace(
        model={"features": (512,), "heads": (512,), "width": 64, "depth": 2, "head_width": 32},
        data={"length": 256, "batch": 4},
    )


def full_batch(config: Config, seed: int = 0) -> Batch:
    """Rows without padding, one document each."""
    rng, rows, length = np.random.default_rng(seed), config.data.batch, config.data.length
    model = config.model
    batch = empty(rows, length, len(model.features), len(model.heads))
    for i, size in enumerate(model.features):
        batch.inputs[..., i] = rng.integers(1, size, (rows, length))
    for i, size in enumerate(model.heads):
        batch.targets[..., i] = rng.integers(1, size, (rows, length))
    batch.segments[:] = batch.weights[:] = 1
    batch.positions[:] = np.arange(length)
    return Batch(*map(jnp.asarray, batch))


def counting(count: int = 64, longest: int = 60, seed: int = 0) -> Corpus:
    """Documents of different lengths, each a run of counting numbers."""
    rng = np.random.default_rng(seed)
    documents = []
    for length in rng.integers(5, longest, count):
        run_T1 = (rng.integers(1, BYTES) + np.arange(length + 1, dtype=np.int32))[:, None] % BYTES
        documents.append(Document(run_T1[:-1].astype(np.int32), run_T1[1:].astype(np.int32)))
    cut = count * 4 // 5
    return Corpus(documents[:cut], documents[cut:], "number", {"digest": f"{seed}/{count}"})


class Training:
    """A state, a batch and the compiled step; each call trains on and gives the last metrics."""

    def __init__(self, config: Config, steps: int = 1):
        mesh = parallel.device_mesh()
        self.config, self.steps = config, steps
        self.step = build(config, mesh)
        self.state = states.create(config, mesh)
        batch, fused = full_batch(config), config.run.fused
        if fused > 1:
            batch = Batch(*(np.stack([leaf] * fused) for leaf in batch))
        self.batch = parallel.place(batch, mesh)

    def __call__(self) -> Metrics:
        for _ in range(self.steps - 1):
            self.state, _ = self.step(self.state, self.batch)
        self.state, metrics_of_step = self.step(self.state, self.batch)
        return metrics_of_step

    def memory(self) -> dict[str, int]:
        """As `metrics.memory`; after a call it costs nothing, as the program is there."""
        return metrics.memory(self.step.lower(self.state, self.batch).compile())

    @property
    def tokens(self) -> int:
        """Of one call."""
        rows = self.config.run.fused * self.config.data.batch
        return self.steps * rows * self.config.data.length


def compiled(config: Config) -> jax.stages.Compiled:
    """The step, without a state or a batch."""
    mesh = parallel.device_mesh()
    batch = parallel.abstract_batch(config, mesh)
    return build(config, mesh).lower(states.abstract(config, mesh), batch).compile()


def temporary(config: Config) -> int:
    """Bytes that a step needs besides its arguments and results."""
    return metrics.memory(compiled(config))["temporary"]
