"""Speed, memory and how much of the machine is used, by formulas and not by the compiler's count.

Wrong: `compiled.cost_analysis()["flops"]` for utilisation: it counts the body of a scan once, and
is off by the number of layers. Wrong: the peak with sparsity, or padding counted as work.
Right: operations counted from the shapes, the dense peak of the type in use, useful tokens only.
"""

from __future__ import annotations

import re
from typing import Any

import jax

from reference_trainer.config import Config

# Dense peaks in TFLOP/s by (device, type of the matrices), from the makers' data sheets.
PEAKS: dict[tuple[str, str], float] = {
    ("A100", "bfloat16"): 312.0,
    ("A100", "float32"): 156.0,  # TF32
    ("L4", "bfloat16"): 121.0,
    ("L40S", "bfloat16"): 362.0,
    ("H100", "bfloat16"): 989.0,  # SXM; less on a PCIe card
    ("H100", "float32"): 494.0,  # TF32
    ("H200", "bfloat16"): 989.0,
    ("H200", "float32"): 494.0,  # TF32
    ("B200", "bfloat16"): 2250.0,
    ("RTX 4090", "bfloat16"): 165.0,
}


def parameters(tree: Any) -> int:
    """Number of elements in a tree of arrays."""
    return sum(leaf.size for leaf in jax.tree.leaves(tree))


def flops_per_token(config: Config, length: int | None = None) -> float:
    """Of one training step, per token: 6 for each weight of a matrix, plus mixing over steps.

    Attention is counted in full, 12 L D T, not halved for causality (the convention of nanoGPT and
    of PaLM, arXiv:2204.02311 B); recomputation is not counted. State space layers: the four
    products of the chunked form, arXiv:2405.21060 section 6.
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


def peak(kind: str, dtype: str) -> tuple[str, float] | None:
    """(name, operations per second) of a device by its `device_kind`; None where unknown."""
    for (name, held), tera in PEAKS.items():
        if re.search(rf"\b{name}\b", kind) and held == dtype:
            return f"{name} {dtype} dense {tera:g} TFLOP/s", tera * 1e12
    return None


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
        report |= {
            "arguments": analysis.argument_size_in_bytes,
            "shared with results": analysis.alias_size_in_bytes,
            "temporary": analysis.temp_size_in_bytes,
        }
    stats = jax.local_devices()[0].memory_stats() or {}
    if "peak_bytes_in_use" in stats:
        report["most in use"] = stats["peak_bytes_in_use"]
    return report


def sizes(tree: Any, name: str = "") -> dict[str, int]:
    """Bytes of each part of a state, by the names of its fields, as "opt_state.1.0.mu".

    The special type comes first: a NamedTuple is a tuple too, and asked for its `tuple` part first
    it would lose its names. (gotcha: general-type-first)
    """
    # gotcha: shows[general-type-first] a NamedTuple is a tuple too
    if hasattr(tree, "_fields"):
        parts = zip(tree._fields, tree, strict=True)
    elif isinstance(tree, tuple):
        parts = enumerate(tree)
    else:
        return {name: sum(leaf.nbytes for leaf in jax.tree.leaves(tree))}
    found = [sizes(part, f"{name}.{key}" if name else str(key)) for key, part in parts]
    return {key: size for part in found for key, size in part.items()}


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
