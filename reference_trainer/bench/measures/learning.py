"""A short run on the standard library's functions, beside n-grams on the same held-out bytes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from reference_trainer.baselines import baselines
from reference_trainer.bench.row import Row, Size
from reference_trainer.config import Compute, Config, Data, Model, Optimizer, Run
from reference_trainer.data.corpus import load
from reference_trainer.train import loop

SECONDS = {"gpu": 60}
CONFIG = Config(
    model=Model(width=512, depth=8, head_width=64),
    compute=Compute(dtype="bfloat16", layers="scan"),
    data=Data(length=512, batch=64, loader="simple"),
    optimizer=Optimizer(learning_rate=1e-3, warmup=60),
    run=Run(steps=600, eval_every=600, save_every=600),
)


def measure(size: Size) -> Iterator[Row]:
    config = CONFIG
    if size.quick:
        config = CONFIG.replace(
            model={"width": 64, "depth": 1},
            data={"limit": 200, "length": 128, "batch": 8},
            run={"steps": 8, "eval_every": 8, "save_every": 8},
        )
    corpus = load(config.data)
    counted = baselines(corpus, orders=(0, 3, 5), compress=False)
    job, start = loop.prepare(config, corpus), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        score = loop.train(job, Path(folder)).score
    seconds = time.perf_counter() - start
    assert score is not None  # the last step evaluates
    bars = ", ".join(f"{name} {bits:.3f}" for name, bits in counted.items())
    name = f"held-out bits per byte after {config.run.steps} steps"
    target = size.pick("", "", f"<= {counted['order-5']:.4f}")
    yield Row(name, score.bits, "", target, f"{seconds:.0f} s; {bars}")
