"""Event files for TensorBoard: beside the curves of a training, in a run of their own.

The step of a value is the second of the run, and its time is the wall clock.
"""

from __future__ import annotations

from pathlib import Path

from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.words import place

EXTRA = "tensorboard"


def write(run: Run, path: Path) -> None:
    """Into the folder `path`. Raises ImportError without the library."""
    from tensorboardX import SummaryWriter

    began = float(run.start.get("time", 0.0))
    with SummaryWriter(str(path)) as writer:

        def scalar(name: str, value: float, at: float) -> None:
            writer.add_scalar(f"gotcha/{name}", value, int(at), walltime=began + at)

        compiles, seconds = 0, 0.0
        for program in run.programs:
            compiles += "compile" in program["seconds"] and program["cached"] is not True
            seconds += sum(program["seconds"].values())
            scalar("compiles", compiles, program["at"])
            scalar("seconds compiling", seconds, program["at"])
        for sample in run.memory:
            scalar("bytes of live arrays", sample["bytes"], sample["at"])
            scalar("bytes of the process", sample["resident"], sample["at"])
        lines = [
            f"- **{found.name}** at `{place(found.site)}`: {found.message}"
            for found in (*run.problems, *run.notes)
        ]
        writer.add_text("gotcha/findings", "\n".join(lines) or "no findings", int(run.last))
