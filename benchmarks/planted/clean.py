"""The hosts without a fault: nothing may be found in them, however they are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.planted import variants
from benchmarks.planted.linting import lint, write_files
from benchmarks.planted.program import Program, hosts, sources
from benchmarks.planted.running import Runner
from benchmarks.planted.symptoms import Outcome

WHOLE = ("imports", "renamed", "wrapped")
"""Variants that need no marked line."""

_OF_SIZE = frozenset(("missing-donation", "unused-allow"))
"""Hosts of a few kB donate nothing, and say so; a variant moves the `jit` away from the comment."""


def check_clean(
    folder: Path, runner: Runner | None, only: Sequence[str] = ()
) -> tuple[list[str], dict[str, Outcome]]:
    """All findings in clean hosts, and what each host does as written."""
    folder.mkdir(parents=True)
    good = {}
    for host, name, program in forms(only):
        write_files(program.files, folder / f"{host}-{name}", host)
    for host in only or hosts():
        if runner:
            good[host] = runner.run(folder / f"{host}-written", host)
            if good[host].error:
                raise RuntimeError(f"{host}: {good[host].error}")
    found = [each for each in lint(folder) if each["name"] not in _OF_SIZE]
    return [f"{each['path']}:{each['line']} {each['name']}" for each in found], good


def forms(only: Sequence[str] = ()) -> Iterator[tuple[str, str, Program]]:
    """Each clean host, or those in `only`, as written and in its variants."""
    for host in only or hosts():
        program = Program(sources(host))
        yield host, "written", program
        if host != "reference_trainer":
            for name in WHOLE:
                other = variants.one(name, program)
                if other:
                    yield host, name, other
