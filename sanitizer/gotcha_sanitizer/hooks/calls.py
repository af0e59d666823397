"""Calls of jitted functions, on Python 3.12 and later: the first ones, some later, and those after
a captured variable was assigned.

`sys.monitoring` can watch single code objects: the callers of jitted functions for calls, what
assigns a captured variable for lines, and JAX's own `cache_miss` for calls that leave the fast
path. A probe switches itself off when it has seen enough; the ticker switches it on again, for one
event, so that a call on the fast path costs nothing on average. `restart_events` is never called:
it would switch on those of other tools too.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any

from gotcha_sanitizer.frames import owner, where
from gotcha_sanitizer.hooks import Context, internals, private, stack
from gotcha_sanitizer.hooks.capture import Read
from gotcha_sanitizer.hooks.filtered import called_by
from gotcha_sanitizer.hooks.staleness import tell
from gotcha_sanitizer.hooks.watches import watches
from gotcha_sanitizer.hooks.writes import stack_codes, writers
from gotcha_sanitizer.old_python import CALLS, UNSEEN
from gotcha_sanitizer.values.events import SlowCall

_TOOLS = (4, 3)  # 0 to 2 and 5 are taken by debuggers, coverage, profilers and optimizers
_PERIOD = 0.05  # seconds between two looks at one caller, at the least
_LOOKS = 60  # in each doubling of the run's time, about
_CALLERS = 128
_AT_FIRST = 64  # calls at each place that are looked at
_AFTER_A_WRITE = 2  # calls at each place: the variable is assigned when the line is over
_WRITES = 16  # assignments between two looks of the ticker
_WRITERS = 64  # code objects


class Calls:
    """Probes on the callers of jitted functions. Callbacks run in the program: keep them small."""

    def __init__(self, context: Context, tool: int, jitted: type) -> None:
        self.context = context
        self.tool = tool
        self.jitted = jitted
        self.events: Any = sys.monitoring.events  # type: ignore[attr-defined]  # 3.12
        self._callers: OrderedDict[int, CodeType] = OrderedDict()  # by id: hashing reads the code
        self._left: dict[int, int] = {}  # looks that a call has left, by its address
        self._writers: dict[int, CodeType] = {}
        self._written: dict[tuple[int, int], set[int]] = {}  # (code, line) -> callers to look at
        self._writes = _WRITES
        self._miss: CodeType | None = internals.call_code(context.jax)

    def start(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        monitoring.register_callback(self.tool, self.events.CALL, self.on_call)
        monitoring.register_callback(self.tool, self.events.LINE, self.on_line)
        monitoring.register_callback(self.tool, self.events.PY_START, self.on_miss)
        watches.on_watch.append(self.watch)

    def watch(self, caller: CodeType | None, base: FunctionType | None, reads: list[Read]) -> None:
        """Looks at the calls of a function from now on, and at what assigns that which it reads."""
        self.add(caller)
        if caller is None or base is None:
            return
        for code, lines in writers(sys._getframe(1), base, reads):
            if len(self._writers) < _WRITERS or id(code) in self._writers:
                self._writers[id(code)] = code
                for line in lines:
                    self._written.setdefault((id(code), line), set()).add(id(caller))
                self._switch_on(code)

    def add(self, caller: CodeType | None) -> None:
        """Looks at the calls that this code makes from now on."""
        if caller is not None and id(caller) not in self._callers:
            self._callers[id(caller)] = caller
            self._switch_on(caller)
            while len(self._callers) > _CALLERS:
                _, dropped = self._callers.popitem(last=False)
                self._set(dropped, self._events(dropped))

    def arm(self) -> float:
        """Switches the probes on again; gives the seconds until the next time."""
        self._left = {place: max(left, 1) for place, left in list(self._left.items())}
        self._writes = _WRITES
        both = dict(self._callers) | self._writers
        for code in both.values():
            self._switch_on(code)
        if self._miss is not None:
            self._set(self._miss, 0)
            self._set(self._miss, self.events.PY_START)
        return self.context.now() / _LOOKS

    def _events(self, code: CodeType) -> int:
        calls = self.events.CALL if id(code) in self._callers else 0
        return calls | (self.events.LINE if id(code) in self._writers else 0)

    def _switch_on(self, code: CodeType) -> None:
        """Also where a probe has switched itself off."""
        self._set(code, 0)
        self._set(code, self._events(code))

    def _set(self, code: CodeType, events: int) -> None:
        sys.monitoring.set_local_events(self.tool, code, events)  # type: ignore[attr-defined]

    def on_call(self, code: CodeType, offset: int, function: Any, first: Any) -> Any:
        kind = type(function)  # all is called here: no attribute of an object of the user's is read
        if kind is self.jitted or (kind is MethodType and type(function.__func__) is self.jitted):
            self.context.guard("calls", self._called, function)
            place = id(code) + offset  # an address inside of the code object
            left = self._left[place] = self._left.get(place, _AT_FIRST) - 1
            if left > 0:
                return None
        return sys.monitoring.DISABLE  # type: ignore[attr-defined]

    def on_line(self, code: CodeType, line: int) -> Any:
        """A line of code that assigns a captured variable, here or in another line."""
        callers = self._written.get((id(code), line))
        if callers is None or self._writes <= 0:
            return sys.monitoring.DISABLE  # type: ignore[attr-defined]
        self._writes -= 1
        self.context.guard("calls", self._assigned, callers)
        return None

    def _assigned(self, callers: set[int]) -> None:
        """The next calls are looked at, of what runs now too."""
        for code in stack_codes(sys._getframe(2), most=4):
            if id(code) not in self._callers:
                self.add(code)
            callers.add(id(code))
        self._left = {place: max(left, _AFTER_A_WRITE) for place, left in list(self._left.items())}
        for each in list(callers):
            if each in self._callers:
                self._switch_on(self._callers[each])

    def _called(self, function: Any) -> None:
        frame = sys._getframe(2)
        watch = watches.of(called_by(frame) or internals.jitted_function(function))
        if watch is not None:
            found = where(frame)
            tell(self.context, watch, found.site, True)

    def on_miss(self, code: CodeType, offset: int) -> Any:
        self.context.guard("slow calls", self._missed)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined]

    def _missed(self) -> None:
        frame = sys._getframe(2)
        called = stack.find(frame, private.CALL)
        call = internals.call(called)
        if called is None or call is None:
            return
        if stack.find(called.f_back, private.TRACE) is not None:  # becomes a part of what is traced
            return
        name = getattr(call.fun, "__qualname__", type(call.fun).__name__)
        code = getattr(call.fun, "__code__", None)
        if code is None or owner(code.co_filename) != "user":
            return
        found = where(frame)
        key = f"{name.replace('<locals>.', '')}"
        slow = SlowCall(self.context.now(), key, found.site, found.loops, self._transformed(call))
        self.context.emit(slow)

    def _transformed(self, call: internals.Call) -> bool:
        jax = self.context.jax
        leaves = jax.tree_util.tree_leaves((call.args, call.kwargs))
        return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)

    def stop(self) -> None:
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        watched = (*self._callers.values(), *self._writers.values())
        for code in (*watched, *([self._miss] if self._miss else [])):
            self._set(code, 0)
        for event in (self.events.CALL, self.events.LINE, self.events.PY_START):
            monitoring.register_callback(self.tool, event, None)
        monitoring.free_tool_id(self.tool)


def _free_tool() -> int | None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    for tool in _TOOLS:
        if monitoring.get_tool(tool) is None:
            monitoring.use_tool_id(tool, "gotcha")
            return tool
    return None


def install(context: Context) -> Callable[[], None]:
    if not hasattr(sys, "monitoring"):
        context.degraded(CALLS, UNSEEN[CALLS])
        return lambda: None
    tool = _free_tool()
    if tool is None:
        context.degraded("calls", "other tools hold all tool IDs of sys.monitoring")
        return lambda: None
    calls = Calls(context, tool, internals.jitted_type(context.jax))
    calls.start()
    context.every(_PERIOD, calls.arm)
    return calls.stop
