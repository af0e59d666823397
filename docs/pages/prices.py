"""The price of a gotcha in words."""

from __future__ import annotations

import re
from typing import Any

from pages.catalogue import Gotcha
from pages.measured import examples, price

SAME = 1.15  # a ratio below is noise
NOT_MEASURED = "not measured"
ANOTHER, ERROR = "another result", "an error"
SENTENCES = {
    NOT_MEASURED: "Not measured.",
    ANOTHER: "Neither time nor memory: the result is another one.",
    ERROR: "The run: it ends with the error.",
}


def short(gotcha: Gotcha) -> str:
    """For the index."""
    cpu = price(gotcha.name).get("cpu")
    if cpu is None:
        return without(gotcha)
    parts = []
    if "bytes" in cpu:
        parts.append(f"{size(cpu['bytes']['bad'])} instead of {size(cpu['bytes']['good'])}")
    if "seconds" in cpu:
        parts.insert(0, _step(cpu))
    return ", ".join(parts)


def without(gotcha: Gotcha) -> str:
    """What it costs instead of time or memory."""
    if said := gotcha.sections.get("The price"):
        first = re.split(r"[.;](?:\s|$)", " ".join(said.split()), maxsplit=1)[0]
        return first[0].lower() + first[1:]
    shown = examples(gotcha.name)
    if any(each.shown[0].get("true") for each in shown):
        return ANOTHER
    return ERROR if any(each.error for each in shown) else NOT_MEASURED


def _step(cpu: dict[str, Any]) -> str:
    bad, good = (cpu["compiles"][kind] for kind in ("bad", "good"))
    ratio = cpu["seconds"]["bad"] / cpu["seconds"]["good"]
    if bad >= 0.9 and not good:
        return f"compiles at every step: {times(ratio)} per step"
    if bad >= good + 0.9:
        return f"{bad:g} compiles instead of {good:g}: {times(ratio)}"
    return f"{times(ratio)} per step" if ratio > SAME else "no more time on CPU"


def section(gotcha: Gotcha) -> str:
    """The page's own."""
    found = price(gotcha.name)
    if not found:
        return gotcha.sections.get("The price") or SENTENCES[without(gotcha)]
    cpu, where = found["cpu"], found["measured_with"]
    lines = []
    if "seconds" in cpu:
        lines.append(_sentence(cpu))
    if "bytes" in cpu:
        bad, good = (size(cpu["bytes"][kind]) for kind in ("bad", "good"))
        title = "" if "seconds" in cpu else f"{cpu['step']} "
        lines.append(f"{title}Bytes of {cpu['bytes_of']}: {bad} instead of {good}.")
    how = "CPU time of the process, bad and good in turn in one run" if "seconds" in cpu else "CPU"
    lines.append(
        f"{how}, jax {where['jax']}, Python {where['python']} "
        f"(`benchmarks/prices/{gotcha.name.replace('-', '_')}.py`)."
    )
    lines.append(_on_a_gpu(found["gpu"]))
    return "\n\n".join(lines)


def _compared(taken: dict[str, float], where: str = "") -> str:
    """Bad against good."""
    ratio = taken["bad"] / taken["good"]
    spent = f"{seconds(taken['bad'])} instead of {seconds(taken['good'])}"
    if ratio > SAME:
        return f"**{times(ratio)}** the time ({spent})"
    if ratio < 1 / SAME:
        return f"no more time{where}, but less ({spent})"
    return f"no difference{where} ({spent})"


def _on_a_gpu(gpu: dict[str, Any] | None) -> str:
    """What the same bad and good code takes there, by the wall clock."""
    if gpu is None or "seconds" not in gpu:
        return "On a GPU: not measured."
    text, where = _compared(gpu["seconds"]), gpu["measured_with"]
    return (
        f"On a GPU ({where['device']}, wall clock, jax {where['jax']}, Python {where['python']}): "
        f"{text}."
    )


def _sentence(cpu: dict[str, Any]) -> str:
    text = _compared(cpu["seconds"], " on a CPU")
    more = [cpu["compiles"][kind] for kind in ("bad", "good")]
    compiles = f"; compiles: {more[0]:g} instead of {more[1]:g}" if more[0] != more[1] else ""
    return f"{cpu['step']} Bad against good: {text}{compiles}."


def times(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):,g}x" if ratio < 1e6 else f"{ratio:.2g}x"


def seconds(value: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * factor >= 1:
            return (
                f"{value * factor:.2g} {unit}"
                if value * factor < 100
                else (f"{value * factor:.0f} {unit}")
            )
    return "less than 1 us"


def size(value: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= factor:
            return f"{float(f'{value / factor:.3g}'):g} {unit}"
    return f"{value} bytes"
