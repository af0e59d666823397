"""Do the hosts of one run do the same? Pure: it compares what each has published of itself.

Hosts run the same programs in the same order, or wait for each other forever. Only programs that
span several hosts are compared: what a host compiles for itself is its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place, plural, seconds

Json = Mapping[str, Any]
_VALUES = 3  # leaves that are named


@dataclass(frozen=True, slots=True)
class Entry:
    """A program that spans hosts, as one of them compiled it. `agree`: digests of the values that
    must be the same on all hosts, by argument."""

    function: str
    shapes: str
    site: Site | None
    digest: str = ""
    agree: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"`{self.function}` ({self.shapes}) at {place(self.site)}"

    @classmethod
    def read(cls, data: Json) -> Entry:
        site = Site(data["path"], data["line"]) if data["line"] else None
        return cls(
            data["function"],
            data["shapes"],
            site,
            data.get("digest", ""),
            data.get("agree", {}),
        )


@dataclass(frozen=True, slots=True)
class State:
    """Where a host is. `still`: seconds for which its main thread has stood there without work;
    `inside`: in JAX, so that it waits for a device or for other hosts."""

    host: int
    count: int = 0  # number of this report; it grows as long as the host lives
    programs: int = 0
    site: Site | None = None
    still: float = 0.0
    inside: bool = False
    over: bool = False

    @classmethod
    def read(cls, data: Json) -> State:
        site = Site(*data["site"]) if data["site"] else None
        names = ("host", "count", "programs", "still", "inside", "over")
        return cls(site=site, **{name: data[name] for name in names})

    def as_json(self) -> dict[str, Any]:
        return {
            "host": self.host,
            "count": self.count,
            "programs": self.programs,
            "site": list(self.site) if self.site else None,
            "still": round(self.still, 3),
            "inside": self.inside,
            "over": self.over,
        }


def difference(
    mine: tuple[int, Sequence[Entry]], other: tuple[int, Sequence[Entry]], begin: int = 0
) -> tuple[str, Site | None] | None:
    """The first program that two hosts do not share, or call with values that have to agree.

    Each is (host, programs); they are known to agree before `begin`. A host that has compiled fewer
    programs may come to them yet: that is no difference.
    """
    (one, first), (two, second) = mine, other
    for number in range(begin, min(len(first), len(second))):
        a, b = first[number], second[number]
        if (a.function, a.shapes) != (b.function, b.shapes) or _differ(a.digest, b.digest):
            same = plural(number, "program")
            inside = (a.function, a.shapes) == (b.function, b.shapes)
            what = " of the same name, with other operations" if inside else ""
            sides = f"host {one} compiled {a}, but host {two} compiled {b}{what}"
            return f"after {same} in common, {sides}", a.site
        changed = [name for name in a.agree if _differ(a.agree[name], b.agree.get(name, ""))]
        if changed:
            shown = ", ".join(f"`{name}`" for name in changed[:_VALUES])
            more = f" and {len(changed) - _VALUES} more" if len(changed) > _VALUES else ""
            text = (
                f"hosts {one} and {two} call {a} with different values of {shown}{more}: "
                "these are taken to be the same on all hosts"
            )
            return text, a.site
    return None


def _differ(a: str, b: str) -> bool:
    """Both known, and not equal."""
    return bool(a and b and a != b)


def waiting(
    states: Mapping[int, State], silent: Mapping[int, float], patience: float
) -> Iterator[tuple[int, str, Site | None]]:
    """Hosts that wait, and on whom: (the host that waits, words, its line).

    `silent`: seconds since each host gave its last sign of life. Hosts that all wait at one line
    may have a long step to compute: nothing is said of those.
    """
    stuck = [s for s in states.values() if s.still >= patience and not s.over]
    if not stuck:
        return
    first = min(stuck, key=lambda state: (not state.inside, -state.still, state.host))
    others = [s for s in states.values() if s.host != first.host]
    reasons = [_reason(s, silent.get(s.host, 0.0), first, patience) for s in others]
    told = [reason for reason in reasons if reason]
    if told:
        where = place(first.site)
        head = f"host {first.host} has waited {seconds(first.still)} at {where}"
        yield first.host, f"{head}, but {'; '.join(told[:_VALUES])}", first.site


def _reason(other: State, silent: float, first: State, patience: float) -> str:
    if other.over:
        return f"host {other.host} has ended its program"
    if silent >= patience:
        line = f", last seen at {place(other.site)}" if other.site else ""
        return f"host {other.host} has given no sign of life for {seconds(silent)}{line}"
    if _line(other.site) == _line(first.site):
        return ""
    if other.still >= patience and other.inside:
        return f"host {other.host} waits at {place(other.site)}: they wait for each other"
    return f"host {other.host} is at {place(other.site)}"


def _line(site: Site | None) -> tuple[str, int] | None:
    return (site.path, site.line) if site else None
