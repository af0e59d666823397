"""Other ways to write the same program. Each module has `vary(program)`, None where it cannot."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from benchmarks.planted.program import TRAINER, Program


def names() -> list[str]:
    return sorted(each.name for each in pkgutil.iter_modules(__path__) if each.name[0] != "_")


def one(name: str, program: Program) -> Program | None:
    """One variant, which may not fit the program."""
    other = importlib.import_module(f"{__name__}.{name}").vary(program)
    return other and other._replace(variant=name)


def of(program: Program, turn: int) -> Iterator[Program]:
    """The program as written, and two variants, another two at each turn.

    The trainer is large, and stays as it is.
    """
    yield program
    if program.plant and program.plant.host != TRAINER:
        every = names()
        chosen = {every[turn % len(every)], every[(turn + 2) % len(every)]}
        yield from filter(None, (one(name, program) for name in sorted(chosen)))
