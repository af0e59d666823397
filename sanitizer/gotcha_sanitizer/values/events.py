"""What the hooks see, as plain values: no array, tracer, frame or function is ever kept.

Only hooks/ makes events; checks/ and reporters/ read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gotcha_sanitizer.values.host_events import (
    Activity,
    Deleted,
    Diverged,
    Footprints,
    Forked,
    Host,
    HostRead,
    HostReads,
    Memory,
    Pickled,
    Setting,
)
from gotcha_sanitizer.values.host_events import LoopActivity as LoopActivity
from gotcha_sanitizer.values.host_events import ReadsAt as ReadsAt
from gotcha_sanitizer.values.parts import (
    Capture,
    Constant,
    Difference,
    Equations,
    Function,
    Mark,
    Signature,
    Site,
    Turn,
)
from gotcha_sanitizer.values.training import Flow, Look


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
    turn: Turn | None = None  # of a loop of the user's that counts
    worked: float | None = None  # CPU seconds of the process during the stages, with its children
    called: bool = True  # by a call, so that JAX's caches could have spared it
    beside: bool = False  # another function object of the same source is kept by the program
    kept: int = 0  # traces of this source that JAX keeps, and their programs with them
    # Of several hosts: does it have devices of more than one, and what are its operations.
    spans: bool | None = None
    equations: Equations | None = None  # of a large program
    digest: str = ""
    inlined: tuple[Site, ...] = ()  # jitted functions of the user's that it calls, by definition

    @property
    def site(self) -> Site | None:
        return self.stack[0] if self.stack else None

    @property
    def ends_the_start(self) -> bool:
        """A jitted function that the program calls itself; before it parameters are made.

        It may be a library's, as the step of a sampler. What a library calls inside is no such one.
        """
        owner = self.function.owner
        own = owner == "user" or (owner == "library" and not self.eager and self.library is None)
        return own and self.called


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

    @property
    def price(self) -> float:
        """Seconds without those in which other processes had the processor."""
        worked = self.program.worked
        return self.seconds if worked is None else min(worked, self.seconds)


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
    """A call of a jitted function that left JAX's fast path without compiling anything.

    `transformed`: a transformation outside of jit evaluates it, as in `vmap` over a Python loop.
    """

    at: float
    function: str
    site: Site | None
    loops: tuple[Site, ...] = ()
    transformed: bool = False


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
class NanOrigin:
    """A function, evaluated again from the arguments of its first call, gave a NaN in a step.

    `operation` at `site` made it; `reason` has a name that stays, `why` is what to do about it.
    """

    at: float
    function: str
    step: int
    operation: str
    site: Site | None
    reason: str = ""
    why: str = ""


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
    | Diverged
    | Footprints
    | Pickled
    | Memory
    | Activity
    | Forked
    | Host
    | Setting
    | Fact
    | Flow
    | Look
    | NanOrigin
    | Tick
)
