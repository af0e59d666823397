"""Lines at which many different programs are compiled for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Explained
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import plural, seconds

_MANY = 20  # programs
_NOTE = 1.0  # seconds at one line
_WORTH = {False: 2.0, True: 10.0}  # the same of jitted functions, of operations outside of jit ...
_OF_RUN = 0.1  # ... and of the run's time so far: less is a note


@dataclass
class _Line:
    names: set[str] = field(default_factory=set)
    count: int = 0
    seconds: float = 0.0
    price: float = 0.0  # the same on a machine that does nothing else


class ManyFirstCompiles(Check):
    """Adds up, line by line of yours, the programs that are the first of their function.

    A first compile is normal, and is no finding by itself. Many at one line are one cost: functions
    that are all different, or operations outside of jit, each with a program of its own. So are the
    shapes that an operation gets before the first jitted function is called, as where parameters
    are made. It is a warning by the time that they would have taken on an idle machine.

    ## Instead
    Put one `jax.jit` around what makes many operations, as `jax.jit(model.init)`. Make one function
    with arguments of what were many functions.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._lines: dict[tuple[Site, bool], _Line] = {}
        self._starting = True

    def on(self, event: Explained) -> Iterator[Finding]:
        if not event.program.called:
            return
        program, site = event.program, event.program.site
        self._starting &= not program.ends_the_start
        making = self._starting and program.eager == "op"
        if (event.differences and not making) or site is None or "compile" not in program.seconds:
            return
        line = self._lines.setdefault((site, bool(program.eager)), _Line())
        line.count += 1
        line.seconds += event.seconds
        line.price += event.price
        if len(line.names) < _MANY:
            line.names.add(program.function.name)
        if line.count >= _MANY and line.seconds >= _NOTE:
            yield _finding(site, bool(program.eager), line, program.at)


def _finding(site: Site, eager: bool, line: _Line, now: float) -> Finding:
    what = "program" if eager else "different function"
    of = " of operations outside of jit" if eager else ""
    shown = ", ".join(f"`{name}`" for name in sorted(line.names)[:3])
    worth = line.price >= _WORTH[eager] and line.seconds >= _OF_RUN * now
    return Finding(
        name="many-first-compiles",
        message=f"{plural(line.count, what)}{of} were compiled at this line, "
        f"{seconds(line.seconds)} in all: {shown}, ...",
        site=site,
        advice="put one `jax.jit` around all of it, as `jax.jit(model.init)`"
        if eager
        else "make one function of them, with what differs as arguments",
        count=line.count,
        seconds=line.seconds,
        severity="warning" if worth else "info",
        evidence={"names": sorted(line.names)},
        key=(site.path, site.line, eager),
    )
