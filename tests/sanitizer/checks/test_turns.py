"""Does a line run at each turn of its loop? By its source alone."""

from __future__ import annotations

import functools
import sys
import textwrap
from pathlib import Path

import pytest

from gotcha_sanitizer.explain.turns import each_turn
from gotcha_sanitizer.frames import where
from gotcha_sanitizer.values.parts import Site

CASES = {
    "straight": ("for x in xs:\n    loss = step(x)\n    float(loss)  #", True),
    "while": ("while True:\n    float(step())  #", True),
    "tested by while": ("while float(step()) > 0:  #\n    pass", True),
    "tested by if": ("for x in xs:\n    if float(step(x)) > 1:  #\n        stop()", True),
    "comprehension": ("total = [float(step(x)) for x in xs]  #", True),
    "comprehension over a read": ("a, b = [x + 1 for x in float(step())]  #", False),
    "nested comprehension": ("a = [x for y in ys for x in float(y)]  #", True),
    "with": ("for x in xs:\n    with timer():\n        float(step(x))  #", True),
    "try": ("for x in xs:\n    try:\n        float(step(x))  #\n    finally:\n        end()", True),
    "no loop": ("loss = step(x)\nfloat(loss)  #", False),
    "under if": ("for i, x in xs:\n    if i % 9 == 0:\n        float(step(x))  #", False),
    "under else": ("for i in xs:\n    if i:\n        pass\n    else:\n        float(i)  #", False),
    "handler": ("for x in xs:\n    try:\n        a()\n    except E:\n        float(x)  #", False),
    "continue": ("for i in xs:\n    if i % 9:\n        continue\n    float(step(i))  #", False),
    "head of for": ("for i in range(int(n)):  #\n    step(i)", False),
    "sum of an inner loop": (
        "for e in es:\n    for x in xs:\n        loss = step(x)\n    float(loss)  #",
        False,
    ),
    "inner loop over other things": (
        "for e in es:\n    for p in ps:\n        q = p\n    loss = step(e)\n    float(loss)  #",
        True,
    ),
    "epoch function": (
        "def epoch(xs):\n    for x in xs:\n        loss = step(x)\n    return loss\n"
        "for e in es:\n    loss = epoch(xs)\n    float(loss)  #",
        False,
    ),
    "jitted function with a loop": (
        "@jax.jit\ndef step(x):\n    for w in ws:\n        x = w @ x\n    return x\n"
        "for x in xs:\n    loss = step(x)\n    float(loss)  #",
        True,
    ),
    "function defined in a loop": (
        "for x in xs:\n    def show(y):\n        float(y)  #\n    step(x)",
        False,
    ),
    "not Python": ("for x in (:\n    float(x)  #", False),
}


@pytest.mark.parametrize("name", CASES)
def test_line(name: str, tmp_path: Path):
    source, expected = CASES[name]
    assert each_turn(*_stack(_site(tmp_path / "a.py", source))) is expected


def test_the_caller_decides_for_a_function_without_a_loop(tmp_path: Path):
    inner = _site(tmp_path / "log.py", "def log(loss):\n    print(float(loss))  #")
    each = _site(tmp_path / "a.py", "for x in xs:\n    log(step(x))  #")
    rare = _site(tmp_path / "b.py", "for i, x in xs:\n    if i % 9 == 0:\n        log(step(x))  #")
    assert each_turn(*_stack(inner, each))
    assert not each_turn(*_stack(inner, rare))


def test_a_comprehension_without_columns_is_not_called_a_loop(tmp_path: Path):
    site = _site(tmp_path / "a.py", "total = [float(step(x)) for x in xs]  #")
    assert not each_turn((site,), (-1,))


def test_where_tells_the_columns_of_calls():
    look = functools.partial(where, columns=True)
    (inner,), outer = [look(sys._getframe()) for _ in range(1)], look(sys._getframe())
    assert inner.columns[0] == 23
    assert outer.columns[0] == 65


def _stack(*sites: Site) -> tuple[tuple[Site, ...], tuple[int, ...]]:
    """With the columns of the calls that read."""
    texts = [Path(site.path).read_text().splitlines()[site.line - 1] for site in sites]
    return sites, tuple(next(t.find(w) for w in ("float", "int(", "log(") if w in t) for t in texts)


def _site(path: Path, source: str) -> Site:
    path.write_text(textwrap.dedent(source))
    line = next(n for n, text in enumerate(source.splitlines(), 1) if text.endswith("#"))
    return Site(str(path), line, "")
