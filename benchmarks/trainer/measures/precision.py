"""A step in float32, in bfloat16 and with numbers rounded as int8 in training, at width 256.

A CPU has no units for bfloat16, a GPU has.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size

SECONDS = {"cpu": 120, "gpu": 60}
KINDS = {
    "float32": {"dtype": "float32"},
    "bfloat16": {"dtype": "bfloat16"},
    "int8": {"dtype": "float32", "quantise": "int8"},
}


def measure(size: Size) -> Iterator[Row]:
    config = size.pick(
        cases.small(depth=1),
        cases.small(width=256, depth=4, length=256, batch=4),
        cases.small(width=256, depth=4, length=256, batch=256),
    )
    calls = {
        name: cases.Training(config.replace(compute=compute), size.pick(2, 1, 10))
        for name, compute in KINDS.items()
    }
    best = clock.best(calls, size.rounds)
    ratio = best["float32"] / best["bfloat16"]
    data = config.data
    note = f"D{config.model.width} N{config.model.depth} B{data.batch} L{data.length}"
    yield Row("tokens/s, bf16 / fp32", ratio, "x", size.pick("", "", ">= 1"), note)
    yield Row("tokens/s, int8 training / fp32", best["float32"] / best["int8"], "x", "", note)
