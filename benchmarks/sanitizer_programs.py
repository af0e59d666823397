"""Run public training scripts, unchanged and on the CPU, with and without the sanitizer.

    python -m benchmarks.sanitizer_programs --sources CLONES  writes results/sanitizer_programs.json
    python -m benchmarks.sanitizer_programs --only seq2seq   that one again, the others as before
    python -m benchmarks.sanitizer_programs --table          the table of docs/sanitizer.md

`sanitizer_programs.json` holds the scripts, their arguments and, made by hand, a verdict on every
finding and what a reader of the program finds and the sanitizer does not. A script is from a
release that `ecosystem.json` pins, or from `repository` at `commit`: of a clone in CLONES, else it
is fetched. The code cells of a notebook are run as a script. `settings` makes numbers that are
fixed in a script smaller, and nothing else. These programs are run, not only read: the packages
that they import are in the file of `programs/` that `requirements` names, the
sanitizer is installed beside them (`pip install .`), and the interpreter that runs this one runs
them. So one call of this runs the programs of one `requirements` file: `--requirements`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.measure import Run, run

PROGRAMS = corpus.HERE / "sanitizer_programs.json"
STAND_INS = corpus.HERE / "programs"
RESULT = "sanitizer_programs.json"
ADDRESS = "https://github.com/{}"
COPIED = ("name", "file", "steps", "counted", "checkpoints", "data", "remark")
# A line of output that tells a time is not compared.
TIMED = re.compile(r"time|second|\bsps\b|\bdone in\b|\d{2}:\d{2}|\d{8}_\d{6}", re.IGNORECASE)


@dataclass(frozen=True)
class Program:
    """One script and how it is run; `{work}` and `{here}` stand for folders in its arguments."""

    name: str
    project: str  # a name of `ecosystem.json`, or the folder of a clone
    file: str  # the training script; what is started is `start`, where that is another file
    steps: int
    counted: str  # what a step is
    arguments: Sequence[str]
    data: str
    tells: str = ""  # the numbers that a run prints or logs: they have to be the same
    clock: str = ""  # what in a line of output is a time, besides the words of `TIMED`
    saves: str = ""  # files in {work} that hold what was trained: these too
    folders: Sequence[str] = ()  # in {work}, which the program expects to be there
    checkpoints: bool = False
    start: str = ""
    module: str = ""  # started as `python -m`, with the repository on the path
    moved: dict[str, str] = field(
        default_factory=dict
    )  # folders that an installation has elsewhere
    requirements: str = "requirements.txt"
    stand_in: str = ""  # a folder of `programs/` that takes the place of a source of data
    settings: dict[str, str] = field(
        default_factory=dict
    )  # text of the script -> what it is in the run: its own numbers, made smaller
    repository: str = ""
    commit: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    exit_code: int = 0
    remark: str = ""  # what a reader of the table has to know


def programs(only: Sequence[str] = (), requirements: str = "") -> list[Program]:
    found = [Program(**row) for row in _rows("programs")]
    if unknown := set(only) - {each.name for each in found}:
        raise SystemExit(f"not in {PROGRAMS.name}: {', '.join(sorted(unknown))}")
    found = [each for each in found if not only or each.name in only]
    return [each for each in found if not requirements or each.requirements == requirements]


def verdicts() -> dict[tuple[str, str, str, int], dict[str, Any]]:
    """By program, finding (`name/cause`), file and line."""
    rows = _rows("verdicts")
    return {(row["program"], row["finding"], row["file"], row["line"]): row for row in rows}


def _rows(kind: str) -> list[dict[str, Any]]:
    return json.loads(PROGRAMS.read_text(encoding="utf-8"))[kind]


def folder_of(program: Program, cache: Path, clones: Path | None) -> Path:
    """Where the pinned sources lie, fetched if need be."""
    if not program.repository:
        ((_, place),) = corpus.fetch(corpus.pinned([program.project]), cache)
        if isinstance(place, str):
            raise corpus.FetchError(place)
        return place
    folder = clones / program.project if clones else fetched(program, cache)
    changed = _git(folder, "status", "--porcelain", "-uno", "--", str(Path(program.file).parent))
    if changed or _git(folder, "rev-parse", "HEAD") != program.commit:
        raise corpus.FetchError(f"{folder} is not {program.repository} at {program.commit}")
    return folder


def fetched(program: Program, cache: Path) -> Path:
    """The repository at the pinned commit, and nothing of its history."""
    folder = cache / f"{program.project}-{program.commit[:10]}"
    if not (folder / ".git").exists():
        folder.mkdir(parents=True)
        _git(folder, "init", "-q")
    if program.commit not in _git(folder, "log", "--all", "--format=%H"):
        address = ADDRESS.format(program.repository)
        _git(folder, "fetch", "-q", "--depth=1", address, program.commit)
        _git(folder, "checkout", "-q", "FETCH_HEAD")
    return folder


def laid_out(program: Program, folder: Path, place: Path) -> Path:
    """Where the program is run from: a copy, where it is a notebook or parts of it are moved."""
    if not program.moved and not program.settings and not program.file.endswith((".ipynb", ".md")):
        return folder
    for before, after in program.moved.items():
        shutil.copytree(folder / before, place / after, dirs_exist_ok=True)
    for file in (program.file, program.start):
        if file.endswith((".ipynb", ".md")) or (file == program.file and program.settings):
            script = place / Path(file).with_suffix(".py")
            script.parent.mkdir(parents=True, exist_ok=True)
            script.write_text(_set(as_script(folder / file), program.settings), encoding="utf-8")
    return place


def _set(text: str, settings: dict[str, str]) -> str:
    """The script with smaller numbers; each text that is replaced has to be there."""
    for before, after in settings.items():
        if before not in text:
            raise SystemExit(f"there is no {before!r} to set")
        text = text.replace(before, after)
    return text


def as_script(notebook: Path) -> str:
    """The code cells, one after the other; what is no Python (`!pip`, `%magic`) does nothing."""
    text = notebook.read_text(encoding="utf-8")
    if notebook.suffix == ".py":
        return text
    if notebook.suffix == ".md":  # MyST: fenced cells, with options on lines that begin with `:`
        found = re.findall(r"^```\{code-cell\}.*\n((?:.*\n)*?)```$", text, re.MULTILINE)
        cells = [re.sub(r"\A(?::.*\n)+", "", cell) for cell in found]
    else:
        held = json.loads(text)["cells"]
        cells = ["".join(cell["source"]) for cell in held if cell["cell_type"] == "code"]
    cells = [
        re.sub(r"^([ \t]*)(?=[%!])", r"\1pass  # ", cell, flags=re.MULTILINE) for cell in cells
    ]
    return "\n\n".join(cell.strip("\n") for cell in cells) + "\n"


def started(program: Program, folder: Path) -> list[str]:
    """What follows the interpreter on the command line."""
    if program.module:
        return ["-m", program.module]
    file = folder / (program.start or program.file)
    return [str(file.with_suffix(".py"))]


def _git(folder: Path, *command: str) -> str:
    return subprocess.check_output(["git", "-C", str(folder), *command], text=True).strip()


def release(program: Program) -> str:
    return program.commit or corpus.pinned([program.project])[0].version


def once(program: Program, folder: Path, work: Path, watched: bool, limit: float) -> Run:
    """Run it in a folder with nothing but the empty `folders` that it expects."""
    for folder_name in ("", *program.folders):
        (work / folder_name).mkdir()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GOTCHA_", "PYTHONPATH"))}
    env |= {"JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"}
    env |= {name: value.format(work=work) for name, value in program.environment.items()}
    path = [str(STAND_INS / program.stand_in)] if program.stand_in else []
    path += [str(folder)] if program.module or program.moved else []
    if path:
        env["PYTHONPATH"] = os.pathsep.join(path)
    if watched:
        record = work.with_name(work.name + "-%p.jsonl")
        env |= {"GOTCHA_SANITIZE": "1", "GOTCHA_OPTIONS": f"log_path={record}:quiet=1"}
    arguments = [each.format(work=work, here=folder) for each in program.arguments]
    command = [sys.executable, *started(program, folder), *arguments]
    return run(command, cwd=work, limit=limit, env=env)


def told(program: Program, done: Run, work: Path) -> tuple[list[str], list[str]]:
    """What has to be the same: the lines of a run's output that tell no time; then its results,
    which are the numbers that it logs and the files that it saves."""
    text = done.output.replace(str(work), "{work}")
    text = re.sub(program.clock, "", text, flags=re.MULTILINE) if program.clock else text
    lines = [line for line in text.splitlines() if not TIMED.search(line)]
    numbers = re.findall(program.tells, text + done.errors) if program.tells else []
    files = sorted(work.glob(program.saves)) if program.saves else []
    return lines, [*map(str, numbers), *map(corpus.digest, files)]


def recorded(records: Iterable[Path], folder: Path) -> dict[str, Any]:
    """What the sanitizer said: of a finding that grew the last; notes apart."""
    found: dict[str, dict[str, Any]] = {}
    degraded: set[str] = set()
    compiles = 0
    for record in records:
        for line in record.read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            if event["event"] == "finding":
                found[event["id"]] = event
            elif event["event"] == "degraded":
                degraded.add(f"{event['feature']}: {event['why']}")
            elif event["event"] == "summary":
                compiles += event["compiles"]
    rows = [described(event, folder) for event in found.values()]
    rows.sort(key=lambda row: (row["file"], row["line"], row["finding"]))
    return {
        "compiles": compiles,
        "findings": [row for row in rows if row["severity"] != "info"],
        "notes": [row for row in rows if row["severity"] == "info"],
        "degraded": sorted(degraded),
    }


def described(event: dict[str, Any], folder: Path) -> dict[str, Any]:
    path = Path(event["path"])
    return {
        "finding": f"{event['name']}/{event['cause']}".rstrip("/"),
        "severity": event["severity"],
        "file": path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name,
        "line": event["line"],
        "count": event["count"],
        "seconds": round(event["seconds"], 1),
        "message": event["message"],
    }


def measured(program: Program, folder: Path, limit: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name).resolve()
        tree = laid_out(program, folder, scratch / "tree")
        on = once(program, tree, scratch / "on", True, limit)
        off = once(program, tree, scratch / "off", False, limit)
        results = [told(program, *each) for each in ((off, scratch / "off"), (on, scratch / "on"))]
        records = sorted(scratch.glob("*.jsonl"))
        assert records, "the sanitizer said nothing: is it installed in this environment?"
        said = recorded(records, tree)
    if off.code != program.exit_code:
        print(off.errors[-2000:], file=sys.stderr)
    return {
        **{name: getattr(program, name) for name in COPIED},
        "project": program.repository or program.project,
        "version": release(program),
        "python": platform.python_version(),
        "jax": version("jax"),
        "lines": corpus.line_count([folder / program.file]),
        "exit_codes": [off.code, on.code],
        "results_compared": len(results[0][1]),
        "same_output": bool(results[0][1]) and results[0] == results[1],
        "seconds": [round(off.wall, 1), round(on.wall, 1)],
        "cpu_seconds": [round(off.cpu, 1), round(on.cpu, 1)],
        **said,
    }


def unchanged(row: dict[str, Any]) -> bool:
    """It ended as without the sanitizer, and said and learned the same."""
    return row["same_output"] and len(set(row["exit_codes"])) == 1


def table(rows: Iterable[dict[str, Any]]) -> str:
    """Markdown, for docs/sanitizer.md."""
    judged = verdicts()
    head = "| script | lines | steps | same result | CPU time, off -> on | findings |"
    lines = [head, "| --- " * (head.count("|") - 1) + "|"]
    for row in rows:
        found = [
            f"{each['finding']} at {Path(each['file']).name}:{each['line']}"
            f" ({judged[row['name'], each['finding'], each['file'], each['line']]['verdict']})"
            for each in row["findings"]
        ]
        cells = [
            f"{row['project']} {row['version'][:10]}, `{row['file']}`",
            str(row["lines"]),
            f"{row['steps']} {row['counted']}" + ", checkpoints" * row["checkpoints"],
            "yes" if unchanged(row) else "no",
            " -> ".join(f"{each:.0f} s" for each in row["cpu_seconds"]),
            "; ".join(found) or "none",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def share(rows: Iterable[dict[str, Any]]) -> str:
    """How many of the warnings and errors are worth a user's time."""
    judged = verdicts()
    found = [
        judged[row["name"], each["finding"], each["file"], each["line"]]["verdict"]
        for row in rows
        for each in row["findings"]
    ]
    counts = ", ".join(f"{found.count(kind)} {kind}" for kind in ("true", "minor", "false"))
    return f"{len(found)} warnings and errors: {counts}."


def missed() -> str:
    """Markdown: what a reader of a program finds, and no warning says."""
    return "\n".join(
        f"- {row['program']}, `{Path(row['file']).name}:{row['line']}`: {row['what']}"
        for row in _rows("missed")
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=corpus.DEFAULT_CACHE)
    parser.add_argument("--sources", type=Path, metavar="CLONES", help="folder of the clones")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--requirements", default="requirements.txt", metavar="FILE")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one run")
    parser.add_argument("--table", action="store_true")
    user = parser.parse_args()
    if user.table:
        print(table(_written()), share(_written()), missed(), sep="\n\n")
        return 0
    rows = {row["name"]: row for row in _written()}
    for program in programs(user.only, user.requirements):
        folder = folder_of(program, user.cache.expanduser(), user.sources)
        rows[program.name] = measured(program, folder, user.limit)
        print(json.dumps(rows[program.name], indent=1, ensure_ascii=False), flush=True)
        rows = {each.name: rows[each.name] for each in programs() if each.name in rows}
        corpus.write_result(RESULT, {"programs": list(rows.values())})
    return 0 if all(map(unchanged, rows.values())) else 1


def _written() -> list[dict[str, Any]]:
    path = corpus.RESULTS / RESULT
    return json.loads(path.read_text(encoding="utf-8"))["programs"] if path.exists() else []


if __name__ == "__main__":
    raise SystemExit(main())
