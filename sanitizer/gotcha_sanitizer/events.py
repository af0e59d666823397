"""What the hooks see, as plain values: no array, tracer, frame or function is ever kept.

Only hooks/ makes events; checks/ and reporters/ read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gotcha_sanitizer.parts import Capture, Constant, Difference, Function, Mark, Signature, Site


@dataclass(frozen=True, slots=True)
class Started:
    """A stage (trace, lower, compile) of a program begins."""

    at: float
    program: int
    stage: str
    function: str
    site: Site | None
    shapes: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A stage ended. `cached`: found in the persistent cache (compile only)."""

    at: float
    program: int
    stage: str
    function: str
    seconds: float
    site: Site | None = None
    cached: bool | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A call that was traced, lowered or compiled; sent once, when the call's last stage is over.

    `stack` holds the user's lines, innermost first. `seconds` has a key for each stage that was
    seen; a stage that happened inside an outer trace has none. `eager`: "op" for an operation run
    outside of jit, "grad" for one inside an eager gradient, "" for a jitted function.
    `transform` names the transformation that was run eagerly over a jitted function.
    """

    at: float
    number: int
    function: Function
    stack: tuple[Site, ...]
    loops: tuple[Site, ...]  # loops, in the user's lines, that this call runs in
    signature: Signature
    captures: tuple[Capture, ...]
    constants: tuple[Constant, ...]
    seconds: Mapping[str, float]
    retraced: bool  # a new jaxpr was made
    cached: bool | None  # found in the persistent cache; None where there is no such cache
    eager: str = ""
    transform: str = ""
    thread: int = 0
    cleared: bool = False  # an earlier jaxpr of the same function object is gone
    library: Site | None = None  # the library's line that made the call, before the user's
    called: bool = True  # by a call, so that JAX's caches could have spared it

    @property
    def site(self) -> Site | None:
        return self.stack[0] if self.stack else None


@dataclass(frozen=True, slots=True)
class Explained:
    """A program and why it was compiled. `differences` is empty for the first of its function.

    `variants` counts the programs of this function so far; `here` those from the same line.
    """

    program: Program
    differences: tuple[Difference, ...]
    variants: int
    here: int
    before: Program | None = None  # the earlier program it was compared with

    @property
    def cause(self) -> str:
        return self.differences[0].cause if self.differences else ""

    @property
    def seconds(self) -> float:
        return sum(self.program.seconds.values())


@dataclass(frozen=True, slots=True)
class Stale:
    """A captured value is not what it was at the trace, and no retrace has seen the new one.

    `called`: the cached program was called after the change (None where calls cannot be seen).
    """

    at: float
    function: Function
    capture: Capture
    now: Mark
    site: Site | None
    called: bool | None


@dataclass(frozen=True, slots=True)
class SlowCall:
    """A call of a jitted function that left JAX's fast path without compiling anything."""

    at: float
    function: str
    site: Site | None
    loops: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True)
class HostRead:
    """A device array was read on the host. `how` is the method, like `__float__`.

    Sent only for reads that were looked at or whose value is not finite; HostReads counts all.
    `in_flight`: dispatched work was still running after the read (None: not looked at).
    `finite` is None where the value was not looked at.
    """

    at: float
    how: str
    shape: tuple[int, ...]
    dtype: str
    waited: float
    site: Site | None
    loops: tuple[Site, ...] = ()
    in_flight: bool | None = None
    finite: bool | None = None
    count: int = 0  # reads at this line so far, this one included


@dataclass(frozen=True, slots=True)
class ReadsAt:
    """All reads so far at one line by one method. Seconds; `steady`: at each turn of its loop.

    `visits`: times that the program came by; it may read many leaves then, of which one waits.
    `waits`: reads that waited; of those `looked` were looked at, and `idle` left nothing in flight.
    `spared`: what reading later could have saved at most: no more than the host did in between.
    """

    site: Site
    how: str
    count: int
    visits: int
    waits: int
    waited: float
    spared: float
    looked: int
    idle: int
    first: float  # when, in seconds since the start
    loops: tuple[Site, ...] = ()
    steady: bool = False


@dataclass(frozen=True, slots=True)
class HostReads:
    """The lines whose reads went on since the last such event, with all their reads so far."""

    at: float
    rows: tuple[ReadsAt, ...]


@dataclass(frozen=True, slots=True)
class Deleted:
    """An array was read after its memory was given away or freed: the read raised."""

    at: float
    how: str
    shape: tuple[int, ...]
    dtype: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Pickled:
    """A device array went through pickle."""

    at: float
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    site: Site | None
    how: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """A sample of the live arrays. `groups`: (shape, dtype) -> count, the largest first.

    `holders` tells what holds a group that grows, and `places` the line that adds to it.
    """

    at: float
    bytes: int
    arrays: int
    groups: Mapping[tuple[tuple[int, ...], str], int] = field(default_factory=dict)
    holders: Mapping[tuple[tuple[int, ...], str], str] = field(default_factory=dict)
    resident: int = 0  # bytes of the process in main memory
    places: Mapping[tuple[tuple[int, ...], str], Site] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Forked:
    """The process forked after JAX had started its threads."""

    at: float
    site: Site | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable or flag was found set after it stopped mattering, or has no effect here."""

    at: float
    name: str
    problem: str
    site: Site | None = None
    gotcha: str = "environment-set-too-late"


@dataclass(frozen=True, slots=True)
class Fact:
    """What a hook knows for sure, found by looking at a traced program or at an exception.

    `gotcha` is the name of the finding; the check `facts` passes it on.
    """

    at: float
    gotcha: str
    message: str
    site: Site | None
    function: str = ""
    cause: str = ""
    advice: str = ""
    severity: str = "warning"
    confidence: str = "high"
    evidence: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tick:
    """Some time has passed, or the program ends (`last`): checks may sum up."""

    at: float
    last: bool = False


Event = (
    Started
    | Ended
    | Program
    | Explained
    | Stale
    | SlowCall
    | HostRead
    | HostReads
    | Deleted
    | Pickled
    | Memory
    | Forked
    | Setting
    | Fact
    | Tick
)
