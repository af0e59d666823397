"""What happens between the host and its devices: reads, pickles, forks, memory, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gotcha_sanitizer.values.parts import Site, Turn


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
    """All reads so far at one line by one method. Seconds; `steady`: in each iteration of its loop.

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
    blocked: float = 0.0  # in all these reads, the short ones too
    compared: int = 0  # first reads of which it is known whether their array is new
    new: int = 0  # of these: it was made since the read before
    span: float = 0.0  # from the first read to the last, without what was compiled meanwhile


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
    devices: int = 1  # that it lies on


@dataclass(frozen=True, slots=True)
class Memory:
    """A sample of the live arrays. `groups`: (shape, dtype) -> count, the largest first.

    `holders`: what holds a group that grows; `places`: the line that adds to it.
    """

    at: float
    bytes: int
    arrays: int
    groups: Mapping[tuple[tuple[int, ...], str], int] = field(default_factory=dict)
    holders: Mapping[tuple[tuple[int, ...], str], str] = field(default_factory=dict)
    resident: int = 0  # bytes of the process in main memory
    places: Mapping[tuple[tuple[int, ...], str], Site] = field(default_factory=dict)
    # Of some groups: how many arrays were looked at, and how many of these have a NaN.
    nan: Mapping[tuple[tuple[int, ...], str], tuple[int, int]] = field(default_factory=dict)
    turn: Turn | None = None  # of the loop that runs
    worked: float = 0.0  # seconds of processor time that the process has had


@dataclass(frozen=True, slots=True)
class LoopActivity:
    """Samples of the main thread in one loop of the user's; seconds are those they stand for.

    `eager`: seconds in JAX's Python code, outside of jit and of compiling. `lines`: of these, by
    the user's line.
    """

    loop: Site
    samples: int = 0
    seconds: float = 0.0
    eager: float = 0.0
    lines: Mapping[Site, float] = field(default_factory=dict)

    def grown(self, seconds: float, eager_at: Site | None) -> LoopActivity:
        """With one sample more."""
        lines, eager = dict(self.lines), self.eager
        if eager_at is not None:
            lines[eager_at] = lines.get(eager_at, 0.0) + seconds
            eager += seconds
        return LoopActivity(self.loop, self.samples + 1, self.seconds + seconds, eager, lines)


@dataclass(frozen=True, slots=True)
class Footprints:
    """Bytes that the compiled programs ask for while they run, by the function's name.

    Arguments, results and what is temporary; of several programs of one name the largest.
    """

    at: float
    bytes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Activity:
    """What the loops of the user's spend their time on, so far."""

    at: float
    loops: tuple[LoopActivity, ...]


@dataclass(frozen=True, slots=True)
class Forked:
    """The process forked after JAX had started its threads."""

    at: float
    site: Site | None


@dataclass(frozen=True, slots=True)
class Host:
    """This process is one of several that run the program together."""

    at: float
    index: int
    count: int


@dataclass(frozen=True, slots=True)
class Diverged:
    """The hosts of a run do not do the same. `cause`: program, or wait."""

    at: float
    cause: str
    words: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable or flag was found set after it stopped mattering, or has no effect here."""

    at: float
    name: str
    problem: str
    site: Site | None = None
    gotcha: str = "environment-set-too-late"
