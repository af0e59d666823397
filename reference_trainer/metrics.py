"""Speed, memory and how much of the machine is used, by formulas and not by the compiler's count.

Wrong: `compiled.cost_analysis()["flops"]` for utilisation: it counts the body of a scan once.
Wrong: the peak with sparsity, or padding counted as work.
Right: operations counted from the shapes, the dense peak of the type in use, useful tokens only.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import jax

from reference_trainer.config import Config
from reference_trainer.run.peaks import peak


def parameters(tree: Any) -> int:
    """Number of elements in a tree of arrays."""
    return sum(leaf.size for leaf in jax.tree.leaves(tree))


def flops_per_token(config: Config, length: int | None = None) -> float:
    """Of one training step, per token: 6 for each weight of a matrix, plus mixing over steps.

    Attention is counted in full, 12 L D T, not halved for causality (as in nanoGPT and PaLM,
    arXiv:2204.02311 B), recomputation is not; state space layers by arXiv:2405.21060 section 6.
    """
    model, compute = config.model, config.compute
    length = length or config.data.length
    width, inner = model.width, 2 * model.width
    span = min(length, model.window) if model.window else length
    mixed = inner + 2 * model.state
    weights = {
        "attention": (4 + 2 * model.mlp) * width**2,
        "ssm": width * (inner + mixed + inner // model.head_width) + inner * width,
    }
    chunk = min(compute.ssm_chunk, length)
    mixing = {
        "attention": 2 * 2 * span * width,
        "ssm": 2 * (chunk * model.state + chunk * inner + 2 * model.state * inner),
    }
    kinds = [model.pattern[i % len(model.pattern)] for i in range(model.depth)]
    head = sum(model.heads) * width
    forward = 2 * head + sum(2 * weights[kind] + mixing[kind] for kind in kinds)
    return 3.0 * forward  # the way back costs twice the way forth


def utilisation(config: Config, flops_per_second: float) -> tuple[float, str] | None:
    """Model FLOPs utilisation of all devices, and the peak it refers to."""
    found = peak(jax.devices()[0].device_kind, config.compute.dtype)
    if found is None:
        return None
    name, operations = found
    return flops_per_second / (operations * jax.device_count()), name


def memory(compiled: Any = None) -> dict[str, int]:
    """Bytes: what a compiled step asks for, and the most a device held so far where it says so."""
    report = {}
    if compiled is not None and (analysis := compiled.memory_analysis()) is not None:
        report["arguments"] = analysis.argument_size_in_bytes
        report["shared with results"] = analysis.alias_size_in_bytes
        report["temporary"] = analysis.temp_size_in_bytes
    stats = jax.local_devices()[0].memory_stats() or {}
    if "peak_bytes_in_use" in stats:
        report["most in use"] = stats["peak_bytes_in_use"]
    return report


def host_memory() -> int:
    """Bytes: the most this process has held so far. On a CPU the arrays are among them."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Compiles:
    """Counts the programs that XLA compiles or loads from the cache, by JAX's public events."""

    EVENT = "/jax/core/compile/backend_compile_duration"

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0
        jax.monitoring.register_event_duration_secs_listener(self._heard)

    def _heard(self, event: str, duration_secs: float, **kwargs: str | int) -> None:
        if event == self.EVENT:
            self.count += 1
            self.seconds += duration_secs
