"""What the engine alone costs: `python engine_speed.py NAME FOLDER` prints one JSON object.

    cold    all forecasts of a project, nothing kept
    warm    nothing has changed
    edit    a function of one file has changed; what was kept of the others comes from the disk
    server  the same in an editor's server, whose engine is still there

The changed file is the largest that no other file imports: what is edited most. Only the work is
timed, not Python's start or imports, nor the rest of a run.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from measure import RSS_UNIT

from gotcha_lint.config.settings import Settings
from gotcha_lint.files.workspace import Workspace, gather
from gotcha_lint.findings.forecast import KeptUnits, Live, foresee
from gotcha_lint.registry import rules
from gotcha_lint.task import RuleOptions, Task


def tasks_of(space: Workspace) -> list[Task]:
    names = frozenset(name for name, rule in rules().items() if rule.module)
    return [Task(path, names, RuleOptions(), Settings().all) for path in space.raw]


def edited(space: Workspace, number: int) -> Workspace:
    """With a statement more in the last function of a file."""
    imported = frozenset[str]().union(*space.links.values())
    scripts = [path for path in space.raw if path not in imported and path.endswith(".py")]
    path = max(scripts or list(space.raw), key=lambda path: len(space.raw[path]))
    text = space.raw[path] + b"\n\ndef _edited(x):\n    return x + %d\n" % number
    return replace(space, raw={**space.raw, path: text})


def work_of(name: str, space: Workspace, tasks: list[Task]) -> Callable[[], object]:
    """What is timed; what comes before it is done here."""
    kept: KeptUnits = {}
    live = Live() if name == "server" else None
    if name != "cold":
        foresee(space, tasks, kept, live)
    if name == "server":
        foresee(edited(space, 1), tasks, kept, live)
    now = space if name in ("cold", "warm") else edited(space, 2)
    return lambda: foresee(now, tasks, kept, live)


def measure(name: str, folder: Path) -> dict[str, float]:
    import resource

    os.chdir(folder)
    space = gather([str(path) for path in sorted(Path().rglob("*.py"))], {}, frozenset(), True)
    work = work_of(name, space, tasks_of(space))
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    seconds = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT / 2**20
    return seconds | {"peak_mib": peak}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
