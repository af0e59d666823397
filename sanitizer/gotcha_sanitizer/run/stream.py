"""Events as JSON lines, on disk as they happen.

What a report is made of is complete up to a kill; of stages, reads and memory a second is lost.
"""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from gotcha_sanitizer.values.events import (
    Diverged,
    Ended,
    Event,
    Explained,
    Footprints,
    Host,
    HostReads,
    Memory,
    Program,
)
from gotcha_sanitizer.values.parts import Constant, Equations, Leaf, Site, Turn

_FLUSH_EVERY = 1.0  # seconds: a write is a system call, and a storm has many events
_LEAVES = 2000  # of a call, whose types are kept
_LARGEST = 8  # constants of a program that are named
_AT_ONCE = {
    "start",
    "program",
    "finding",
    "degraded",
    "diverged",
    "summary",
}  # 1.2 us each (measured), beside a compile


class Stream:
    """A file of events; a process that was forked off opens one of its own at its first event."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.lock = threading.RLock()  # a signal's handler may come in between
        self.header: Callable[[], Mapping[str, Any]] | None = None  # of a forked process's file
        self._file: Any = None
        self._pid = 0
        self._flushed = 0.0
        self.size = 0  # bytes that were written, about: characters are counted
        self._path: Path | None = None  # of a file that took the place of another

    @property
    def path(self) -> Path:
        own = self.pattern.replace("%p", str(os.getpid()))
        forked = self._pid not in (0, os.getpid()) and "%p" not in self.pattern
        return Path(f"{own}.{os.getpid()}" if forked else own)

    def open(self) -> None:
        """Raises OSError where the file cannot be written."""
        path = self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = _alone(path)
        self._pid = os.getpid()
        self._path = None
        self.size = 0

    def write(self, event: Mapping[str, Any]) -> None:
        line = _line(event)
        with self.lock:
            if self._pid != os.getpid():
                self.open()
                if self.header is not None:
                    self._file.write(_line(self.header()))
            if self._file is None:  # closed: the program is over
                return
            self._file.write(line)
            self.size += len(line)
            at = event.get("at", 0.0)
            if event.get("event") in _AT_ONCE or at - self._flushed > _FLUSH_EVERY:
                self._flushed = at
                self._file.flush()

    def replace(self, events: Sequence[Mapping[str, Any]]) -> None:
        """These in the place of all that was written. A reader sees the old file or the new one.

        Raises OSError, as where the system does not replace a file that is open.
        """
        with self.lock:
            if self._file is None or self._pid != os.getpid():
                return
            path = self._path or Path(self._file.name)
            if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                return  # a pipe has no size
            file = path.with_name(f"{path.name}.part").open("w", encoding="utf-8")
            try:
                _claim(file)
                lines = [_line(event) for event in events]
                file.writelines(lines)
                file.flush()
                os.replace(file.name, path)
            except BaseException:
                file.close()
                Path(file.name).unlink(missing_ok=True)
                raise
            self._file.close()
            self._file, self._path = file, path
            self.size = sum(map(len, lines))

    def flush(self) -> None:
        """Raises OSError where the disk is full."""
        with self.lock:
            if self._file is not None and self._pid == os.getpid():
                self._file.flush()

    def in_child(self) -> None:
        """A fork: another thread of the parent may have held the lock."""
        self.lock = threading.RLock()

    def close(self) -> None:
        with self.lock:
            if self._file is not None and self._pid == os.getpid():
                self._file.close()
                self._file = None


def _line(event: Mapping[str, Any]) -> str:
    return json.dumps(event, default=str, separators=(",", ":")) + "\n"


def _alone(path: Path) -> Any:
    """The file, emptied; where another process is writing to it, one beside it with our number.

    Processes that a program starts inherit its options, the path among them.
    """
    file = path.open("a", encoding="utf-8")
    if not _claim(file):
        file.close()
        file = path.with_name(f"{path.name}.{os.getpid()}").open("a", encoding="utf-8")
        _claim(file)
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.truncate(0)
    return file


def _claim(file: Any) -> bool:
    """False where another process has claimed the file; the claim ends with the process."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # Windows; a file system without locks
        return True
    return True


def as_json(event: Event) -> dict[str, Any] | None:
    """What the record keeps of an event; None for those that are only counted."""
    match event:
        case Ended():
            return {
                "event": event.stage,
                "at": round(event.at, 4),
                "program": event.program,
                "function": event.function,
                "seconds": round(event.seconds, 6),
                "cached": event.cached,
                **_place(event.site),
            }
        case Explained():
            return _program(event)
        case HostReads():
            return {"event": "reads", "at": round(event.at, 4), "rows": _reads(event)}
        case Host():
            at = round(event.at, 3)
            return {"event": "host", "at": at, "index": event.index, "count": event.count}
        case Diverged():
            at, why = round(event.at, 3), event.words
            return {
                "event": "diverged",
                "at": at,
                "cause": event.cause,
                "why": why,
                **_place(event.site),
            }
        case Footprints():
            return {"event": "footprints", "at": round(event.at, 3), "bytes": dict(event.bytes)}
        case Memory():
            return {
                "event": "memory",
                "at": round(event.at, 3),
                "bytes": event.bytes,
                "arrays": event.arrays,
                "resident": event.resident,
                **_turn(event.turn),
            }
    return None


def _program(explained: Explained) -> dict[str, Any]:
    program = explained.program
    defined = program.function.site or program.site or Site("<unknown>", 0)
    return {
        "event": "program",
        "at": round(program.at, 4),
        "program": program.number,
        "function": program.function.name,
        "owner": program.function.owner,
        "eager": program.eager,
        "defined": [defined.path, defined.line],
        **_place(program.site),
        "stack": [list(site) for site in program.stack],
        "library": list(program.library) if program.library else None,
        "loop": bool(program.loops),
        **_turn(program.turn),
        **({"inlined": [list(site) for site in program.inlined]} if program.inlined else {}),
        **({"constants": _constants(program.constants)} if program.constants else {}),
        **({} if program.called else {"ahead": True}),
        **({"avals": avals_id(program.signature.leaves)} if _has_avals(program) else {}),
        **({"options": dict(program.signature.options)} if _own_options(program) else {}),
        **({"equations": _equations(program.equations)} if program.equations else {}),
        **({} if program.spans is None else {"spans": program.spans, "digest": program.digest}),
        "retraced": program.retraced,
        "cached": program.cached,
        "seconds": {stage: round(took, 6) for stage, took in program.seconds.items()},
        "shapes": shapes(program.signature.leaves),
        "causes": [each.cause for each in explained.differences],
        "why": [str(each) for each in explained.differences[:5]],
    }


def _equations(found: Equations) -> dict[str, Any]:
    lines = [[site.path, site.line, count] for site, count in found.lines]
    return {"count": found.total, "lines": lines}


def _has_avals(program: Program) -> bool:
    return bool(program.signature.leaves) and not program.eager


def _own_options(program: Program) -> bool:
    return bool(program.signature.options) and not program.eager


def avals(program: Program, known: Container[str]) -> dict[str, Any] | None:
    """The types of all leaves, where they are not `known`: an event of its own, for many programs
    have the same."""
    if not _has_avals(program) or (number := avals_id(program.signature.leaves)) in known:
        return None
    leaves = islice(program.signature.leaves.items(), _LEAVES)
    return {"event": "avals", "id": number, "leaves": {name: str(leaf) for name, leaf in leaves}}


def avals_id(leaves: Mapping[str, Leaf]) -> str:
    """The same for equal types, within this process: a compile must not wait for more."""
    types = tuple((name, leaf.shape, leaf.dtype, leaf.weak) for name, leaf in leaves.items())
    return f"{hash(types) & (2**64 - 1):016x}"


def _constants(found: Sequence[Constant]) -> dict[str, Any]:
    """The bytes of all of them, and the largest by name."""
    largest = [{"variable": each.origin, "bytes": each.bytes} for each in found[:_LARGEST]]
    return {"bytes": sum(each.bytes for each in found), "largest": largest}


def _turn(turn: Turn | None) -> dict[str, Any]:
    return {"turn": {"name": turn.name, "value": turn.value, **_place(turn.loop)}} if turn else {}


def _reads(event: HostReads) -> list[dict[str, Any]]:
    return [
        {
            **_place(row.site),
            "function": row.site.function,
            "how": row.how,
            "count": row.count,
            "waits": row.waits,
            "waited": round(max(row.blocked, row.waited), 6),  # short reads add up, too
            "looked": row.looked,
            "idle": row.idle,
            "loop": bool(row.loops),
        }
        for row in event.rows
    ]


def _place(site: Site | None) -> dict[str, Any]:
    return {"path": site.path if site else "<unknown>", "line": site.line if site else 0}


def shapes(leaves: Mapping[str, object], most: int = 4) -> str:
    """The first few arguments, like `x: float32[8,64], lr: float32[]`."""
    shown = ", ".join(f"{name}: {leaf}" for name, leaf in list(leaves.items())[:most])
    more = len(leaves) - most
    return shown + (f", and {more} more" if more > 0 else "")
