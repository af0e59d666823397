"""Where the time of a training step goes on this device: kernel by kernel, with their lines.

    python -m benchmarks.trainer.kernels --preset h200_124m [section.name=value ...]

A few steps are traced by JAX's profiler. Each kernel is one operation of the compiled program,
which knows the lines it comes from. The sums by file say which part of the model is slow, the list
below them which kernel of it. On a GPU kernels are launched one by one here, and not as graphs: a
trace shows those as one.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import jax

from benchmarks.trainer import cases, clock
from reference_trainer import metrics, parallel
from reference_trainer.config import Config, UserError
from reference_trainer.run import kernels, machine
from reference_trainer.run.presets import PRESETS
from reference_trainer.run.settings import overridden

OURS = "reference_trainer"
HELPERS = ("precision.py", "model/parts.py")  # the line that calls them says more
FRAMES = 40  # of the calls that lead to an operation; by default 10, which end in a library
STEPS = 3  # that are traced
ONE_BY_ONE = "--xla_gpu_enable_command_buffer="
_TABLE = re.compile(r"^(\d+) (?:\"(?P<text>.*)\"|\{(?P<fields>.*)\})$")
_FIELD = re.compile(r"(\w+)=(\d+)")
_INSTRUCTION = re.compile(r"^ *(?:ROOT )?%?(?P<name>[\w.-]+) = .*metadata=\{(?P<data>[^}]*)\}")
_BACKWARD = re.compile(r"\btranspose\(")


class Kernel(NamedTuple):
    """One operation of the compiled program."""

    name: str
    milliseconds: float  # of one step
    place: str  # file:line of the trainer, and whether it is of the way back


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trainer.kernels", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("settings", nargs="*", metavar="section.name=value")
    parser.add_argument("--preset", default="cpu_smoke", choices=sorted(PRESETS))
    parser.add_argument("--platform", default="auto", choices=("auto", "cpu", "gpu"))
    parser.add_argument("--top", type=int, default=20, metavar="N", help="kernels that are listed")
    args = parser.parse_args(argv)
    try:
        config = overridden(PRESETS[args.preset], args.settings)
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_BY_ONE}"
        machine.choose(args.platform)
        jax.config.update("jax_traceback_in_locations_limit", FRAMES)
    except UserError as error:
        print(f"benchmarks.trainer.kernels: {error}", file=sys.stderr)
        return error.code
    jax.set_mesh(parallel.device_mesh())
    config, reason = kernels.fitting(config)
    print(report(config, args.top, reason))
    return 0


def report(config: Config, top: int, note: str = "") -> str:
    """As text: the speed, the time by file, and the kernels that take most."""
    train = cases.Training(config)
    seconds = clock.best({"step": train}, 5)["step"]
    found = traced(train)
    rate = train.tokens / seconds
    used = metrics.utilisation(config, rate * metrics.flops_per_token(config))
    share = f", {100 * used[0]:.1f} % of {used[1]}" if used else ""
    total = sum(kernel.milliseconds for kernel in found)
    device = jax.devices()[0].device_kind
    lines = [
        f"{device}: {1e3 * seconds:.2f} ms a step, {rate:,.0f} tokens/s{share}",
        f"in kernels: {total:.2f} ms; {note}".rstrip("; "),
    ]
    by_file: dict[str, float] = collections.defaultdict(float)
    for kernel in found:
        by_file[re.sub(r":\d+", "", kernel.place)] += kernel.milliseconds
    files = sorted(by_file.items(), key=lambda found: -found[1])
    lines += [f"{value:9.2f} ms  {place}" for place, value in files]
    lines += ["", *(f"{k.milliseconds:9.2f} ms  {k.name:44} {k.place}" for k in found[:top])]
    return "\n".join(lines)


def traced(train: cases.Training) -> list[Kernel]:
    """The kernels of a step that ran before, the longest first."""
    places = lines_of(train.step.lower(train.state, train.batch).compile().as_text() or "")
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for _ in range(STEPS - 1):
                train()
            jax.block_until_ready(train())
        spent: dict[str, float] = collections.defaultdict(float)
        for trace in Path(folder).rglob("*.xplane.pb"):
            for name, nanoseconds in _events(trace):
                spent[name] += nanoseconds
    return [
        Kernel(name, nanoseconds / 1e6 / STEPS / train.steps, places.get(name, "elsewhere"))
        for name, nanoseconds in sorted(spent.items(), key=lambda found: -found[1])
    ]


def _events(trace: Path) -> Iterator[tuple[str, float]]:
    """Each run of an operation on a device. A GPU's are listed again in lines made of them."""
    planes = list(jax.profiler.ProfileData.from_file(str(trace)).planes)
    devices = [plane for plane in planes if plane.name.startswith("/device:")]
    for plane in devices or planes:
        for line in plane.lines:
            if devices and not line.name.startswith("Stream"):
                continue
            for event in line.events:
                with warnings.catch_warnings(action="ignore"):  # of JAX's own binding
                    operation = dict(event.stats).get("hlo_op")
                if isinstance(operation, str):
                    yield operation, event.duration_ns
                elif devices:
                    yield event.name, event.duration_ns


def lines_of(program: str) -> dict[str, str]:
    """By operation of a compiled program, as text: the innermost line of the trainer's own."""
    tables = _tables(program)
    found = {}
    for line in program.splitlines():
        if not (match := _INSTRUCTION.match(line)):
            continue
        data = match["data"]
        frame = dict(_FIELD.findall(data)).get("stack_frame_id")
        way = " (back)" if _BACKWARD.search(data) else ""
        found[match["name"]] = (_own_line(frame, tables) or "elsewhere") + way
    return found


Tables = Mapping[str, Mapping[str, tuple[str, Mapping[str, str]]]]


def _tables(program: str) -> Tables:
    """The tables of file names, locations and stack frames at the head of the text."""
    tables: dict[str, dict[str, tuple[str, dict[str, str]]]] = {}
    current: dict[str, tuple[str, dict[str, str]]] = {}
    for line in program.splitlines():
        if line in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
            current = tables[line] = {}
        elif match := _TABLE.match(line):
            current[match[1]] = (match["text"] or "", dict(_FIELD.findall(match["fields"] or "")))
    return tables


def _own_line(frame: str | None, tables: Tables) -> str | None:
    frames, places = tables.get("StackFrames", {}), tables.get("FileLocations", {})
    names = tables.get("FileNames", {})
    seen: set[str] = set()
    own = None
    while frame is not None and frame in frames and frame not in seen:
        seen.add(frame)
        fields = frames[frame][1]
        place = places.get(fields.get("file_location_id", ""), ("", {}))[1]
        file = names.get(place.get("file_name_id", ""), ("", {}))[0]
        if OURS in Path(file).parts:
            inside = file.rpartition(f"{OURS}/")[2]
            own = f"{inside}:{place.get('line', '?')}"
            if inside not in HELPERS:
                return own
        frame = fields.get("parent_frame_id")
    return own


if __name__ == "__main__":
    raise SystemExit(main())
