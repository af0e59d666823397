"""`--compiles`: the compiled functions of a project and how many programs each has, before a run.

The rows follow from `solve.programs`, as the findings do. With the record of a sanitized run, each
row has the programs that were made for the same function beside it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import realpath
from typing import Any

from gotcha_lint.config.options import UsageError
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import Library
from gotcha_lint.files.workspace import Workspace
from gotcha_lint.findings.forecast import Interpreted, interpret
from gotcha_lint.program.ir import Function
from gotcha_lint.rule_helpers.wording import called, each_turn, structures, wrapper
from gotcha_lint.solve.compiled_functions import CompiledFunction, Variation
from gotcha_lint.task import Failure

_PER_TURN = ("identity", "value", "object", "data", "shape", "length")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a function has more than one program: the argument (or ""), and what differs."""

    kind: str
    argument: str
    text: str
    line: int
    path: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run recorded of the same function."""

    programs: int
    causes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One place that compiles. Lines count within a notebook's cell.

    `programs`: how many at least; with `per`, one for each time that this happens. `open`: an
    argument comes from a caller that is not known, so there may be more.
    """

    path: str
    line: int
    column: int
    cell: int | None
    function: str
    wrapper: str
    programs: int
    per: str
    open: bool
    reasons: tuple[Reason, ...]
    constants: int  # bytes of captured arrays of known size
    unknown_constants: bool
    equations: int  # that Python loops unroll, about
    defined_in: str = ""  # file, and lines of the decorators and `def` of the function
    defined: tuple[int, int] = (0, 0)
    shared: bool = False  # its programs are those of all places that compile the same function
    exported: bool = False  # only functions that the project itself does not call lead to it
    seen: Seen | None = None


def rows(space: Workspace, asked: Sequence[str]) -> tuple[list[Row], list[Failure]]:
    """A row for each compiled function of the asked files, in the order of the text."""
    wanted = set(asked)
    found: list[Row] = []
    failures: list[Failure] = []
    for component in space.components:
        interpreted = interpret(space, component, sorted(component & wanted), count=True)
        failures.extend(interpreted.failures)
        found.extend(rows_of(interpreted, wanted))
    return sorted(found, key=_order), failures


def rows_of(interpreted: Interpreted, wanted: Collection[str]) -> list[Row]:
    """A row for each compiled function of these files."""
    own = (row for row in interpreted.programs.compiled.values() if row.site.path in wanted)
    found = [_row(compiled, interpreted) for compiled in own]
    merged: dict[tuple[str, int, int, int | None, str], Row] = {}
    for row in found:
        key = row.path, row.line, row.column, row.cell, row.function
        merged[key] = _joined(merged[key], row) if key in merged else row
    return sorted(merged.values(), key=_order)


def seen_in_part(rows: Iterable[Row], partial: bool) -> list[Row]:
    """Rows of which some callers were not looked at: there may be more programs."""
    return [replace(row, open=row.open or partial) for row in rows]


def _order(row: Row) -> tuple[str, int, int, int]:
    return row.path, row.cell or 0, row.line, row.column


def _joined(a: Row, b: Row) -> Row:
    """One place, reached from several roots or with several objects."""
    return replace(
        a if a.per or not b.per else b,
        programs=max(a.programs, b.programs),
        open=a.open or b.open,
        shared=a.shared or b.shared,
        exported=a.exported and b.exported,
        reasons=tuple(dict.fromkeys((*a.reasons, *b.reasons))),
        constants=max(a.constants, b.constants),
        unknown_constants=a.unknown_constants or b.unknown_constants,
        equations=max(a.equations, b.equations),
    )


def _row(compiled: CompiledFunction, interpreted: Interpreted) -> Row:
    site, function = compiled.site, compiled.function
    source = interpreted.sources[site.path]
    line, column, cell = source.position(source.offset(*site.span[:2]))
    per = next((_per(v) for v in compiled.variations if v.kind in (*_PER_TURN, "once")), "")
    differ = {(v.kind, v.label): _more(v) for v in compiled.variations}
    more = sum(differ.values())
    name = called(function).strip("`").removeprefix("the ") if function else _library(site)
    return Row(
        site.path,
        line,
        column,
        cell,
        name,
        wrapper(site),
        max(1 + more, compiled.distinct),
        per,
        _is_open(compiled),
        tuple(dict.fromkeys((*map(_reason, compiled.variations), *_differing(compiled)))),
        max((capture.total for capture in compiled.captures), default=0),
        any(capture.bytes is None for capture in compiled.captures),
        _equations(compiled, interpreted),
        "" if function is None else function.path,
        (0, 0) if function is None else (function.first or function.line, function.line),
        compiled.shared,
        compiled.exported,
    )


def _library(site: Site) -> str:
    """The name of a library's function that is compiled; "?" for what is not known."""
    names = [atom.name for atom in site.info["inner"].atoms if isinstance(atom, Library)]
    return names[0] if len(names) == 1 else "?"


def _per(variation: Variation) -> str:
    if variation.kind == "once":
        return f"call of {called(variation.call.within)}"
    return each_turn(variation.loops, variation.call.path)


def _more(variation: Variation) -> int:
    """How many programs it adds to the first."""
    if variation.kind in ("structure", "dtype"):
        return len(variation.alternatives) - 1
    return int(variation.kind in ("ragged", "weak", "style"))


def _is_open(compiled: CompiledFunction) -> bool:
    """An argument comes from callers that are not known."""
    return any(
        isinstance(part, tuple) and len(part) > 2 and not part[1] and not part[2]
        for key in compiled.keys
        if key and isinstance(key[0], tuple)
        for part in key
    )


def _equations(compiled: CompiledFunction, interpreted: Interpreted) -> int:
    """Of the loops in the function itself, and in those defined in it."""
    total = 0
    for loop in interpreted.programs.unrolled:
        if loop.turns is None:
            continue
        within: Function | None = loop.within
        while within is not None and within is not compiled.function:
            within = within.parent
        if within is not None:
            total = max(total, loop.turns * loop.equations)
    return total


_WORDS = {
    "value": "is static and has another value in each {each}",
    "object": "is static and a new object in each {each}",
    "data": "is static data of a tree, and new in each {each}",
    "shape": "has another size along axis {axis} in each {each}",
    "ragged": "is shorter along axis {axis} in the last batch",
    "length": "is a container that grows in each {each}",
    "structure": "is {structures}",
    "dtype": "is {dtypes}",
    "weak": "is weakly typed at one call and not at another",
    "style": "is given by position at one call and by name at another",
    "no tree": "is an object that JAX cannot take apart: the call raises",
    "unhashable": "is static and cannot be hashed: the call raises",
}


def _reason(variation: Variation) -> Reason:
    call = variation.call
    if variation.kind == "identity":
        text = f"the function is new in each {each_turn(variation.loops, call.path)}"
    elif variation.kind == "once":
        text = f"made, called once and dropped by {called(call.within)}"
    else:
        text = _WORDS[variation.kind].format(
            each=each_turn(variation.loops, call.path),
            axis=variation.axis,
            structures=structures(variation.alternatives),
            dtypes=" or ".join(variation.alternatives),
        )
    return Reason(variation.kind, variation.label, text, call.span[0], call.path)


_SIDES = {
    "identity": "the function is made again",
    "transform": "is called alone, and within a gradient or `vmap` that runs outside of jit",
    "value": "is static and has another value at one of the calls",
    "shape": "has another {what} at one of the calls",
    "object": "is static and another object at one of the calls",
    "style": "its arguments are given in another way at one of the calls",
    "structure": "is another tree at one of the calls",
    "dtype": "has another dtype at one of the calls",
    "weak": "is weakly typed at one call and not at another",
}


def _differing(compiled: CompiledFunction) -> Iterator[Reason]:
    """The parts of the key that tell a few programs apart and that no variation speaks of."""
    said = {(v.kind, v.label) for v in compiled.variations}
    if any(v.kind == "ragged" for v in compiled.variations):
        said |= {("shape", part.label) for part in compiled.differing}
    for part in compiled.differing:
        if (part.kind, part.label) not in said:
            what = "number of axes" if part.axis < 0 else f"size along axis {part.axis}"
            text = _SIDES[part.kind].format(what=what)
            yield Reason(part.kind, part.label, text, part.call.span[0], part.call.path)


def programs(row: Row) -> str:
    """`compiles once`, `compiles: one program per iteration of the loop at line 12`."""
    if row.per:
        return f"compiles: one program per {row.per}"
    if row.programs == 1:
        return "compiles once" + ", or more often, as callers decide" * row.open
    return f"compiles {'at least ' * row.open}{row.programs} programs"


# What a run recorded


def with_runs(rows: Iterable[Row], records: Sequence[str]) -> list[Row]:
    """The rows with what the records have of the same functions. Raises UsageError."""
    programs = [event for path in records for event in programs_in(path)]
    return [replace(row, seen=_seen(row, programs)) for row in rows]


def programs_in(path: str) -> list[dict[str, Any]]:
    """The programs of the user's functions in a record."""
    try:
        with open(path, encoding="utf-8") as file:
            events = [json.loads(line) for line in file if line.endswith("\n")]
        found = [event for event in events if event["event"] == "program"]
        return [e for e in found if not e["eager"] and e["owner"] != "jax" and e["defined"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--with-run {path}: not a record of a run: {why}") from error


def _seen(row: Row, programs: Iterable[Mapping[str, Any]]) -> Seen:
    count, causes = 0, dict[str, int]()
    for program in programs:
        if not is_of(row, program["defined"]):
            continue
        count += 1
        for cause in dict.fromkeys(program["causes"]):
            causes[cause] = causes.get(cause, 0) + 1
    return Seen(count, causes)


def is_of(row: Row, defined: tuple[str, int]) -> bool:
    """Is the row's function defined in this file, in a line of its decorators and `def`?"""
    path, line = defined
    first, last = row.defined
    return first <= line <= last and realpath(path) == realpath(row.defined_in)


def as_json(rows: Sequence[Row]) -> str:
    """The rows, as a list of objects."""
    return json.dumps([_as_dict(row) for row in rows], indent=2) + "\n"


def _as_dict(row: Row) -> dict[str, Any]:
    out: dict[str, Any] = {
        key: getattr(row, key) for key in ("path", "line", "column", "cell", "function", "wrapper")
    }
    out["programs"] = {"count": None if row.per else row.programs, "per": row.per or None}
    out["programs"]["at_least"] = row.open
    out |= {"shared": row.shared, "exported": row.exported}
    out["reasons"] = [
        {key: getattr(reason, key) for key in Reason.__slots__} for reason in row.reasons
    ]
    out["constants"] = {"bytes": row.constants, "more_unknown": row.unknown_constants}
    out["unrolled_equations"] = row.equations
    if row.seen is not None:
        out["run"] = {"programs": row.seen.programs, "causes": dict(row.seen.causes)}
    return out
