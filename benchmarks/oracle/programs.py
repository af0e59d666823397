"""The programs that are run, set by set: their files, and the one that is started."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.planted import catalogue
from benchmarks.planted import program as hosts
from benchmarks.planted.program import finished, sources
from gotcha_lint.registry import rules

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SANITIZER = ROOT / "tests" / "sanitizer"
FAMILIES = ("retrace", "capture")
"""Of the planted faults those about compiling are run."""
HOSTS = ("eqx_vae", "linen_digits", "nnx_curve", "policy", "raw_lm", "sharded_fit")
_MARK = re.compile(r"[ \t]*#[ \t]*! [\w/, -]+$", re.MULTILINE)
_PLANTED = re.compile(r"^(?P<indent> *)#~ (?P<name>[\w/-]+): (?P<code>.+)$")
_MAGIC = re.compile(r"^(\s*)[%!]", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """A program of one set: texts by relative path, and the file or `-m module` that is started."""

    set: str
    name: str
    files: Mapping[str, str]
    start: str

    @classmethod
    def of(cls, set: str, name: str, text: str) -> Program:
        return cls(set, name, {"train.py": text}, "train.py")


def own() -> Iterator[Program]:
    """All programs of this repository."""
    for make in OWN.values():
        yield from make()


def pages() -> Iterator[Program]:
    """The bad and the good code of every page."""
    for name, info in rules().items():
        for number, example in enumerate(info.examples, 1):
            for kind in ("bad", "good"):
                text = _MARK.sub("", str(example[kind]))
                yield Program.of("pages", f"{name} {number} {kind}", text)
    for file in sorted((EXAMPLES / "gotchas").glob("*/*.py")):
        yield Program.of("pages", f"{file.parent.name} {file.stem}", file.read_text("utf-8"))


def scenarios() -> Iterator[Program]:
    """The programs with which the sanitizer is tested, and those with a planted line."""
    for folder in ("scenarios", "programs", "clean"):
        for file in sorted((SANITIZER / folder).glob("*.py")):
            text = file.read_text("utf-8")
            yield Program.of("scenarios", f"{folder}/{file.stem}", text)
            for name, changed in _with_lines(text):
                yield Program.of("scenarios", f"{folder}/{file.stem}: {name}", changed)


def _with_lines(text: str) -> Iterator[tuple[str, str]]:
    """The program with each line `#~ name: code` planted, one at a time."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if found := _PLANTED.match(line):
            planted = [*lines[:number], found["indent"] + found["code"], *lines[number + 1 :]]
            yield f"{found['name']} at {number + 1}", "\n".join(planted) + "\n"


def planted() -> Iterator[Program]:
    """The hosts, and those with a planted fault about compiling."""
    for host in HOSTS:
        yield _started("planted", host, host, hosts.Program(sources(host)))
    for rule in catalogue.rules():
        if rules()[rule].family not in FAMILIES:
            continue
        for plant in catalogue.plants(rule):
            if plant.host in HOSTS:
                title = f"{rule}: {plant.title}"
                yield _started("planted", title, plant.host, hosts.planted(plant))


def _started(set: str, name: str, host: str, program: hosts.Program) -> Program:
    files = {f"{host}/{path}": text for path, text in finished(program.files)[0].items()}
    return Program(set, name, files, f"-m {host}.train")


OWN: Mapping[str, Callable[[], Iterator[Program]]] = {
    each.__name__: each for each in (pages, scenarios, planted)
}


def given(folder: Path) -> Iterator[Program]:
    """The scripts and notebooks of a folder, each alone with the modules that lie beside it."""
    for file in sorted([*folder.rglob("*.py"), *folder.rglob("*.ipynb")]):
        name = file.relative_to(folder).as_posix()
        text = script(file)
        beside = {
            each.name: each.read_text("utf-8")
            for each in sorted(file.parent.glob("*.py"))
            if each != file and re.search(rf"\b(?:import|from) {re.escape(each.stem)}\b", text)
        }
        start = f"{file.stem}.py"
        yield Program(folder.name, name, {**beside, start: text}, start)


def script(file: Path) -> str:
    """The text of a script, or the code of a notebook without its magic lines."""
    text = file.read_text("utf-8")
    if file.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    codes = ("".join(cell["source"]) for cell in cells)
    return "\n\n".join(_MAGIC.sub(r"\1pass  # ", code) for code in codes) + "\n"
