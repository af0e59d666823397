"""The contract of a program: what its steps compile, take and cost, as a file that is committed.

It is made from a recorded run and compared with a later one. The file is TOML with one table for
each function, in the order of their places, so that a change of it reads well in a review: the
arguments that all programs of a function share are written once, and a program is one short line.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gotcha_sanitizer.run.record import Json, Run
from gotcha_sanitizer.values.words import plural, size

VERSION = 2
_SLACK = 1.1  # of bytes: padding and small buffers differ from machine to machine
_SMALL = 4096  # bytes: what the sizes of small programs differ by
_MOST_SIGNATURES = 32
_MOST_SHOWN = 8  # of the new arguments of one function
_HEAD = """\
# What this program compiles, takes and costs: see `gotcha-sanitize contract --help`.
# Written from a run; checked with `gotcha-sanitize contract check run.jsonl`.
"""


Signature = tuple[str, ...]  # one text for each argument, as in "state: float32[4] x2, int32[]"


@dataclass(frozen=True)
class Function:
    """One jitted function of the user's. `signatures` are its arguments, one entry a program."""

    name: str
    file: str
    compiles: int
    signatures: tuple[Signature, ...]
    options: str = ""  # donation, static arguments, shardings
    constants: int = 0  # bytes baked into its largest program
    memory: int = 0  # bytes that its largest program asks for; 0: not known

    @property
    def key(self) -> tuple[str, str]:
        return self.file, self.name

    @property
    def shared(self) -> Signature:
        """The arguments that are the same in all programs."""
        first, *others = self.signatures or ((),)
        return tuple(text for text in first if all(text in other for other in others))

    @property
    def programs(self) -> tuple[Signature, ...]:
        """What is different in each program; nothing where there is one."""
        shared = self.shared
        rest = (tuple(text for text in each if text not in shared) for each in self.signatures)
        return tuple(rest) if len(self.signatures) > 1 else ()


@dataclass(frozen=True)
class Contract:
    functions: tuple[Function, ...] = ()
    reads: Mapping[str, int] = field(default_factory=dict)  # `file function` -> lines that wait
    eager: int = 0  # compiles of operations outside of jit
    memory: int = 0  # bytes of live arrays, at the most


@dataclass(frozen=True)
class Breach:
    """One thing that a run does otherwise. `allowed`: it costs less, or no more."""

    what: str
    allowed: bool = False


def of(run: Run, root: str = "") -> Contract:
    """The contract that a run fulfils. Paths are relative to `root`."""
    by_key: dict[tuple[str, str], list[Json]] = {}
    for program in run.programs:
        if program["owner"] == "user" and not program["eager"]:
            by_key.setdefault((_path(program["defined"][0], root), program["function"]), []).append(
                program
            )
    compiles: dict[tuple[str, str], int] = {}
    for row in run.rows.values():
        if row.owner == "user" and not row.eager:
            key = _path(row.path, root), row.function
            compiles[key] = compiles.get(key, 0) + row.compiles + row.cache_hits
    functions = [
        Function(
            name=key[1],
            file=key[0],
            compiles=compiles.get(key, 0),
            signatures=_signatures(programs, run),
            options=_options(programs),
            constants=max(each.get("constants", {}).get("bytes", 0) for each in programs),
            memory=run.footprints.get(_compiled_name(key[1]), 0),
        )
        for key, programs in sorted(by_key.items())
        if compiles.get(key)
    ]
    reads: dict[str, int] = {}
    for read in run.reads.values():
        if read.get("loop") and read.get("waits"):
            name = f"{_path(read['path'], root)} {read.get('function', '')}".strip()
            reads[name] = reads.get(name, 0) + 1
    return Contract(
        tuple(functions),
        dict(sorted(reads.items())),
        sum(row.compiles + row.cache_hits for row in run.rows.values() if row.eager),
        max((sample["bytes"] for sample in run.memory), default=0),
    )


def _compiled_name(function: str) -> str:
    """What XLA calls the program of a function: `Trainer.step` is `step`."""
    return re.sub(r"\W", "_", function.rpartition(".")[2])


def _signatures(programs: Sequence[Json], run: Run) -> tuple[Signature, ...]:
    found = sorted({_signature(program, run) for program in programs}, key=_natural)
    whole = Function("", "", 0, tuple(found[:_MOST_SIGNATURES]))
    return tuple((*whole.shared, *each) for each in whole.programs) or whole.signatures


def _natural(signature: Signature) -> list[list[tuple[int, str]]]:
    """`float32[8]` comes before `float32[11]`."""
    parts = (re.split(r"(\d+)", text) for text in signature)
    return [[(int(word), "") if word.isdigit() else (-1, word) for word in each] for each in parts]


def _signature(program: Json, run: Run) -> Signature:
    """All leaves where the record has them; leaves of one type are counted."""
    leaves = run.avals.get(program.get("avals", ""))
    if not leaves:
        return (str(program["shapes"]),)
    groups: dict[str, dict[str, int]] = {}
    for name, aval in leaves.items():
        types = groups.setdefault(name.split("[")[0].split(".")[0], {})
        types[aval] = types.get(aval, 0) + 1
    return tuple(
        f"{argument}: " + ", ".join(t + (f" x{n}" if n > 1 else "") for t, n in types.items())
        for argument, types in groups.items()
    )


def _options(programs: Sequence[Json]) -> str:
    given: dict[str, str] = {}
    for program in programs:
        given |= program.get("options", {})
    return ", ".join(f"{name}={value}" for name, value in sorted(given.items()))


def _path(path: str, root: str) -> str:
    return os.path.relpath(path, root) if root and path.startswith(root + os.sep) else path


def write(contract: Contract) -> str:
    """As TOML."""
    lines = [_HEAD, f"version = {VERSION}"]
    lines += [f"eager_compiles = {contract.eager}  # of operations outside of jit"]
    lines += [f"peak_bytes = {contract.memory}  # {size(contract.memory)} of live arrays", ""]
    lines += ["[reads]  # lines that wait for the device in a loop, by file and function"]
    lines += [f"{_text(name)} = {count}" for name, count in contract.reads.items()]
    for each in contract.functions:
        lines += ["", "[[function]]", f"name = {_text(each.name)}", f"file = {_text(each.file)}"]
        lines += [f"compiles = {each.compiles}"]
        lines += [f"options = {_text(each.options)}"] if each.options else []
        lines += _bytes("constant_bytes", each.constants) + _bytes("memory_bytes", each.memory)
        lines += _array("arguments", map(_text, each.shared))
        if each.programs:
            lines += _array("programs", (f"[{', '.join(map(_text, p))}]" for p in each.programs))
    return "\n".join(lines) + "\n"


def _bytes(name: str, count: int) -> list[str]:
    return [f"{name} = {count}  # {size(count)}"] if count else []


def _array(name: str, entries: Iterable[str]) -> list[str]:
    """One entry a line."""
    lines = [f"  {entry}," for entry in entries]
    return [f"{name} = [", *lines, "]"] if lines else [f"{name} = []"]


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=True)  # a JSON string is a basic string of TOML


def read(text: str) -> Contract:
    """Raises ValueError where it is no contract."""
    try:
        data: Mapping[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from error
    if data.get("version") != VERSION:
        raise ValueError(f"no contract of version {VERSION}")
    try:
        functions = tuple(
            Function(
                each["name"],
                each["file"],
                each["compiles"],
                tuple((*each["arguments"], *rest) for rest in each.get("programs", [[]])),
                each.get("options", ""),
                each.get("constant_bytes", 0),
                each.get("memory_bytes", 0),
            )
            for each in data.get("function", ())
        )
        return Contract(functions, data["reads"], data["eager_compiles"], data["peak_bytes"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"a key is missing: {error}") from error


def compare(agreed: Contract, found: Contract) -> list[Breach]:
    """What the run does otherwise, breaches of the contract first."""
    told = [*_functions(agreed, found), *_reads(agreed, found), *_sums(agreed, found)]
    return sorted(told, key=lambda breach: breach.allowed)


def _functions(agreed: Contract, found: Contract) -> Iterator[Breach]:
    before = {each.key: each for each in agreed.functions}
    now = {each.key: each for each in found.functions}
    for key, function in now.items():
        name = f"`{function.name}` ({function.file})"
        if key not in before:
            yield Breach(f"{name} is new: {plural(function.compiles, 'compile')}")
            continue
        yield from _function(name, before[key], function)
    for key, function in before.items():
        if key not in now:
            yield Breach(f"`{function.name}` ({function.file}) is no longer compiled", True)


def _function(name: str, before: Function, now: Function) -> Iterator[Breach]:
    if now.compiles != before.compiles:
        less = now.compiles < before.compiles
        yield Breach(f"{name}: compiles {before.compiles} -> {now.compiles}", less)
    yield from _arguments(f"{name}: new arguments: ", now, before, False)
    yield from _arguments(f"{name}: no longer called with: ", before, now, True)
    if now.options != before.options:
        yield Breach(f"{name}: jitted with `{before.options}` -> `{now.options}`")
    if now.constants > _SLACK * before.constants:
        yield Breach(f"{name}: constants {before.constants:,} -> {now.constants:,} bytes")
    if before.memory and now.memory > _SLACK * before.memory + _SMALL:
        yield Breach(f"{name}: asks for {before.memory:,} -> {now.memory:,} bytes")


def _arguments(head: str, one: Function, other: Function, allowed: bool) -> Iterator[Breach]:
    """The programs that `other` lacks, by the arguments that are not in all programs of `other`."""
    known = {frozenset(each) for each in other.signatures}
    shared = other.shared
    new = [each for each in one.signatures if frozenset(each) not in known]
    for each in new[:_MOST_SHOWN]:
        changed = [text for text in each if text not in shared]
        yield Breach(head + "; ".join(changed or each), allowed)
    if (more := len(new) - _MOST_SHOWN) > 0:
        yield Breach(f"{head}{more} more", allowed)


def _reads(agreed: Contract, found: Contract) -> Iterator[Breach]:
    for name, count in found.reads.items():
        if count > (before := agreed.reads.get(name, 0)):
            yield Breach(f"{name}: lines that wait for the device in a loop {before} -> {count}")


def _sums(agreed: Contract, found: Contract) -> Iterator[Breach]:
    if found.eager != agreed.eager:
        less = found.eager < agreed.eager
        yield Breach(f"compiles outside of jit {agreed.eager} -> {found.eager}", less)
    if found.memory > _SLACK * agreed.memory:
        yield Breach(f"live arrays at the most {agreed.memory:,} -> {found.memory:,} bytes")
