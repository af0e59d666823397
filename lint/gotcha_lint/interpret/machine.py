"""The machine that the parts of the interpreter share: its registers, its state, what it notes.

`Machine` is what models and the files of this folder see; `engine.Engine` adds the instructions.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from gotcha_lint.domain.freshness import Aged
from gotcha_lint.domain.met import Loop, LoopFacts, Met
from gotcha_lint.domain.sites import Frame, Origin, Site, Span
from gotcha_lint.domain.tracers import TRACED
from gotcha_lint.domain.value import NO_MARKS, Marks, Object, Tuple, Value
from gotcha_lint.domain.value import Mapping as MappingOf
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.facts.user import UserFact
from gotcha_lint.interpret.events import (
    Allocation,
    CallString,
    Event,
    Guards,
    Location,
    Summary,
    Version,
    Write,
)
from gotcha_lint.interpret.state import Activation, Layer, State
from gotcha_lint.program.array_updates import Argument, Growth
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.links import Texts
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.program.rebinding import Rebindings

DEPTH = 40  # calls within calls
RESERVE = 4  # one part in so many of a budget
_HOLDING = (Tuple, SequenceOf, MappingOf, Object)
STOP = "stop"  # what follows in this region is not reached

Instruction = tuple[Any, ...]
Registers = dict[int, Value]


class OutOfBudget(Exception):
    """A root has run for too long; what it has noted so far stands."""


class Machine(State, ABC):
    """The state of the interpreter, and what models and instructions do with it."""

    def __init__(self, modules: dict[str, Module], index: ModuleIndex) -> None:
        """`modules` by path; `index` finds them by the names that imports use."""
        super().__init__()
        self.modules = modules
        self.rows: Mapping[str, UserFact] = {}
        self._index = index
        self.visible: Collection[str] = modules  # those that may be imported now
        self.events: list[Event] = []
        self.loops: list[tuple[Any, bool]] = []  # the open loops of this function: loop, steady
        self.current: Marks = NO_MARKS  # those that are in a steady turn
        self.calls: CallString = ()
        self.traced = 0  # JAX traces what runs here
        self.differentiated = 0  # gradients that are taken around what runs here
        self.per_device = 0  # traces around in which each device has a part: sizes are not known
        self.replicating = 0  # ... and JAX follows what is the same on all devices
        self.callback = 0  # the program on the device waits for what runs here
        self.zeros: set[Origin] = set()  # where arrays of zeros are made
        self.halves: dict[Origin, Origin] = {}  # arrays of half precision, since which place
        self.trials: dict[Site, Value | None] = {}  # what objects of these classes give
        self.tried: dict[Site, Value | None] = {}  # ... those that this unit asks: see `annotated`
        self.applied: dict[Site, tuple[Site, ...]] = {}  # by classes of train states
        self.squares: set[Origin] = set()  # ... those that are squares
        self.zero_products: set[Origin] = set()  # ... where these are multiplied or summed
        self.lenient = 0  # ... and of traces around it, those that leave arrays with a value
        self.guarded = 0  # what runs here runs only where something is not there yet
        self.path = ""
        self.budget = 0  # instructions that this root may still run
        self.root_budget = 0  # ... and with how many each begins
        self.reserve = 0  # for what comes after a call in which the budget has ended
        self.equations = 0
        self.dispatches = 0  # operations that start outside of any trace, each by itself
        self.started: dict[Origin, int] = {}  # how many of them each call has started last
        self.callees: dict[Origin, Function] = {}  # which function of the program it called
        self.called_again: dict[Function, set[Function]] = {}  # by several calls of one function
        self.generation = 0
        self.frames: dict[Any, Frame] = {}
        self.sites: dict[Any, Site] = {}
        self.fresh: dict[Site, Marks] = {}  # loops in whose steady turns a site is made again
        self.memory: dict[int, list[Summary]] = {}  # by context, in this root
        self.shared: dict[int, list[Summary]] = {}  # exact ones, of all roots
        self.inexact = 0  # how often something was cut short by what this root had done before
        self.contexts: dict[Any, dict[Any, bool]] = {}  # of a function and mode, in this root
        self.covered: set[Function] = set()  # interpreted in this root or an earlier one
        self.runs_of: dict[Any, int] = {}  # of a function and mode
        self.numbers: dict[Any, int] = {}  # of contexts
        self.trail: list[Any] = []  # of the summary that is being made
        self.versions: dict[int, list[Layer]] = {}  # of contexts: what they have read
        self.paid: set[Version] = set()  # versions that this root has run, or paid for
        self.spent_inside = 0
        self.slack = DEPTH  # calls, by which this could lie deeper with nothing cut short
        self.reruns: dict[Any, int] = {}  # of a context, in this root
        self.active: set[Any] = set()
        self.ranges: dict[Any, tuple[Any, Any, Any]] = {}  # symbol -> start, stop, step
        self.maybe = 0  # one of several functions is called here; it is unknown which
        self.choice = 0  # ... and the number of the one that runs
        self.sides: dict[Any, Any] = {}  # of the open branches of this function: which is taken
        self.transform = ""  # that runs outside of jit, around what is called here
        self.guards: Guards = ()  # what must hold here, within this function
        self.met = Met()  # in this unit, and in what it imports
        self.aged: Aged = {}
        self.handled: set[Any] = set()
        self.short: set[Any] = set()  # loops of a few turns
        self.reading: set[Any] = set()  # loops in which the host reads arrays of the device
        self.key_uses = 0  # that were noted
        self.joined: dict[Origin, tuple[Value, ...]] = {}  # schedules that one is made of
        self.spread: set[Origin] = set()  # calls with unknown `**options`
        self.written_at: dict[Location, dict[Function, Origin]] = {}
        """Where a trace has written tracers, or containers, first in each function."""
        self.cached_at: dict[Location, Site] = {}  # what a trace has computed of cached properties
        self.open: set[Origin] = set()  # ... when they were run last
        self.starred: set[Origin] = set()  # calls with star arguments, known or not
        self.only_new: Origin | None = None  # the last call that gives a new object, and no more
        self.doubtful: set[tuple[str, str]] = (
            set()
        )  # who imports which by a name that may be another's
        self.asked: list[tuple[Span, Guards]] = []  # places in a `try` that need a tracer's value
        self.trying = 0  # bodies of `try` around, in this function
        self.forking: dict[Origin, str] = {}  # loaders whose workers fork when they are asked
        self.import_starts: dict[str, tuple[Origin, bool, CallString]] = {}
        """Of modules: what their import starts; for certain? Through which calls?"""
        self.bound_of_test: Any = None  # of the loop test that ran last
        self.test_operands: tuple[Value, Value] | None = None
        self.failures: list[tuple[str, str, str]] = []
        self.analyses = 0
        self.replays = 0
        self.texts = Texts()
        self.rebinding: dict[Function, Rebindings] = {}  # as they are asked for
        self.array_updates: dict[tuple[Function, Span], bool] = {}  # do they replace the array?
        self.growths: dict[tuple[Function, Span, Argument | None], Growth | None] = {}
        self.classes_made: dict[Function, Site] = {}  # by their bodies
        self.classes: list[Site] = []  # whose bodies are being run
        self.top = Activation(Function("<root>", "", 0), Frame(Function("<root>", "", 0)), (), 0)
        self.activations.append(self.top)
        self.operations: Mapping[str, Callable[[Instruction, Registers], str | None]] = {}

    def take(
        self, modules: dict[str, Module], index: ModuleIndex, rows: Mapping[str, UserFact]
    ) -> None:
        """These are the modules from now on, and what users say of functions elsewhere."""
        self.modules, self.visible = modules, modules
        self.rows = rows
        self.texts = Texts()
        self.applied = {}
        self._index = index

    # What models use

    def origin(self, span: Span) -> Origin:
        return self.path, span

    def allocate(self, kind: str, span: Span, extra: Any = None) -> Site:
        """The site of what this instruction makes, in this context; made again from now on."""
        frame = self.activation.frame
        key = (kind, self.path, span, frame, extra)
        site = self.sites.get(key)
        if site is None:
            site = self.sites[key] = Site(kind, self.path, span)
        self.made(site, self.current, bool(self.guarded))
        site.info["around"] = frozenset(loop for loop, _ in self.loops)
        if self.traced:
            site.info["traced"] = True  # a compiled caller holds other arrays
        site.info["frame"] = frame
        return site

    def made(self, site: Site, loops: Marks, kept: bool) -> None:
        """Notes that the site is made again, in the steady turns of these loops."""
        self.generation += 1
        site.generation = self.generation
        self.remake(site, loops, kept)
        if site.kind in ("transform", "instance"):
            within = self.activation.function
            sides = tuple(self.sides.items())
            self.events.append(Allocation(site, loops, kept, within, self.calls, sides))

    def remake(self, site: Site, loops: Marks, kept: bool) -> None:
        self.met.add(site)
        made = self.activations[-1].made
        if kept:
            made.setdefault(site, None)
            return
        old = made.get(site)
        if old is None or not loops <= old:
            made[site] = loops if old is None else old | loops
        fresh = self.fresh.get(site)
        if fresh is None or not loops <= fresh:
            self.fresh[site] = loops if fresh is None else fresh | loops

    def is_below(self, depth: int) -> bool:
        """Are there fewer calls within calls? Notes how near it was."""
        left = depth - len(self.activations)
        self.slack = min(self.slack, left) if left >= 0 else self.slack
        return left >= 0

    def note_loop(self, loop: Loop, facts: LoopFacts) -> None:
        self.met.loops.add(loop, facts)
        self.activations[-1].loops_met.add(loop, facts)

    def find_module_below(self, path: str, name: str) -> str | None:
        """The path of a module in the package whose `__init__` is at `path`."""
        found = self._index.find(f".{name}", path) if self._index.is_package(path) else None
        return found if found in self.visible else None

    def save(self) -> tuple[Any, ...]:
        """Where the machine is, to come back to it (see `restore`)."""
        return (
            self.path, self.layers, self.loops, self.current, self.traced, self.guarded, self.calls,
            self.guards,
        )  # fmt: skip

    def restore(self, saved: tuple[Any, ...]) -> None:
        (
            self.path, self.layers, self.loops, self.current, self.traced, self.guarded, self.calls,
            self.guards,
        ) = saved  # fmt: skip

    def path_is_spread(self, span: Span) -> bool:
        """Is the call at this place given unknown `**options`?"""
        return (self.path, span) in self.spread

    def is_starred(self, span: Span) -> bool:
        """Has the call at this place star arguments, known or not?"""
        return (self.path, span) in self.starred

    def open_loops(self) -> Marks:
        """Of this function."""
        return frozenset(loop for loop, _ in self.loops) if self.loops else NO_MARKS

    def turns_are_few(self) -> bool:
        """Are the loops that are open here short, each of them?"""
        return all(loop in self.short for loop, _ in self.loops)

    def dispatch(self, operations: int = 1) -> None:
        """So many operations start here, one by one, where nothing is traced."""
        if not self.traced:
            self.dispatches += operations

    def note(self, event: Event) -> None:
        self.events.append(event)

    def write(self, location: Location, value: Value, span: Span | None = None) -> None:
        """Writes a location. With a span, the write is an event where others can see it."""
        if span is not None and not self.activation.is_local(location):
            activation = self.activation
            is_new = activation.owns(location) and location not in activation.writes
            old = None if is_new else self.peek(location)  # each call has locals of its own
            if old is not None:  # the first write changes nothing that was read before
                name = self.activation.function.name
                self.events.append(Write(location, self.path, span, value, old, self.calls, name))
            if self.traced and (TRACED in value.marks or isinstance(value.only, _HOLDING)):
                known = self.written_at.setdefault(location, {})
                known.setdefault(self.activation.function, (self.path, span))
        self.put(location, value)

    @abstractmethod
    def attribute(self, value: Value, name: str, span: Span) -> Value:
        """`value.name`."""

    @abstractmethod
    def item(self, value: Value, key: Value, span: Span) -> Value:
        """`value[key]`."""

    @abstractmethod
    def call(
        self, callee: Value, args: Sequence[Value], keywords: dict[str, Value], span: Span
    ) -> Value:
        """`callee(*args, **keywords)`."""

    def call_traced(
        self,
        callee: Value,
        args: Sequence[Value],
        span: Span,
        keywords: dict[str, Value] | None = None,
    ) -> Value:
        """Calls it as JAX does while it traces."""
        self.traced += 1
        try:
            return self.call(callee, args, keywords or {}, span)
        finally:
            self.traced -= 1

    def module_from(self, name: str, importer: str) -> str | None:
        """The path of a module of the project, as another file names it."""
        path = self._index.find(name, importer)
        return path if path in self.visible else None

    def is_certain_module(self, name: str) -> bool:
        """Can the name stand for no other module, whatever else is installed?"""
        return self._index.is_sole(name, self.path)

    def is_library(self, name: str) -> bool:
        """Is it the first word of a library that the linter knows, or a module of Python?"""
        return name in self._index.libraries or name in sys.stdlib_module_names

    def find_module(self, name: str) -> str | None:
        """The path of a module of the project, as the file that runs now names it."""
        path = self._index.find(name, self.path)
        return path if path in self.visible else None

    def entered(self, function: Function, span: Span) -> None:
        """A function of the program is called here; `views.call_graph` notes it."""

    # Running

    def run(self, code: Sequence[Instruction]) -> str | None:
        """Runs instructions; says whether what follows them is reached."""
        operations = self.operations
        registers = self.activation.registers
        for instruction in code:
            self.budget -= 1
            if self.budget < 0:
                raise OutOfBudget
            if operations[instruction[0]](instruction, registers) is not None:
                return STOP
        return None

    def locate(self, name: str, hops: int) -> Location:
        """The location of a name: `hops` enclosing functions out, or of the module."""
        activation = self.activation
        if name.startswith("%") or (hops == 0 and not activation.function.is_module):
            return activation.frame, name
        if 0 < hops <= len(activation.environment):
            return activation.environment[-hops], name
        return activation.function.path, name
