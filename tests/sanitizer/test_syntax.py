"""Files are parsed while other threads parse, too: neither disturbs the other."""

from __future__ import annotations

import ast
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator

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


def test_a_parse_that_another_thread_has_disturbed_is_made_again(monkeypatch: pytest.MonkeyPatch):
    real, calls = ast.parse, []

    def parse(text: str) -> ast.Module:
        calls.append(gc.isenabled())
        if len(calls) == 1:
            raise SystemError("AST constructor recursion depth mismatch (before=114, after=53)")
        return real(text)

    monkeypatch.setattr(ast, "parse", parse)
    assert syntax.parse("x = 1") is not None
    assert calls == [False, False] and gc.isenabled()


def test_what_cannot_be_read_has_no_tree():
    assert syntax.parse("%matplotlib inline") is None
    assert syntax.parse("x = '\0'") is None
