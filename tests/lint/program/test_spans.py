"""A span is that of the text: in any script, in f-strings, over lines."""

from __future__ import annotations

import ast
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gotcha_lint.program.lower import lower
from gotcha_lint.program.parse import parse
from gotcha_lint.program.spans import Spans
from tests.lint.program.support import instructions, lowered
from tests.lint.program.test_corpus import STANDARD

WIDE = st.text("aé→😀 ", max_size=5).map(lambda text: f"'{text}'")
NAMES = st.sampled_from(["x", "größe", "名前", "ªb"])


def _joined(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions that hold smaller ones, over lines too."""
    two = st.tuples(children, children)
    return st.one_of(
        two.map(lambda parts: f"{parts[0]} + {parts[1]}"),
        two.map(lambda parts: f"f({parts[0]}, k={parts[1]})"),
        two.map(lambda parts: f"[{parts[0]},\n  {parts[1]}]"),
        two.map(lambda parts: f"({parts[0]})[{parts[1]}]"),
        two.map(lambda parts: f"({parts[0]}  if {parts[1]} else é)"),
        two.map(lambda parts: f"{{{parts[0]}: '→', **{parts[1]}}}"),
        children.map(lambda part: f"({part}).größe"),
        children.map(lambda part: f"(lambda é: {part})"),
        children.map(lambda part: f"[{part} for é in 名前 if {part}]"),
        children.map(lambda part: f"({part} < {part})"),
    )


EXPRESSIONS = st.recursive(st.one_of(WIDE, NAMES), _joined, max_leaves=12)


@settings(max_examples=300, deadline=None)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_text_at_a_span_is_that_of_its_node(parts: list[str], end: str) -> None:
    text = "".join(f"größe = {part}\n" for part in parts).replace("\n", end)
    tree = ast.parse(text)
    spans = Spans(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt):
            segment = ast.get_source_segment(text, node)
            assert segment is not None
            assert spans.text(spans.of(node)) == segment.replace("\r\n", "\n").replace("\r", "\n")
    nodes = {spans.of(node) for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)}
    for each in instructions(lower(tree, text, "a.py", "a")):
        assert each[-1] in nodes


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.text("aé\n{}→", max_size=4), NAMES), min_size=1, max_size=4))
def test_names_in_fstrings_have_their_places(parts: list[tuple[str, str]]) -> None:
    inside = "".join(
        text.replace("{", "{{").replace("}", "}}") + f"{{{name}!r:>{{{name}}}}}"
        for text, name in parts
    )
    _check_names(f'é = f"""{inside}"""\n')


@pytest.mark.parametrize(
    "text",
    [
        'x = f"a {abc} {d!r:>{w}}"',
        'x = (f"é {abc}"\n     f"b {cde}")',
        'y = "é" f"{abc}" "→" f"{ cde . f }"',
        "x = f\"{abc + f'{ghi}'}\"",
        'x = f"{(abc, [cde])}{lambda_:{width}.{prec}}"',
        'x = f"{abc=}" + rf"\\d{abc}"',
        'x = f"""{abc}\n é{cde +\n efg}"""',
    ],
)
def test_names_in_forms_of_fstrings_have_their_places(text: str) -> None:
    _check_names(text)


def test_names_in_the_library_have_their_places() -> None:
    for name in ("dataclasses", "typing", "inspect", "turtle"):
        _check_names((STANDARD / f"{name}.py").read_text("utf-8"))


def _check_names(text: str) -> None:
    spans = Spans(text)
    for each in instructions(parse("a.py", "a", text)):
        if each[0] == "load" and "%" not in each[2]:
            assert unicodedata.normalize("NFKC", spans.text(each[-1])) == each[2]


def test_columns_count_code_points() -> None:
    (load,) = [each for each in instructions(lowered("'é→😀' + x")) if each[0] == "load"]
    assert load[-1] == (1, 9, 1, 10)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("def f(x): pass", "def f"),
        ("@g\nasync  def größe (x): pass", "async  def größe"),
        ("é; \nclass  A(B): pass", "class  A"),
        ("def d(): pass", "def d"),
    ],
)
def test_a_definition_is_placed_at_its_header(text: str, header: str) -> None:
    found = [each for each in instructions(lowered(text)) if each[0] in ("closure", "class")]
    assert [Spans(text).text(each[-1]) for each in found] == [header]


def test_a_decorator_is_called_at_its_expression() -> None:
    text = "@a\n@b(1)\ndef f(): pass"
    calls = [each for each in instructions(lowered(text)) if each[0] == "call"]
    assert [Spans(text).text(each[-1]) for each in calls] == ["b(1)", "b(1)", "a"]


def test_lines_end_as_for_python_only() -> None:
    text = "a\x0c = 1\r\nb = '\x0b\u2028'\rc = 3\n"
    stores = [each for each in instructions(parse("a.py", "a", text)) if each[0] == "store"]
    assert [each[-1] for each in stores] == [(1, 1, 1, 2), (2, 1, 2, 2), (3, 1, 3, 2)]
    assert re.split(r"\r\n?|\n", text) == Spans(text).lines
