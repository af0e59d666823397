"""Files are parsed while other threads parse, too: neither disturbs the other."""

from __future__ import annotations

import ast
import dis
import gc
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gotcha_sanitizer import syntax

TEXT = "\n".join(f"def f{n}(x):\n    return [x + {n} for _ in range(x)]" for n in range(200))


@pytest.fixture
def collected_often() -> Iterator[None]:
    """A callback of the garbage collector lets other threads run, as JAX's does."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()

    def switch(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(switch)
    gc.set_threshold(50)
    sys.setswitchinterval(1e-5)
    yield
    gc.callbacks.remove(switch)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


def at_depth(depth: int, work: Callable[[], object]) -> object:
    return work() if depth == 0 else at_depth(depth - 1, work)


@pytest.mark.usefixtures("collected_often")
def test_threads_that_parse_at_once():
    wrong: list[object] = []

    def work(depth: int) -> None:
        for _ in range(15):
            tree = at_depth(depth, lambda: syntax.parse(TEXT))
            if not isinstance(tree, ast.Module) or len(tree.body) != 200:
                wrong.append(tree)

    threads = [threading.Thread(target=work, args=(depth,)) for depth in (0, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and gc.isenabled()


def test_the_program_parses_undisturbed():
    """A collection in the middle of the program's own parse lets our thread begin one."""
    syntax.parse("x = 1")
    ours: list[object] = []
    thread = threading.Thread(target=lambda: ours.append(syntax.parse("x = 1")))

    def switch(phase: str, _: object) -> None:
        inside = sys._getframe(1).f_code is ast.parse.__code__
        if phase == "start" and inside and thread.ident is None:
            thread.start()
            thread.join(0.2)  # as long as it waits for us it has to go without

    threshold = gc.get_threshold()
    gc.callbacks.append(switch)
    gc.set_threshold(50)
    try:
        tree = at_depth(40, lambda: ast.parse(TEXT))
    finally:
        gc.callbacks.remove(switch)
        gc.set_threshold(*threshold)
    if thread.ident is None:  # from Python 3.12 on nothing is collected inside a parse
        thread.start()
    thread.join()
    assert isinstance(tree, ast.Module) and isinstance(ours[0], ast.Module)


@pytest.mark.usefixtures("collected_often")
def test_the_program_parses_undisturbed_for_long():
    """Our thread parses all the time, whatever the program parses, at any depth, by any way."""
    over, ours, wrong = threading.Event(), [0], list[str]()

    def background() -> None:
        while not over.is_set():
            ours[0] += syntax.parse("def f(x):\n    return [x for _ in range(3)]") is not None

    thread = threading.Thread(target=background, daemon=True)
    thread.start()
    ends = time.monotonic() + 3
    try:
        while time.monotonic() < ends:
            for depth in (0, 40):
                try:
                    at_depth(depth, lambda: ast.parse(TEXT))
                    at_depth(depth, lambda: compile(TEXT, "own", "exec", ast.PyCF_ONLY_AST))
                except SystemError as error:
                    wrong.append(str(error))
    finally:
        over.set()
        thread.join(10)
    assert not thread.is_alive() and wrong == [] and ours[0] > 10


def test_no_other_thread_runs_between_the_look_and_the_parse():
    """CPython lets other threads run at calls, at jumps back and where a function begins."""
    code = list(dis.get_instructions(syntax._parse))
    names = [each.opname for each in code]
    looked, parsed = names.index("COMPARE_OP"), names.index("CALL")
    between = names[looked:parsed]
    assert between.count("COMPARE_OP") == 2 and code[parsed].opname == "CALL"
    assert not any(name.startswith(("CALL", "RESUME", "JUMP_BACKWARD")) for name in between)


def test_a_program_that_takes_the_places_of_the_callbacks():
    def own(*_: object) -> None: ...

    before = [*gc.callbacks]
    try:
        gc.callbacks[:] = [own]
        assert syntax.parse("x = 1") is not None
        gc.callbacks.insert(0, own)
        assert syntax.parse("x = 1") is not None
        assert [each for each in gc.callbacks if each is own] == [own, own]
        assert len(gc.callbacks) <= 4
    finally:
        gc.callbacks[:] = before


def test_the_collector_is_left_as_the_program_has_set_it():
    """Nor is it switched for a moment: the program may switch it in that very moment."""
    changes: list[bool] = []
    text = "x = '\\d'"  # a warning, in whose filter the program runs

    def show(*_: object, **__: object) -> None:
        changes.append(gc.isenabled())
        gc.disable()

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        try:
            assert syntax.parse(text) is not None
            assert changes == [True] and not gc.isenabled()
        finally:
            gc.enable()


def test_a_parse_that_another_thread_has_disturbed_is_made_again(monkeypatch: pytest.MonkeyPatch):
    calls: list[str] = []

    def disturbed(text: str, *rest: Any) -> Any:
        calls.append(text)
        if len(calls) == 1:
            raise SystemError("AST constructor recursion depth mismatch (before=114, after=53)")
        return compile(text, *rest)

    monkeypatch.setattr(syntax, "compile", disturbed, raising=False)
    assert syntax.parse("x = 1") is not None
    assert calls == ["x = 1", "x = 1"]


def test_a_parse_in_a_finalizer_does_not_wait_for_ever():
    """The collection that it waits for would never end: it is its own."""
    trees: list[object] = []

    def finalizer(phase: str, _: object) -> None:
        if phase == "start" and not trees:
            trees.append(None)
            trees.append(syntax.parse("x = 1"))

    syntax.parse("x = 1")
    gc.callbacks.insert(1, finalizer)
    try:
        gc.collect(0)
    finally:
        gc.callbacks.remove(finalizer)
    assert isinstance(trees[1], ast.Module)


def test_what_cannot_be_read_has_no_tree():
    assert syntax.parse("%matplotlib inline") is None
    assert syntax.parse("x = '\0'") is None
