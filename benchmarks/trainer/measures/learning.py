"""Whether it learns: short runs beside the counting baselines on the same held-out targets.

On a CPU the presets as they are, and whether the model is worse when the context is shuffled; on a
GPU a larger model for a minute.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Compute, Config, Data, DataError, Model, Optimizer, Run
from reference_trainer.extras.baselines import baselines
from reference_trainer.run.presets import PRESETS
from reference_trainer.run.report import context
from reference_trainer.sources import load
from reference_trainer.train import loop

SECONDS = {"cpu": 2400, "gpu": 60}
BARS = {"cpu_smoke": "order-1", "cpu": "order-3", "chorales": "markov"}  # what has to be beaten
MARGIN = {"chorales": 0.3}  # bits
GPU = Config(
    model=Model(width=512, depth=8, head_width=64),
    compute=Compute(dtype="bfloat16", layers="scan"),
    data=Data(length=512, batch=64, loader="simple"),
    optimizer=Optimizer(learning_rate=1e-3, warmup=60),
    run=Run(steps=600, eval_every=600, save_every=600),
)


def measure(size: Size) -> Iterator[Row]:
    if size.platform == "gpu":
        yield from _learned("gpu", _short(GPU) if size.quick else GPU, "order-5", 0.0, size.quick)
        return
    for name in ("cpu_smoke",) if size.quick else BARS:
        config = _short(PRESETS[name]) if size.quick else PRESETS[name]
        yield from _learned(name, config, BARS[name], MARGIN.get(name, 0.0), size.quick)


def _short(config: Config) -> Config:
    return config.replace(
        model={"width": 64, "depth": 2},
        data={"limit": 200, "length": 128, "batch": 8},
        run={"steps": 8, "eval_every": 8, "save_every": 8},
    )


def _learned(name: str, config: Config, bar: str, margin: float, quick: bool) -> Iterator[Row]:
    try:
        corpus = load(config.data)
    except DataError as error:  # a set of the user's own that is not installed
        yield Row(f"{name}: held-out bits", None, note=str(error))
        return
    counted = baselines(corpus, compress=False)
    job, start = loop.prepare(config, corpus), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = loop.train(job, Path(folder))
    seconds = time.perf_counter() - start
    assert result.score is not None  # the last step evaluates
    bars = ", ".join(f"{name} {value:.3f}" for name, value in counted.items())
    target = "" if quick else f"<= {counted[bar] - margin:.4f}"
    title = f"{name}: held-out bits after {config.run.steps} steps"
    yield Row(title, result.score.bits, "", target, f"{seconds:.0f} s; {bars}")
    if (held := counted.get("hold-last accuracy")) is not None:
        target = "" if quick else f">= {held + 0.03:.4f}"
        yield Row(f"{name}: accuracy", result.score.accuracy, "", target, "3 points over holding")
        return
    plain, shuffled = context(job, result.state.params)
    target = "" if quick else ">= 0.1"
    yield Row(f"{name}: bits lost when the context is shuffled", shuffled - plain, "", target)
