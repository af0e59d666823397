"""The same five losses on one device, on four, and in two processes; and the memory of each."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

from reference_trainer.bench import process
from reference_trainer.bench.row import Row, Size

SECONDS = {"cpu": 90}


def measure(size: Size) -> Iterator[Row]:
    one, four, whole = _run("dp", 1), _run("dp", 4), _run("fsdp", 4)
    yield Row("largest relative difference of 5 losses, DP on 4", _apart(four, one), "", "<= 1e-5")
    yield Row("the same, FSDP on 4", _apart(whole, one), "", "<= 1e-5")
    note = f"one device: {one['bytes'] / 2**10:.0f} KiB"
    ratio = whole["bytes"] / one["bytes"]
    yield Row("argument bytes of a device, FSDP on 4 / one", ratio, "x", "<= 0.3", note)
    yield Row("largest relative difference, 2 processes", _apart(_pair(), one), "", "<= 1e-5")


def _run(kind: str, devices: int) -> dict[str, Any]:
    return process.result(process.start("programs.losses", kind, "none", **_flags(devices)))


def _pair() -> dict[str, Any]:
    """Two processes of one run; each has the loss over both of their rows."""
    spec = f"localhost:{_free_port()},2"
    both = [
        process.start("programs.losses", "dp", f"{spec},{i}", **_flags(1)) for i in range(2)
    ]
    first, _ = [process.result(running) for running in both]
    return first


def _flags(devices: int) -> dict[str, str]:
    flags = f"--xla_force_host_platform_device_count={devices}"
    return {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}


def _free_port() -> int:
    with contextlib.closing(socket.socket()) as found:
        found.bind(("localhost", 0))
        return found.getsockname()[1]


def _apart(found: dict[str, Any], right: dict[str, Any]) -> float:
    pairs = zip(found["losses"], right["losses"], strict=True)
    return max(abs(a - b) / abs(b) for a, b in pairs)
