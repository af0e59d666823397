"""One compiled step, against the same step operation by operation, and compiled at each call.

Also several steps in one call (`run.fused`), which helps where the host is slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.train import step as steps
from reference_trainer.train.state import TrainState

SECONDS = {"cpu": 120, "gpu": 150}
TIMES = 20  # compiled steps in one measurement
EVERY = {"eval_every": TIMES, "save_every": TIMES}


def measure(size: Size) -> Iterator[Row]:
    jax.config.update("jax_enable_compilation_cache", False)  # a fresh closure must compile
    config = cases.small(depth=size.pick(1, 2, 2))
    train = cases.Training(config, TIMES)

    def eager() -> object:
        return steps.train_step(train.state, train.batch, config)

    fused = cases.Training(config.replace(run={"fused": TIMES, "steps": TIMES, **EVERY}))
    forms = {"jit": train, "fused": fused, "eager": eager}
    forms["fresh"] = lambda: _anew(train.state, train.batch, config)()
    best = clock.best(forms, size.pick(1, 5, 2))
    jitted = best["jit"] / TIMES
    at_least = size.pick("", ">= 8", ">= 50")
    note = f"{jitted * 1e3:.2f} ms a compiled step, D64 N2 B4 L64"
    yield Row("eager / jit", best["eager"] / jitted, "x", at_least, note)
    note = f"{TIMES} steps a call"
    yield Row("fused / jit, time of a step", best["fused"] / best["jit"], "x", note=note)
    yield Row("fresh closure / jit", best["fresh"] / jitted, "x", size.pick("", ">= 50", ">= 50"))


def _anew(state: TrainState, batch: Batch, config: Config) -> Callable[[], object]:
    """The step with the batch built in: the mistake that compiles once for each batch."""
    return jax.jit(lambda: steps.train_step(state, batch, config))
