"""Captured variables of traced functions, looked at again later: has one changed since?

A helper of other hooks: it keeps marks and weak references only.
"""

from __future__ import annotations

import types
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from gotcha_sanitizer.hooks.capture import Read
from gotcha_sanitizer.values.parts import Capture, Function, Mark

_FUNCTIONS, _READS = 256, 64
_PLAIN = ("value", "array")  # kinds of marks: what has these holds no function


@dataclass
class Watch:
    """What one traced function read, and what it was."""

    function: Function
    alive: weakref.ref[types.FunctionType]
    reads: tuple[tuple[Read, Capture], ...]
    told: set[str] = field(default_factory=set)
    gone: bool = False  # the function was freed

    def changed(self) -> list[tuple[Capture, Mark]]:
        """Variables that are not what they were; each is told once.

        Looks are made by a thread: the program may free the function and then assign the variable
        while one is made. So whether it is gone is asked last.
        """
        found = list(self._differing())
        if self.gone:
            return []
        self.told.update(was.name for was, _ in found)
        return found

    def _differing(self) -> Iterator[tuple[Capture, Mark]]:
        for read, was in self.reads:
            if was.name in self.told:
                continue
            try:
                now = read.mark()
            except Exception:  # gone, or an attribute of the user's that raises
                continue
            if differs(was.mark, now):
                yield was, now

    def last(self) -> list[tuple[Capture, Mark]]:
        """As `changed`, for a function that is freed now: its variables are held until here."""
        self.gone = True
        found = list(self._differing())
        self.reads = ()
        return found


class Watches:
    """The functions that are watched, the longest unused forgotten first."""

    def __init__(self) -> None:
        self._by_serial: OrderedDict[int, Watch] = OrderedDict()
        self._left: deque[tuple[Watch, Capture, Mark]] = deque(maxlen=_FUNCTIONS)
        self.on_watch: list[Callable[..., None]] = []
        self.on_compiled: list[Callable[[], None]] = []  # a function of the user's, at a call

    def watch(
        self,
        function: Function,
        base: types.FunctionType | None,
        found: list[Read],
        captures: tuple[Capture, ...],
        caller: types.CodeType | None,
    ) -> None:
        """From the end of its trace on; a new trace starts again. `caller` made the call.

        What the trace itself has changed is not looked at: counters of traces, memos.
        """
        for told in self.on_watch:
            told(caller, base, found)
        if base is None:
            return
        by_name = {each.name: each for each in captures}
        pairs = [(read, by_name[read.label()]) for read in found if read.label() in by_name]
        kept = tuple(_held(*pair) for pair in pairs if pair[0].kind != "partial")[:_READS]
        watch = Watch(function, weakref.ref(base, self._gone), kept)
        watch.changed()  # what the trace itself has changed counts as told
        self._by_serial[function.serial] = watch
        self._by_serial.move_to_end(function.serial)
        while len(self._by_serial) > _FUNCTIONS:
            self._by_serial.popitem(last=False)

    def of(self, base: object) -> Watch | None:
        """The watch of a Python function, if it was traced."""
        for watch in reversed(self._by_serial.values()):
            if watch.alive() is base:
                return watch
        return None

    def _gone(self, dead: weakref.ref[types.FunctionType]) -> None:
        """Called as a function is freed, in the middle of anything: only takes note."""
        try:
            for watch in list(self._by_serial.values()):
                if watch.alive is dead:
                    self._left += [(watch, was, now) for was, now in watch.last()]
        except Exception:  # the interpreter shuts down
            return

    def left(self) -> Iterator[tuple[Watch, Capture, Mark]]:
        """What had changed of functions that are gone, once."""
        while self._left:
            yield self._left.popleft()

    def clear(self) -> None:
        self._by_serial.clear()
        self._left.clear()
        self.on_watch.clear()
        self.on_compiled.clear()

    def all(self) -> list[Watch]:
        return list(self._by_serial.values())


def _held(read: Read, was: Capture) -> tuple[Read, Capture]:
    """Looks on when the function is gone, if what it reads cannot keep the function alive."""
    if read.hold is not None and _is_plain(was.mark):
        try:
            return replace(read, now=read.hold()), was
        except Exception:  # no such variable: it is looked up through the function
            pass
    return read, was


def _is_plain(value: Mark) -> bool:
    if value.kind == "container":
        return all(_is_plain(part) for _, part in value.parts)
    return value.kind in _PLAIN


def differs(was: Mark, now: Mark) -> bool:
    """A change that a cached program cannot have seen.

    A function or object that was only made again, with equal contents, is no change; neither is a
    name that now holds nothing.
    """
    if now.text == "None":
        return False
    if was.kind == now.kind == "identity" and _other_arrays(was, now):
        return True
    if was.key == now.key and was.source == now.source:
        return False
    if was.kind == now.kind and was.kind in ("function", "method", "identity", "partial"):
        return was.source != now.source
    return True


def _other_arrays(was: Mark, now: Mark) -> bool:
    """An array of the same type was put in the place of one: `source` tells only types."""
    if was.kind == now.kind == "array":
        return was.key != now.key
    return any(
        name == other and _other_arrays(before, after)
        for (name, before), (other, after) in zip(was.parts, now.parts, strict=False)
    )


watches = Watches()
