"""The programs over which findings are frozen, set by set.

Sets of this repository are always at hand. Projects of others are linted where they lie, and only
if they are there: nothing is fetched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import corpus
from benchmarks.planted import catalogue, clean
from benchmarks.planted.program import finished
from gotcha_lint.registry import rules

ROOT = Path(__file__).resolve().parents[2]
LINT_TESTS = ROOT / "tests" / "lint"
GIVEN = ("lint", "clean", "probes", "runtime")
"""Folders of the given cases (see `given`)."""
KINDS = (".py", ".ipynb")


@dataclass(frozen=True)
class Project:
    """Files that are linted as one project: texts by relative path, or a folder of somebody else.

    A folder is linted in place and never written to.
    """

    set: str
    name: str
    files: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None


def own(sets: Container[str]) -> Iterator[Project]:
    """The projects of this repository in the wanted sets; they do not depend on the machine."""
    for name, make in OWN.items():
        if name in sets:
            for title, files in make():
                yield Project(name, title, files)


Titled = Iterator[tuple[str, Mapping[str, str]]]
"""Projects of one set: a title that is there once, and the files."""


def quiet() -> Titled:
    """The files on which every rule has to be silent, each alone."""
    for file in sorted((LINT_TESTS / "quiet").glob("*.py")):
        yield file.name, {file.name: file.read_text("utf-8")}


def cases() -> Titled:
    """The edge cases of the rules: a file, or the files of a folder."""
    for path in sorted((LINT_TESTS / "cases").iterdir()):
        if path.suffix == ".py":
            yield path.name, {path.name: path.read_text("utf-8")}
        elif path.name != "__pycache__":
            yield path.name, texts(path)


def planted() -> Titled:
    """Every planted fault in every variant, and the hosts without a fault."""
    for rule in catalogue.rules():
        for program in catalogue.programs(rule):
            assert program.plant
            plant = program.plant
            title = f"{rule}: {plant.title}, {program.variant}"
            yield title, _below(plant.host, finished(program.files)[0])
    for host, variant, program in clean.forms():
        yield f"clean: {host}, {variant}", _below(host, finished(program.files)[0])


def _below(host: str, files: Mapping[str, str]) -> dict[str, str]:
    return {f"{host}/{path}": text for path, text in files.items()}


def pages() -> Titled:
    """The bad and the good code of every page: of the rules, and of examples/gotchas."""
    for name, info in rules().items():
        for number, example in enumerate(info.examples, 1):
            for kind in ("bad", "good"):
                yield f"{name} {number} {kind}", {f"{kind}.py": str(example[kind])}
    for folder in sorted((ROOT / "examples" / "gotchas").iterdir()):
        yield folder.name, texts(folder)


def flawed() -> Titled:
    for name in ("flawed", "fixed"):
        yield name, texts(ROOT / "examples" / name)


def ours() -> Titled:
    for name in ("lint", "sanitizer", "reference_trainer"):
        yield name, texts(ROOT / name)


OWN: Mapping[str, Callable[[], Titled]] = {
    each.__name__: each for each in (quiet, cases, planted, pages, flawed, ours)
}


def texts(folder: Path) -> dict[str, str]:
    """The sources below a folder, by their relative paths."""
    files = corpus.sources(folder, KINDS)
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}


def ecosystem(cache: Path) -> tuple[list[Project], int]:
    """The unpacked projects of `ecosystem.json` in a cache folder, and how many are not there."""
    every = corpus.pinned()
    here = [
        Project("ecosystem", project.folder, folder=cache / project.folder)
        for project in every
        if (cache / project.folder).is_dir()
    ]
    return here, len(every) - len(here)


def given(folder: Path) -> tuple[list[Project], int]:
    """The folders of the given cases that are there, and how many are not."""
    here = [name for name in GIVEN if (folder / name).is_dir()]
    return [Project("given", name, folder=folder / name) for name in here], len(GIVEN) - len(here)


def digest(folder: Path) -> str:
    """Changes when a source below the folder does: other versions have other findings."""
    state = hashlib.blake2b(digest_size=8)
    for path in corpus.sources(folder, KINDS):
        state.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        state.update(hashlib.blake2b(path.read_bytes()).digest())
    return state.hexdigest()
