"""Traces, lowerings and compiles, from JAX's public monitoring events.

Nothing is replaced: while JAX sends an event, its frames are on the stack, and they hold the
function, its arguments and the jaxpr. A call that is on JAX's fast path sends none.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

from gotcha_sanitizer.frames import caller, where
from gotcha_sanitizer.hooks import (
    Context,
    capture,
    internals,
    private,
    self_tests,
    stack,
    trace_ends,
)
from gotcha_sanitizer.hooks.constants import constants
from gotcha_sanitizer.hooks.filtered import filtered
from gotcha_sanitizer.hooks.hosts import published
from gotcha_sanitizer.hooks.identity import identify
from gotcha_sanitizer.hooks.jaxpr.jaxprs import inlined
from gotcha_sanitizer.hooks.jaxpr.lines import equations
from gotcha_sanitizer.hooks.loop_counter import turn
from gotcha_sanitizer.hooks.marks import hide_values
from gotcha_sanitizer.hooks.open_program import OpenProgram
from gotcha_sanitizer.hooks.signature import filtered_signature, signature
from gotcha_sanitizer.hooks.traces import Traces, spent
from gotcha_sanitizer.hooks.watches import watches
from gotcha_sanitizer.run.stream import shapes
from gotcha_sanitizer.values.events import Ended, Started
from gotcha_sanitizer.values.parts import Function, Site, Turn

_FAR = 12  # functions of the user's that are on the stack
_LOOSE = 0  # events that belong to no call: make_jaxpr, eval_shape, lower().compile()


class Compiling:
    """Puts JAX's events together into programs; thread by thread, for calls nest."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._numbers = itertools.count(1)
        self._local = threading.local()
        self._traces = Traces()
        self._objects: dict[object, tuple[int, weakref.ref[Any]]] = {}  # functions, by source
        known = internals.call_code(context.jax)
        self._ahead = None if known else internals.ahead_of_time(context.jax)

    # -- listeners: called by JAX, must not raise ------------------------------------------------

    def on_scalar(self, event: str, value: float | int, **details: Any) -> None:
        if stage := private.STAGES.get(event):
            name = str(details.get("fun_name", "?"))
            self.context.guard("compile events", self._start, stage, name, sys._getframe(1))

    def on_duration(self, event: str, seconds: float, **details: Any) -> None:
        if stage := private.STAGES.get(event):
            name = str(details.get("fun_name", "?"))
            self.context.guard("compile events", self._end, stage, name, seconds, sys._getframe(1))

    def on_event(self, event: str, **details: Any) -> None:
        if event in (private.CACHE_HIT, private.CACHE_MISS):
            self.context.guard("compile events", self._looked_up, event)

    # ---------------------------------------------------------------------------------------------

    @property
    def _opened(self) -> dict[int, OpenProgram]:
        return self._local.__dict__.setdefault("opened", {})

    def _looked_up(self, event: str) -> None:
        self._local.hit = event == private.CACHE_HIT

    def _start(self, stage: str, name: str, frame: FrameType) -> None:
        trace = stack.find(frame, private.TRACE) if stage == "trace" else None
        root = self._root(frame, trace)
        program = self._program(name, root, frame, fresh=stage == "trace")
        if program.function is None:
            self._describe(program, internals.call(trace) or internals.call(root), frame)
            program.shapes = shapes(program.signature.leaves)
        program.transform = program.transform or stack.transformation(frame)
        self._local.hit = None
        program.began[stage] = _worked()
        self.context.emit(
            Started(
                at=self.context.now(),
                program=program.number,
                stage=stage,
                function=_shown(program),
                site=program.place.site,
                shapes=program.shapes,
            )
        )

    def _root(self, frame: FrameType, trace: FrameType | None) -> FrameType | None:
        """The frame of the call that an event belongs to: not of one whose trace is running."""
        start = frame if trace is None else trace.f_back
        if self._ahead is None:
            return stack.find(start, private.CALL, stop=private.TRACE)
        return stack.entry(start, self._ahead)

    def _program(
        self, name: str, root: FrameType | None, frame: FrameType, fresh: bool
    ) -> OpenProgram:
        """The program that an event belongs to: that of its call, or of the last loose event."""
        key = _LOOSE if root is None else id(root)
        program = self._opened.get(key)
        shared = key == _LOOSE or self._ahead is not None  # by several programs, one by one
        # A call traces once: one before it, that raised, may have had a frame at this address.
        if program is not None and (fresh or (shared and program.stem not in name)):
            self._close(self._opened.pop(key))
            program = None
        if program is None:
            self._drop_ended(frame)
            program = OpenProgram(next(self._numbers), name, root is not None, where(frame))
            program.caller = caller(root)
            program.turn = self._turn(frame)
            self._opened[key] = program
        return program

    def _turn(self, frame: FrameType) -> Turn | None:
        """Only for the page: a program must not be lost for it."""
        try:
            return None if self.context.options.redact else turn(frame)
        except Exception as error:
            self.context.degraded("loop counter", f"{type(error).__name__}: {error}"[:200])
            return None

    def _try(self, feature: str, function: Callable[..., Any], *args: Any) -> Any:
        """For what a program is described by besides: it must not be lost for a fault there."""
        try:
            return function(*args)
        except Exception as error:
            self.context.degraded(feature, f"{type(error).__name__}: {error}"[:200])
            return None

    def _drop_ended(self, frame: FrameType | None) -> None:
        """Calls that left without a compile, by an exception or by JAX's caches."""
        if not self._opened:
            return
        running = {_LOOSE}
        while frame is not None:
            running.add(id(frame))
            frame = frame.f_back
        for key in [key for key in self._opened if key not in running]:
            self._close(self._opened.pop(key))

    def _describe(
        self, program: OpenProgram, call: internals.Call | None, frame: FrameType
    ) -> None:
        if call is None:
            return
        fun = internals.mapped(call.fun)
        seen = filtered(self.context.jax, call)
        if seen is not None and seen.is_static:
            fun = seen.fun
        elif seen is not None:  # it was put together again: told apart by its method
            fun = identify(seen.fun, program.name)[1] or fun
        program.function, base = identify(fun, program.name)
        program.base = None if base is None else weakref.ref(base)
        program.beside = self._beside(program.function, fun)
        if seen is not None:
            program.signature = filtered_signature(self.context.jax, call, seen)
        else:
            program.signature = signature(self.context.jax, call)
        if program.function.owner == "jax":
            gradient = stack.gradient(frame)
            program.eager = "op" if gradient is None else "grad"
            if (
                gradient is None and not program.place.loops
            ):  # how often it compiles is proof enough
                program.place = program.place._replace(loops=where(frame, _FAR).loops)
            root = self._root(frame, stack.find(frame, private.TRACE))
            if root is not None and stack.find(root.f_back, private.TRACE) is not None:
                program.place = program.place._replace(loops=())  # once for each trace, no more
            if back := stack.called_back(frame):  # as good as a loop: once for each run of it
                code = back.f_code
                site = Site(code.co_filename, code.co_firstlineno, code.co_qualname)
                program.place = program.place._replace(loops=(*program.place.loops, site))
            if gradient is not None:  # the user's line is that of the gradient, not of the loss
                program.place = where(gradient)
            statics = {**program.signature.statics, **capture.settings(base)}
            program.signature = replace(program.signature, statics=statics)
            program.described = True
            return
        program.published = self._try("hosts", published.of_call, self.context.jax, call)
        program.reads = list(capture.reads(fun, base, internals.static_self(call)))
        program.captures = capture.captures(program.reads)
        program.described = True

    def _beside(self, function: Function, fun: Any) -> bool:
        """True while the object before of the same source lives: two models, not one made again."""
        serial, before = self._objects.get(function.key, (0, lambda: None))
        with contextlib.suppress(TypeError):  # no weak references
            self._objects[function.key] = function.serial, weakref.ref(fun)
        return before() is not None and serial != function.serial

    def _end(self, stage: str, name: str, seconds: float, frame: FrameType) -> None:
        trace = stack.find(frame, private.TRACE) if stage == "trace" else None
        root = self._root(frame, trace)
        program = self._program(name, root, frame, fresh=False)
        if stage == "compile":
            program.cached = self._local.__dict__.get("hit")
        kind = "load" if stage == "compile" and program.cached else stage
        program.seconds[kind] = program.seconds.get(kind, 0.0) + seconds
        spent.seconds += seconds
        began = program.began.pop(stage, None)
        program.worked += seconds if began is None else _worked() - began
        if trace is not None:
            self._traced(program, trace.f_locals.get(private.TRACED))
        ended = Ended(
            at=self.context.now(),
            program=program.number,
            stage=stage,
            function=_shown(program),
            seconds=seconds,
            site=program.place.site,
            cached=program.cached if stage == "compile" else None,
        )
        self.context.emit(ended)
        if stage == "compile":
            self._close(self._opened.pop(_LOOSE if root is None else id(root)))
            if program.called and program.function and program.function.owner == "user":
                for told in watches.on_compiled:
                    told()

    def _traced(self, program: OpenProgram, jaxpr: Any) -> None:
        """The trace is over: a new jaxpr, or one that JAX had kept."""
        if jaxpr is None or program.function is None:
            return
        program.retraced = not self._traces.knows(jaxpr)
        program.cleared = self._traces.lost(program.function)
        program.kept = self._traces.keep(program.function, jaxpr)
        if not program.retraced:
            return
        program.inlined = inlined(jaxpr)
        program.equations = self._try("equations", equations, jaxpr)
        if program.published is not None:
            program.published = self._try("hosts", published.of_program, program.published, jaxpr)
        if program.eager:
            return
        program.constants = constants(self.context.jax, jaxpr, program.reads)
        if program.function.owner == "user" and program.called:
            base = program.base() if program.base else None
            watches.watch(program.function, base, program.reads, program.captures, program.caller)
            self._look_inside(jaxpr, program)

    def _look_inside(self, jaxpr: Any, program: OpenProgram) -> None:
        for look in trace_ends():
            try:
                look(self.context, jaxpr, _shown(program), program.place.site)
            except Exception as error:
                self.context.degraded(look.__module__, f"{type(error).__name__}: {error}"[:200])

    def _close(self, program: OpenProgram) -> None:
        if program.seconds:
            if program.called and not program.eager and "compile" in program.seconds:
                published.publish(
                    program.published, _shown(program), program.shapes, program.place.site
                )
            self.context.emit(program.as_event(self.context.now()))

    def close_all(self) -> None:
        for key in list(self._opened):
            self._close(self._opened.pop(key))


def _worked() -> float:
    """CPU seconds of this process and of those that it has waited for, as a compiler of kernels."""
    return sum(os.times()[:4])


def _shown(program: OpenProgram) -> str:
    return program.function.name if program.function else program.stem


def install(context: Context) -> Callable[[], None]:
    for feature, lost in self_tests.self_test(context.jax).items():
        context.degraded(feature, lost)
    hide_values(context.options.redact)
    compiling = Compiling(context)
    monitoring = context.jax.monitoring
    listeners = (
        (monitoring.register_scalar_listener, compiling.on_scalar),
        (monitoring.register_event_duration_secs_listener, compiling.on_duration),
        (monitoring.register_event_listener, compiling.on_event),
    )

    def register() -> None:
        """A program may clear all listeners: those that are gone are put back."""
        for add, listener in listeners:
            if internals.is_registered(context.jax, listener) is False:
                add(listener)

    for add, listener in listeners:
        add(listener)
    context.every(5.0, register)
    context.at_end(compiling.close_all)

    def uninstall() -> None:
        for _, listener in listeners:
            internals.unregister(context.jax, listener)

    return uninstall
