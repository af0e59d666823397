"""A loader that waits as long as a step takes: one after the other, and at the same time.

Wall clock, as waiting costs no CPU seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import jax

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size
from reference_trainer import parallel
from reference_trainer.data.batch import Batch
from reference_trainer.data.batching import Batches
from reference_trainer.data.loader import SimpleLoader
from reference_trainer.data.prefetch import prefetch
from reference_trainer.train.step import Metrics

SECONDS = {"cpu": 120}


class Waiting(SimpleLoader):
    """As if the batch came over a network."""

    seconds = 0.0

    def __next__(self) -> Batch:
        time.sleep(self.seconds)
        return super().__next__()


def measure(size: Size) -> Iterator[Row]:
    depth, batch = size.pick((1, 4), (2, 16), (2, 16))
    config = cases.small(width=128, depth=depth, length=128, batch=batch)
    train, steps = cases.Training(config), size.pick(4, 10, 10)
    batches = Batches(cases.counting(count=256, longest=128).train, config.data, shuffle=True)
    plain = clock.best({"step": train}, size.rounds, clock=time.perf_counter)["step"]

    def loader() -> Waiting:
        made = Waiting(batches, config.data, {"next_index": 0})
        made.seconds = plain
        return made

    calls = {
        "in turns": lambda: _in_turns(train, loader(), steps),
        "ahead": lambda: _ahead(train, loader(), steps),
    }
    best = clock.best(calls, size.rounds, clock=time.perf_counter)
    yield Row(
        "prefetched / one after the other, I/O wait = step",
        best["ahead"] / best["in turns"],
        "x",
        size.pick("", "<= 0.75", ""),
        f"{plain * 1e3:.0f} ms each, {steps} steps, wall",
    )


def _place(batch: Batch) -> Batch:
    return parallel.place(batch, parallel.device_mesh())


def _in_turns(train: cases.Training, loader: Iterator[Batch], steps: int) -> None:
    """As it is often written: read, compute, look at the loss."""
    for _ in range(steps):
        train.batch = _place(next(loader))
        # gotcha: allow[host-read-every-step] this is what `_ahead` is compared with
        jax.block_until_ready(train())


def _ahead(train: cases.Training, loader: Waiting, steps: int) -> None:
    """As `train/loop.py` does it: the loss of a step is read when the next one was sent."""
    sent: list[Metrics] = []
    with prefetch(loader, _place, 2) as stream:
        for _ in range(steps):
            train.batch, _ = next(stream)
            sent.append(train())
            if len(sent) > 1:
                jax.device_get(sent.pop(0))
    jax.device_get(sent)
