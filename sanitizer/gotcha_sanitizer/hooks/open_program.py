"""A program that is being made: what its events have told so far."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass, field
from types import CodeType, FunctionType

from gotcha_sanitizer.frames import Where
from gotcha_sanitizer.hooks.capture import Read
from gotcha_sanitizer.hooks.hosts.published import Print
from gotcha_sanitizer.values.events import Program
from gotcha_sanitizer.values.parts import (
    Capture,
    Constant,
    Equations,
    Function,
    Signature,
    Site,
    Turn,
)


@dataclass
class OpenProgram:
    """Filled stage by stage; `as_event` once the last one is over."""

    number: int
    name: str
    called: bool
    place: Where
    caller: CodeType | None = None
    turn: Turn | None = None
    described: bool = False  # wholly: else it is compared with nothing, and nothing is claimed
    function: Function | None = None
    base: weakref.ref[FunctionType] | None = None  # weak: a trace that raised is noticed late
    signature: Signature = field(default_factory=Signature)
    shapes: str = ""  # of the first arguments, as they are shown
    captures: tuple[Capture, ...] = ()
    reads: list[Read] = field(default_factory=list)
    constants: tuple[Constant, ...] = ()
    inlined: tuple[Site, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    began: dict[str, float] = field(default_factory=dict)  # stages, by the CPU clock
    worked: float = 0.0
    retraced: bool = False
    cleared: bool = False
    beside: bool = False
    kept: int = 0
    cached: bool | None = None
    eager: str = ""
    transform: str = ""
    equations: Equations | None = None
    published: Print | None = None  # of several hosts: what has to be the same on all

    @property
    def stem(self) -> str:
        return self.name.removeprefix("jit(").removesuffix(")")

    def as_event(self, at: float) -> Program:
        function = self.function or Function(self.stem, (self.stem,), 0, "function", "library")
        return Program(
            at=at,
            number=self.number,
            function=function,
            stack=self.place.stack,
            loops=self.place.loops,
            signature=self.signature,
            captures=self.captures,
            constants=self.constants,
            seconds=dict(self.seconds),
            worked=self.worked,
            retraced=self.retraced,
            cached=self.cached,
            eager=self.eager,
            transform=self.transform,
            thread=threading.get_ident(),
            cleared=self.cleared,
            library=self.place.library,
            turn=self.turn,
            called=self.called and self.described,
            beside=self.beside,
            kept=self.kept,
            inlined=self.inlined,
            equations=self.equations,
            spans=self.published.spans if self.published else None,
            digest=self.published.digest if self.published else "",
        )
