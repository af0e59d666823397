"""The 124M step in JAX and in PyTorch, of one shape and in one process, where PyTorch is there."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size, unmeasured
from reference_trainer.run import kernels
from reference_trainer.run.presets import PRESETS

SECONDS = {"gpu": 60}


def measure(size: Size) -> Iterator[Row]:
    try:
        from benchmarks.trainer.rivals import torch_gpt
    except ImportError as error:
        yield unmeasured("tokens/s, ours / torch", error)
        return
    config = PRESETS["h200_124m"]
    config, reason = kernels.fitting(cases.shrunk(config) if size.quick else config)
    ours = cases.Training(config, size.pick(1, 1, 2))
    for kind in ("eager", "compiled"):
        try:
            theirs = torch_gpt.Training(config, ours.steps, kind == "compiled")
            best = clock.best({"ours": ours, "theirs": theirs}, size.rounds)
        except Exception as error:  # torch.compile needs a compiler of its own
            yield unmeasured(f"tokens/s, ours / torch {kind}", error)
            continue
        first, last = theirs.losses
        yield Row(f"loss, torch {kind}, last / first", float(last / first), "x", "<= 0.999")
        yield Row(f"tokens/s, torch {kind}", ours.tokens / best["theirs"])
        ratio, target = best["theirs"] / best["ours"], size.pick("", "", ">= 0.85")
        yield Row(f"tokens/s, ours / torch {kind}", ratio, "x", target, reason)
