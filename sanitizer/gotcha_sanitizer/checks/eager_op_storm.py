"""Operations outside of jit that compile again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Explained, Program, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import package

_CONTROL_FLOW = {"scan", "while", "cond", "while_loop", "fori_loop", "_scan", "switch"}
_MANY = 6  # compiles of one operation at one line
_OF_RUN = 0.005  # of the run: what takes less in all is a note at its end
_BESIDE = 0.05  # of what control flow at the same line takes: less is a note there
_TURNS, _KINDS = 3, 4  # fewer turns and kinds of operations: a map over leaves, once or twice


@dataclass
class _Storm:
    count: int = 0
    seconds: float = 0.0
    operations: set[str] = field(default_factory=set)
    turns: set[int] = field(default_factory=set)  # of a loop that counts
    kinds: set[str] = field(default_factory=set)
    examples: list[str] = field(default_factory=list)
    told: Finding | None = None  # as last given


class EagerOpStorm(Check):
    """Counts, line by line, the operations that compile again outside of `jax.jit` in a loop.

    The first compile of an operation is normal. So is all that comes before the first jitted
    function of the program: parameters are made there, each with its own shape. What took less
    than half a percent of the run is a note at its end, but for control flow. So is what took less
    than a twentieth of the control flow at its line: the cure is the same.

    ## Instead
    Pad to a few sizes, do it in numpy, or move it into the jitted step.
    """

    gotchas = ("eager-op-storm", "eager-control-flow")

    def __init__(self, options) -> None:
        super().__init__(options)
        self._storms: dict[tuple[Site | None, bool], _Storm] = {}
        self._starting = True

    def on(self, event: Explained | Tick) -> Iterator[Finding]:
        if isinstance(event, Tick):
            if event.last:
                yield from self._trifles(event.at)
            return
        program = event.program
        self._starting &= not program.ends_the_start
        if program.eager != "op" or self._starting:
            return
        if not program.loops or program.site is None:
            return
        control = program.function.name in _CONTROL_FLOW
        storm = self._storms.setdefault((program.site, control), _Storm())
        if program.turn is not None and _counts(program):
            storm.turns.add(program.turn.value)
        storm.kinds.add(program.function.name)
        settles = 0 < len(storm.turns) < _TURNS and len(storm.kinds) < _KINDS
        settles &= not any(map(_is_callback, program.loops))
        few = event.variants < (2 if control else _MANY)
        if few or settles or not event.differences:
            return
        name = program.function.name.strip("_")
        storm.count += 1 if name in storm.operations else event.variants - 1
        storm.seconds += event.seconds
        storm.operations.add(name)
        shapes = [str(each) for each in event.differences if each.cause == "shape"]
        storm.examples = (storm.examples + shapes[:1])[-3:]
        storm.told = _finding(event, storm, control)
        yield storm.told

    def _trifles(self, run: float) -> Iterator[Finding]:
        """By what they cost: a storm of a tenth of a second is none in a run of a minute."""
        for (site, control), storm in self._storms.items():
            flow = self._storms.get((site, True))
            least = max(_OF_RUN * run, _BESIDE * flow.seconds if flow and flow.told else 0.0)
            if not control and storm.told is not None and storm.seconds < least:
                yield replace(storm.told, severity="info")


def _is_callback(loop: Site) -> bool:
    """A function that a program calls back: it runs again with each run of the program."""
    return bool(loop.function)


def _counts(program: Program) -> bool:
    """The innermost loop is the one that counts: in another, each iteration may have new shapes."""
    return program.turn is not None and program.turn.loop == program.loops[0]


def _around(loop: Site) -> str:
    return "called back by the program" if _is_callback(loop) else "the loop"


def _finding(event: Explained, storm: _Storm, control: bool) -> Finding:
    program = event.program
    library = program.library
    chain = ((library, f"{package(library.path)} runs it here"),) if library else ()
    names = ", ".join(f"`{name}`" for name in sorted(storm.operations)[:3])
    if control:
        by = f" by {package(library.path)}" if library else ""
        message = f"{names} outside of jit{by}, with a new function: "
        message += f"compiled {storm.count} more times"
        advice = "jit the function around it"
        advice += "" if library else ", or give it a function that is defined once"
    else:
        example = f" ({storm.examples[-1].partition(': ')[2]})" if storm.examples else ""
        verb = "were" if len(storm.operations) > 1 else "was"
        message = f"{names} outside of jit {verb} compiled {storm.count} more times{example}"
        advice = "keep the shapes the same (pad), or do it in numpy, or inside of jit"
    return Finding(
        name="eager-control-flow" if control else "eager-op-storm",
        message=message,
        site=program.site,
        advice=advice,
        count=storm.count,
        seconds=storm.seconds,
        confidence="high" if control else "medium",
        chain=(*chain, *((loop, _around(loop)) for loop in program.loops[:1])),
        evidence={"operations": sorted(storm.operations), "examples": storm.examples},
        key=(program.site, control),
    )
