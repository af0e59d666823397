"""Newer syntax keeps its positions; hostile texts end in `NotParsed`."""

from __future__ import annotations

import ast
import sys
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gotcha_lint.program.newer_syntax import older
from gotcha_lint.program.parse import NotParsed, parse
from gotcha_lint.program.spans import Spans
from gotcha_lint.text.guard import guard
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.text.unwarned import unwarned
from tests.lint.program.support import bodies, instructions, lowered
from tests.lint.test_guard import CHAINS, NESTED, Kind


def _loads(text: str) -> list[str]:
    """The names that a text loads; each has to stand at its span."""
    spans = Spans(text)
    out: list[str] = []
    for each in instructions(parse("a.py", "a", text)):
        if each[0] == "load" and "%" not in each[2]:
            assert unicodedata.normalize("NFKC", spans.text(each[-1])) == each[2]
            out.append(each[2])
    return out


# Each with the names that are loaded
NEWER = {
    "type X = y\nz": ["y", "z"],
    "if a: type X[T] = y; type Z = b": ["a", "b", "y"],
    "class A[T: (int, str)](B): x = y": ["B", "y"],
    "def f[T = int, *Ts, **P](a=b): return c": ["b", "c"],
    "def f[\n  T,  # é\n  S: 'a]b',\n](a=b): return c": ["b", "c"],
    "async def f[T](): return c\n": ["c"],
    "try: a\nexcept B, c.D: e": ["B", "a", "c", "e"],
    "try: a\nexcept* B, (C, D): e": ["B", "C", "D", "a", "e"],
    "f'{a['b']}'": ["a"],
    'f"é {a["é"]} → {b["c"]!r:>{w["d"]}}"; x': ["a", "b", "w", "x"],
    'f"{a["b"]=}{c == d["e"]}"': ["a", "c", "d"],
    'f"{f"{f"{a}"}"}{f"{b}"}"': ["a", "b"],
    'f"\\N{EM DASH}\\"{a["b"]}" + "\\{" + "c\\\r\n"': ["a"],
    'f"{a + b = # c\n}{d["e=#"]}"': ["a", "b", "d"],
    'f"{\n  a["b"]  # é: }\n}"': ["a"],
    "f\"{'\\n'.join(a)}\"": ["a"],
    'x = ("é" f"{a["b"]}" \'c\'\n  f\'{d}\')': ["a", "d"],
    'f"{a["b"]}" \\\n "c" + d': ["a", "d"],
    'f"{(lambda x: {y: z["q"]})!s}"': ["y", "z"],
    'f"""{a["""b"""]}\n{{ {c} }}"""': ["a", "c"],
    "t'{a} {b:{c}}'": ["a", "b", "c"],
    "t''": [],
    "lazy import a\nlazy from b import c\nd": ["d"],
}


@pytest.mark.parametrize("text", NEWER)
def test_newer_syntax_keeps_its_place(text: str) -> None:
    assert sorted(_loads(text)) == NEWER[text]
    assert _loads(f"é = 1; {text}" if text.startswith(("f", "x")) else text) == _loads(text)


@pytest.mark.parametrize("text", NEWER)
def test_the_rewritten_text_has_the_same_lines(text: str) -> None:
    rewritten = older(text).text
    assert list(map(len, rewritten.split("\n"))) == list(map(len, text.split("\n")))
    with unwarned():
        ast.parse(rewritten)


def test_a_rewritten_fstring_is_one() -> None:
    for text in ('x = f"{a["b"]} {c:{d}}"', "x = f'{a} {c:{d}}'"):
        (found,) = [each for each in instructions(lowered(text)) if each[0] == "fstr"]
        assert len(found[2]) == 3
        assert found[-1] == (1, 5, 1, len(text) + 1)


def test_what_only_looks_new_stays() -> None:
    text = "type = 1\ntype[0] = 2\nlazy = type\nprint(type, f'{type}')\ntype (x) == 3\n"
    assert older(text).text == text


@pytest.mark.parametrize(
    "text", ["x = f'{a['", "def f[T(): pass", "type X =", "f'{a['b'}'", "t'{a]'"]
)
def test_broken_newer_syntax_is_no_python(text: str) -> None:
    with pytest.raises(NotParsed, match="is not valid Python"):
        parse("a.py", "a", text)


@settings(max_examples=300, deadline=None)
@given(st.text("f't\"{}[]():!=\\\n#aé type", max_size=30))
def test_any_text_is_rewritten_in_place(text: str) -> None:
    rewritten = older(text).text
    assert [len(line) for line in rewritten.split("\n")] == [len(line) for line in text.split("\n")]


def test_newer_syntax_is_not_what_is_wrong() -> None:
    with pytest.raises(NotParsed) as caught:
        parse("a.py", "a", "type X = int\nx = f'{a['b']}'\nif x\n")
    assert (caught.value.path, caught.value.line) == ("a.py", 3)


# Hostile


def _repeated(kind: Kind, times: int) -> str:
    start, before, middle, after, end = kind
    return f"{start}{before * times}{middle}{after * times}{end}\n"


def _passes_the_guard(text: str) -> bool:
    try:
        guard(text)
    except Unreadable:
        return False
    return True


@pytest.mark.parametrize("name", [*NESTED, *CHAINS])
@pytest.mark.parametrize("times", [90, 700, 30_000])
def test_nesting_ends_well(name: str, times: int) -> None:
    text = _repeated({**NESTED, **CHAINS}[name], times)
    start, limit = time.process_time(), sys.getrecursionlimit()
    try:
        module = parse("a.py", "a", text)
    except NotParsed as error:
        assert error.line >= 1
        if _passes_the_guard(text):  # then all that is Python is lowered
            with pytest.raises(SyntaxError):
                ast.parse(text)
    else:
        assert len(module.top.body) >= 1
    assert time.process_time() - start < 10
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    "text",
    [
        "def f[" * 50_000,
        "def f[" * 50_000 + "]" * 50_000,
        "def f[T](): pass\n" * 20_000 + "!",
        "f'{" * 50_000,
        "f'{a['b']}'\n" * 5_000 + "!",
        "f\"{f'{" * 20_000 + "}'}\"" * 20_000,
        "x = " + "f'{a['b']}' " * 5_000 + "!",
        "except a, \n" * 50_000,
        "type " * 100_000,
        "f'{a=" + "#" * 100_000,
        "('a'" + "#" * 100_000 + "\n'b' f'{a['b']}')!",
        "f'{a" + "= " * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_texts_that_are_no_python_are_refused_soon(text: str) -> None:
    start = time.process_time()
    with pytest.raises(NotParsed):
        parse("a.py", "a", text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("x = 1\n\0", 2, "null"),
        ("\n'\ud800'", 1, "surrogate"),
        ("x = " + "9" * 5000, 1, "digits"),
        ("if x:\ny", 2, "indented block"),
        ("\ufeffx = 1", 1, "not valid Python"),
        ("x" * 16_000_001, 1, "16,000,001 characters"),
    ],
)
def test_hostile_texts_are_refused_with_a_reason(text: str, line: int, why: str) -> None:
    with pytest.raises(NotParsed, match=why) as caught:
        parse("a.py", "a", text)
    assert caught.value.line == line


@pytest.mark.parametrize("text", ["", "\n", "# only this", "pass", "#\x1f\n\n", "\x0c"])
def test_empty_texts(text: str) -> None:
    module = parse("a.py", "a", text)
    assert module.top.body == []
    assert [function.is_module for function in bodies(module)] == [True]


def test_bad_escapes_say_nothing(recwarn: pytest.WarningsRecorder) -> None:
    parse("a.py", "a", "x = '\\d'\n1 is 1\n")
    assert not recwarn.list


def test_cells_of_a_notebook_are_one_text() -> None:
    from gotcha_lint.text.notebook import SEPARATOR

    text = f"x = 1{SEPARATOR}await f(x)\nreturn_ = x"
    module = parse("a.ipynb", "a", text)
    assert [each[0] for each in module.top.body if each[0] in ("await", "store")] == [
        "store", "await", "store",
    ]  # fmt: skip
