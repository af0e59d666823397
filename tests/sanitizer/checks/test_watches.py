"""Captured variables that are looked at while the program goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gotcha_sanitizer.hooks.capture import reads
from gotcha_sanitizer.hooks.watches import Watch, Watches
from gotcha_sanitizer.values.parts import Capture, Function


class Program:
    """A loop that makes a new function in each turn, which reads the loop's variable `n`."""

    def __init__(self) -> None:
        n = 3

        def assign(value: int) -> None:
            nonlocal n
            n = value

        self.assign = assign
        self.step: Any = lambda x: x + n

    def watched(self) -> Watch:
        watches, found = Watches(), list(reads(self.step, self.step))
        was = tuple(Capture(each.label(), each.kind, each.mark()) for each in found)
        traced = Function("step", ("step",), 1, "lambda", "user")
        watches.watch(traced, self.step, found, was, None)
        (watch,) = watches.all()
        self.watches = watches  # a freed function is looked for here
        return watch


def test_a_change_is_told_once():
    program = Program()
    watch = program.watched()
    program.assign(5)
    assert [now.text for _, now in watch.changed()] == ["5"]
    assert not watch.changed()


def test_a_function_freed_during_a_look_is_not_stale():
    """The thread that looks may be late: the function is freed, then the variable is assigned."""
    program = Program()
    watch = program.watched()
    ((read, was),) = watch.reads

    def late() -> Any:
        if program.step is not None:
            program.step = None
            program.assign(5)
        return read.now()

    watch.reads = ((replace(read, now=late), was),)
    assert not watch.changed()
    assert not list(program.watches.left())


def test_a_change_before_the_function_is_freed_is_left_to_tell():
    program = Program()
    watch = program.watched()
    program.assign(5)
    program.step = None
    assert not watch.changed()
    assert [now.text for _, _, now in program.watches.left()] == ["5"]
