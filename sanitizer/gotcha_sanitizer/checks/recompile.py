"""Recompilations that the program could have done without."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.explain.advice import ADVICE, advise
from gotcha_sanitizer.values.events import Explained, Memory, Program, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Difference, Site
from gotcha_sanitizer.values.words import package, size

_RENEWABLE = {"new-function", "static-identity", "pytree-static"}
_ALWAYS = {"weak-type", "call-style"}
_SAME_LINE = {"dtype", "pytree", "sharding", "committed", "context", "jit-options"}
_DEAR = 5.0  # seconds for one more shape
_MANY = 100  # programs of one function that are kept
_GREW = 2**24  # bytes of the process meanwhile: worth a word
_OWN = {"shape", "dtype", "pytree", "static-value"}
_RUNS = 2  # a few runs of a library's, each with its own shapes
_BESIDE = 0.05  # of what a function's dearest cause took and counts: less is a note at the end
_THIRD = {"static-identity", "pytree-static", "new-function", "transform", "unknown"}


@dataclass
class _Case:
    """The recompilations of one function for one cause."""

    count: int = 0
    seconds: float = 0.0
    price: float = 0.0  # the same on a machine that does nothing else
    site: Site | None = None
    warned: bool = False
    told: Finding | None = None  # as last given
    seen: dict[tuple[Site | None, str], dict[str, None]] = field(default_factory=dict)
    here: dict[Site | None, int] = field(default_factory=dict)


class Recompile(Check):
    """Counts what JAX compiles again, and says which of its reasons it was.

    Each compiled program is compared with the earlier ones of the same source. First compilations
    are normal. So are a few shapes that converge, such as powers of two, if they take less than 5 s
    of CPU time each, and a function that is called with other types from another line: these are
    notes. So is, at the end, a cause with less than a twentieth of the programs and of the time
    that the function's main cause took.

    Make jitted functions once, give them arrays of few shapes and of one dtype, and keep what
    changes at each step an argument.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._cases: dict[tuple[object, str], _Case] = {}
        self._resident = 0  # of the process, when last looked at
        self._before: dict[object, int] = {}  # the same at a function's first recompile

    def on(self, event: Memory | Explained | Tick) -> Iterator[Finding]:
        if isinstance(event, Memory):
            self._resident = event.resident
            return
        if isinstance(event, Tick):
            if event.last:
                yield from self._lesser()
            return
        if event.program.eager or not event.differences:
            return
        program = event.program
        case = self._cases.setdefault((program.function.key, event.cause), _Case())
        case.count += 1
        case.seconds += event.seconds
        case.price += event.price
        case.here[program.site] = case.here.get(program.site, 0) + 1
        for each in event.differences:
            values = case.seen.setdefault((program.site, each.path), {})
            if event.before is not None and event.before.site == program.site:
                values[each.old] = None
            values[each.new] = None
        avoidable = _is_avoidable(event, case) or _is_dear(event, case)
        case.warned |= avoidable
        if avoidable or case.site is None:
            case.site = program.site
        case.told = _finding(event, case, self._growth(program))
        yield case.told

    def _lesser(self) -> Iterator[Finding]:
        """Where one cause made hundreds of programs, two for another are not worth a look."""
        dearest: dict[object, _Case] = {}
        for (function, _), case in self._cases.items():
            if case.warned and case.seconds >= dearest.get(function, case).seconds:
                dearest[function] = case
        for (function, _), case in self._cases.items():
            main = dearest.get(function, case)
            few = case.count < _BESIDE * main.count and case.seconds < _BESIDE * main.seconds
            if few and case.warned and case.told is not None:
                yield replace(case.told, severity="info")

    def _growth(self, program: Program) -> int:
        """Bytes that the process gained while many programs of a function were made and kept."""
        before = self._before.get(program.function.key) or self._resident
        self._before[program.function.key] = before
        grown = self._resident - before
        return grown if program.kept >= _MANY and grown >= _GREW else 0


def _is_avoidable(event: Explained, case: _Case) -> bool:
    """Whether the program is to blame, not the first sight of something new."""
    cause, site = event.cause, event.program.site
    again = event.here >= 2  # this line has had this function compiled before
    repeats = case.here[site]
    if cause in _ALWAYS:
        return True
    if cause in _SAME_LINE:
        return again
    main = [each for each in event.differences if each.cause == cause]
    if cause in _RENEWABLE and all(each.renewed for each in main):
        if any(each.cause in _OWN for each in event.differences):  # it needs a program in any case
            return again and repeats > _RUNS
        if event.program.beside and cause == "new-function":  # one to train in, one for tests
            return again and repeats >= 2
        return again or cause != "new-function"
    if cause in _THIRD:
        return again and repeats >= 2
    if cause in ("shape", "static-value"):
        return any(_keeps_growing(case, site, each) for each in main)
    return False


def _is_dear(event: Explained, case: _Case) -> bool:
    """One more shape is normal, but not at any price."""
    return event.cause == "shape" and case.price >= _DEAR * case.count


def _keeps_growing(case: _Case, site: Site | None, difference: Difference) -> bool:
    """More different values at one line than a few buckets would have."""
    values = list(case.seen[site, difference.path])
    if len(values) < 3:
        return False
    sizes = [_numbers(value) for value in values]
    if not all(sizes) or len({len(size) for size in sizes}) > 1:
        return len(values) > 4  # words: a few modes are normal
    columns = list(zip(*sizes, strict=True))
    return any(_is_spread(set(column)) for column in columns)


def _is_spread(sizes: set[float]) -> bool:
    """True for 37, 41, 45; false for 32, 64, 128: as many steps as doublings, or fewer."""
    if len(sizes) < 3:
        return False
    low, high = min(sizes), max(sizes)
    if low <= 0 or any(not float(size).is_integer() for size in sizes):
        return True
    return len(sizes) > math.log2(high / low) + 1


def _numbers(text: str) -> tuple[float, ...]:
    """The sizes in `float32[8,37]`, or the number that a static argument is."""
    inner = text.partition("[")[2].partition("]")[0] if text.endswith("]") else text
    try:
        return tuple(float(part) for part in inner.split(",") if part)
    except ValueError:
        return ()


def _finding(event: Explained, case: _Case, grown: int) -> Finding:
    program, cause = event.program, event.cause
    function = program.function
    defined = function.site or Site(str(function.key), 0)
    shown = [str(each) for each in event.differences if each.cause == cause]
    chain = [(loop, "the loop that it runs in") for loop in program.loops[:1]]
    if function.owner == "library" and program.library:
        chain.insert(0, (program.library, f"{package(program.library.path)} calls it here"))
    if function.site:
        chain.append((function.site, f"{function.name} is defined here"))
    return Finding(
        name="recompile",
        message=_message(event, case) + _kept(program, grown),
        site=case.site,
        advice=advise(event),
        function=function.name,
        cause=cause,
        causes=tuple(dict.fromkeys(each.cause for each in event.differences)),
        count=case.count,
        seconds=case.seconds,
        severity="warning" if case.warned else "info",
        confidence="low" if cause == "unknown" else "high",
        chain=tuple(chain),
        evidence={
            "differences": [str(each) for each in event.differences[:8]],
            "programs": event.variants,
            "last": shown[:3],
            **({"kept": program.kept, "grown": grown} if grown else {}),
        },
        key=(defined.path, function.name, cause),
    )


def _kept(program: Program, grown: int) -> str:
    if not grown:
        return ""
    return f"; {program.kept} programs of it are kept, and the process grew by {size(grown)} since"


def _message(event: Explained, case: _Case) -> str:
    function = event.program.function
    times = "once more" if case.count == 1 else f"{case.count} more times"
    owner = f" (of {function.key[0]})" if function.owner == "library" and not function.site else ""
    return f"`{function.name}`{owner} was compiled {times}: {_reason(event)}"


def _what(cause: str, difference: Difference) -> str:
    if cause == "weak-type" and "a Python number" not in difference.old + difference.new:
        return "an array that a Python number made (weak type) where another was, or the reverse"
    return ADVICE[cause].what


def _reason(event: Explained) -> str:
    mine = [each for each in event.differences if each.cause == event.cause]
    first = mine[0]
    kind = event.program.function.kind
    if event.cause == "new-function":
        if first.renewed:
            return f"a new {kind} each time, though nothing that it captures differs"
        names = ", ".join(f"`{each.path}`" for each in mine[:3])
        return f"a new {kind} each time, which captures another {names}"
    if first.renewed:
        return f"{first.path} is a new object each time, with equal contents: {first.new}"
    also = f"`{mine[1].path}`" if len(mine) == 2 else f"{len(mine) - 1} others"
    more = f" (and {also})" if len(mine) > 1 else ""
    what = _what(event.cause, first)
    return f"{what}: {first}{more}" if what else f"{first}{more}"
