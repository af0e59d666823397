"""The state of the abstract program: locations and their values, in layers.

A location is `(frame, name)`, `(site, attribute)`, `(symbol, attribute)` or `(module, name)`. Each
open branch and loop body has a layer, so a branch costs only what it writes. Each activation notes
what it reads from outside and what it writes: this says when a summary still holds, which arrays a
trace captures, and which later write makes a capture stale.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gotcha_lint.domain.keys import Seeded
from gotcha_lint.domain.met import Loops
from gotcha_lint.domain.sites import Frame, Site, Span
from gotcha_lint.domain.value import BOTTOM, NO_MARKS, NONE, Marks, Value, join
from gotcha_lint.interpret.bindings import Bindings, Lookup, may_be_fixed, path_of
from gotcha_lint.interpret.events import Location

if TYPE_CHECKING:
    from gotcha_lint.program.ir import Function

Layer = dict[Location, Value]
Fields = dict[Any, dict[str, None]]


MISSING = Value((), False, frozenset(("missing",)))  # what a read finds where nothing is yet


def gone_at(location: Location) -> Location:
    """Where it is kept that a call has taken the arrays of a location."""
    return ("<donated>", location)  # type: ignore[return-value] - a name that no program has


class LoopState:
    """The states that leave an open loop early."""

    __slots__ = ("base", "breaks", "continues", "start")

    def __init__(self, base: int) -> None:
        self.base = base
        self.start = 0  # the first event of the turn
        self.breaks: list[Layer] = []
        self.continues: list[Layer] = []


class Activation:
    """A function that is being interpreted."""

    __slots__ = (
        "base",
        "calls",
        "control",
        "cut",
        "environment",
        "fixed",
        "frame",
        "function",
        "functions",
        "given",
        "gone",
        "key",
        "loops",
        "loops_met",
        "made",
        "made_at",
        "on_host",
        "partial",
        "reads",
        "registers",
        "returns",
        "seeded",
        "shares",
        "sources",
        "started",
        "tests",
        "writes",
        "yields",
    )

    def __init__(
        self, function: Function, frame: Frame, environment: tuple[Frame, ...], base: int
    ) -> None:
        self.function = function
        self.frame = frame
        self.environment = environment  # frames of the enclosing functions, outermost first
        self.base = base  # how many layers lie below
        self.calls: set[Span] = set()  # places in it that have called a function
        self.reads: Layer = {}
        self.fixed: set[Location] = set()  # read besides, and bound to the same for good
        self.writes: set[Location] = set()
        self.returns: list[tuple[Value, Layer]] = []
        self.yields: list[Value] = []
        self.started: set[str] = set()  # what it has certainly started (see `startup`)
        self.on_host = False  # it has read arrays of the device
        self.registers: dict[int, Value] = {}
        self.gone: set[Location] = set()  # whose arrays a call may have taken
        self.given: dict[str, Value] = {}  # its parameters, as it got them
        self.sources: dict[int, Location] = {}  # where a register was loaded from
        self.tests: dict[int, tuple[Location, Any, bool]] = {}  # location is (not) a constant
        self.shares: dict[int, float] = {}  # tests that hold for one of so many numbers
        self.loops: list[LoopState] = []
        self.loops_met = Loops()  # those of its callees, too
        self.functions: set[Function] = set()  # that were interpreted within
        self.made: dict[Site, Marks | None] = {}  # in which loops; None: only where it is missing
        self.made_at: dict[Hashable, Span] = {}  # containers that calls made: the first call
        self.partial: dict[str, Span] = {}  # names that one way of a branch alone has bound
        self.control: Marks = NO_MARKS  # what decides which of its returns is taken
        self.key: Any = None  # of the context
        self.seeded: set[Seeded] = set()  # keys that were made within
        self.cut: set[Any] = set()  # contexts further out that were called again: recursion

    def owns(self, location: Location) -> bool:
        return location[0] is self.frame

    def is_local(self, location: Location) -> bool:
        """Nothing else can see it."""
        return location[0] is self.frame and location[1] not in self.function.captured


class State:
    """The layers, and the activations that note what is read and written."""

    def __init__(self) -> None:
        self.bottom: list[Layer] = [{}]  # what modules have left: of all that are imported
        self.layers: list[Layer] = list(self.bottom)
        self.activations: list[Activation] = []
        self.fields: Fields = {}  # attributes written in this root, in order
        self.fields_below: list[Fields] = []  # ... by the modules
        self.bindings = Bindings()
        self.lookups: dict[tuple[Site, str], Lookup] = {}
        self.loading: set[str] = set()  # modules that are being run: their names are not settled

    @property
    def activation(self) -> Activation:
        return self.activations[-1]

    def peek(self, location: Location) -> Value | None:
        """The value at a location, without noting that it is read."""
        for layer in reversed(self.layers):
            value = layer.get(location)
            if value is not None:
                return value
        return None

    def read(self, location: Location) -> Value | None:
        """The value at a location; that it is read is noted, and also that nothing is there yet."""
        value = self.peek(location)
        activation = self.activations[-1]
        if (
            location[0] is not activation.frame
            and location not in activation.writes
            and location not in activation.reads
        ):
            if self._is_fixed(location, value):
                activation.fixed.add(location)
            else:
                activation.reads[location] = MISSING if value is None else value
        return value

    def _is_fixed(self, location: Location, value: Value | None) -> bool:
        """Is it a name that is bound to the same for good?"""
        if not may_be_fixed(location) or path_of(location) in self.loading:
            return False
        for layer in reversed(self.bottom):
            left = layer.get(location)
            if left is not None:
                return left is value and self.bindings.is_fixed(location, left)
        return value is None and self.bindings.is_fixed(location, None)

    def put(self, location: Location, value: Value) -> None:
        """Writes a location; whether others can see it is noted."""
        activation = self.activations[-1]
        if not activation.is_local(location):
            activation.writes.add(location)
        if location[0].__class__ is not Frame:
            self.fields.setdefault(location[0], {})[location[1]] = None
        if may_be_fixed(location) and path_of(location) not in self.loading:
            self.bindings.rebound.add(location)
        self.layers[-1][location] = value
        if activation.gone and location in activation.gone:
            self.layers[-1][gone_at(location)] = NONE

    def fields_of(self, base: Any) -> list[str]:
        """The attributes of a site or symbol, in the order in which they were first written."""
        own = self.fields.get(base, {})
        below = [known for each in self.fields_below if (known := each.get(base))]
        return list({name: None for known in (*below, own) for name in known})

    def since(self, base: int) -> Layer:
        """All that was written in the layers above `base`."""
        out: Layer = {}
        for layer in self.layers[base:]:
            out.update(layer)
        return out

    def merge(self, branches: Sequence[Layer], marks: Marks = NO_MARKS) -> None:
        """Joins what the branches wrote, into the top layer.

        What differs varies with `marks`: with what decided between the branches.
        """
        top = self.layers[-1]
        if len(branches) == 1:
            top.update(branches[0])
            return
        for location in _locations(branches):
            before = self.peek(location)
            value = BOTTOM
            for branch in branches:
                after = branch.get(location, before)
                if after is not None:
                    value = join(value, after, marks)
            top[location] = value


def _locations(branches: Iterable[Layer]) -> dict[Location, None]:
    """In the order of the first write, so that runs do not differ."""
    return {location: None for branch in branches for location in branch}
