"""The 124M step in JAX and in PyTorch, of one shape and in one process, where PyTorch is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from reference_trainer import machine
from reference_trainer.bench import cases, clock
from reference_trainer.bench.row import Row, Size, unmeasured
from reference_trainer.presets import PRESETS

SECONDS = {"gpu": 110}


def measure(size: Size) -> Iterator[Row]:
    name = "tokens/s, ours / torch"
    try:
        from reference_trainer.bench.rivals import torch_gpt
    except ImportError as error:
        yield unmeasured(name, error)
        return
    config, _ = machine.fitting_attention(PRESETS["h200_124m"])
    if size.quick:
        config, _ = machine.fitting_attention(cases.shrunk(config))
    steps = size.pick(1, 1, 5)
    calls: dict[str, Callable[[], Any]] = {"ours": cases.Training(config, steps)}
    for kind in ("eager", "compiled"):
        try:
            train = torch_gpt.Training(config, steps, kind == "compiled")
            train()
            calls[kind] = train
        except Exception as error:  # torch.compile needs a compiler of its own
            yield unmeasured(f"{name}, {kind}", error)
    best = clock.best(calls, size.rounds)
    tokens = steps * config.data.batch * config.data.length
    for kind in [kind for kind in ("eager", "compiled") if kind in best]:
        yield Row(f"tokens/s, torch {kind}", tokens / best[kind])
    theirs = min(seconds for kind, seconds in best.items() if kind != "ours")
    target = size.pick("", "", ">= 0.85")
    yield Row(name, theirs / best["ours"], "x", target, "the faster of torch's")
