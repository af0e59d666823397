"""`collectives(step, *args)`: which line makes the devices exchange data, and how much."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gotcha_sanitizer.explain.hlo import Collective
from gotcha_sanitizer.explain.hlo import collectives as read
from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.guard import unseen
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place, size

_SHOWN = 12
_LARGE = 2**20  # bytes: a smaller array may as well be on all devices


@dataclass(frozen=True)
class Line:
    """All collectives of one kind that one line made. `bytes` are those of all results together."""

    kind: str
    site: Site | None
    count: int
    bytes: int
    operations: tuple[str, ...]

    def __str__(self) -> str:
        times = f" x{self.count}" if self.count > 1 else ""
        names = f" ({', '.join(self.operations[:2])})" if self.operations else ""
        return f"{place(self.site)}: {self.kind}{times}, {size(self.bytes)}{names}"


@dataclass(frozen=True)
class Exchange:
    """Of one compiled program. `replicated`: large arguments that each device holds whole."""

    lines: tuple[Line, ...]
    replicated: tuple[tuple[str, int, int], ...]  # path, bytes, devices

    @property
    def bytes(self) -> int:
        return sum(line.bytes for line in self.lines)

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        if not self.lines:
            yield "no collectives: the devices exchange nothing"
        else:
            yield f"{size(self.bytes)} come to each device in one call:"
        yield from (f"  {line}" for line in self.lines[:_SHOWN])
        if (more := len(self.lines) - _SHOWN) > 0:
            yield f"  and {more} more"
        for name, held, devices in self.replicated[:_SHOWN]:
            yield f"  {name}: {size(held)}, whole on each of {devices} devices"


def collectives(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Exchange:
    """Compiles `fn` (jitted or not) for these arguments and reads where devices exchange data.

    It compiles once more, with the arguments' shardings, and runs nothing. Bytes are those of the
    results on one device, so an all-reduce of a gradient counts once. A collective inside of a loop
    counts once, however often the loop runs. A line is that of the operation which XLA made the
    collective for: what reads sharded data, not always what should be changed.
    """
    import jax

    with unseen():
        jitted: Any = fn if hasattr(fn, "lower") else jax.jit(fn)
        text = jitted.lower(*args, **kwargs).compile().as_text()
    found = read(text or "", lambda path: owner(path) == "user")
    return Exchange(_lines(found), tuple(_replicated(jax, args, kwargs)))


def _lines(found: list[Collective]) -> tuple[Line, ...]:
    by_line: dict[tuple[str, Site | None], list[Collective]] = {}
    for each in found:
        by_line.setdefault((each.kind, each.site), []).append(each)
    lines = [
        Line(
            kind,
            site,
            len(group),
            sum(each.bytes for each in group),
            tuple(dict.fromkeys(each.operation for each in group if each.operation)),
        )
        for (kind, site), group in by_line.items()
    ]
    return tuple(sorted(lines, key=lambda line: -line.bytes))


def _replicated(jax: Any, args: Any, kwargs: Any) -> Iterator[tuple[str, int, int]]:
    leaves, _ = jax.tree_util.tree_flatten_with_path((args, kwargs))
    found = []
    for path, leaf in leaves:
        devices = len(getattr(getattr(leaf, "sharding", None), "device_set", ()))
        if devices > 1 and leaf.nbytes >= _LARGE and leaf.is_fully_replicated:
            name = jax.tree_util.keystr(path[1:])
            found.append((f"args{name}" if path[0].idx == 0 else name, leaf.nbytes, devices))
    yield from sorted(found, key=lambda row: -row[1])
