"""The piece of source below a finding: underlines, long lines, long spans; and the advice."""

from __future__ import annotations

import random

import pytest

from gotcha_lint.formats._excerpt import Span, excerpt
from gotcha_lint.output.advice import first_paragraph, first_sentences, section
from gotcha_lint.output.paint import cells


def drawn(code: str, span: Span, width: int = 88) -> list[str]:
    lines = code.split("\n")
    return excerpt(lines, span, width=width, colour=False, style="red")


@pytest.mark.parametrize(
    ("code", "start", "end", "expected"),
    [
        ("x = BAD", 5, 8, ["1 | x = BAD", "  |     ^^^"]),
        ("\tx\ty", 4, 5, ["1 |     x   y", "  |         ^"]),
        ("名前 = BAD", 6, 9, ["1 | 名前 = BAD", "  |        ^^^"]),
        ("e\u0301 = BAD", 6, 9, ["1 | e\u0301 = BAD", "  |     ^^^"]),
        ("\x1b[1m BAD", 6, 9, ["1 | ␛[1m BAD", "  |      ^^^"]),
        ("x = 1", 6, 6, ["1 | x = 1", "  |      ^"]),
        ("x = 1", 50, 60, ["1 | x = 1", "  |      ^"]),
        ("", 1, 1, ["1 |", "  | ^"]),
    ],
)
def test_underlines(code: str, start: int, end: int, expected: list[str]) -> None:
    assert drawn(code, Span(1, start, 1, end)) == expected


def test_a_line_that_is_not_there() -> None:
    assert drawn("x", Span(7, 1, 7, 2)) == []


def test_a_long_line_is_cut_around_the_span() -> None:
    code = "a" * 5000 + "BAD" + "b" * 5000
    line, marks = drawn(code, Span(1, 5001, 1, 5004), width=80)
    assert len(line) <= 80
    at = line.index("BAD")
    assert marks[at : at + 3] == "^^^"
    assert marks.count("^") == 3
    assert line.count("…") == 2
    start, _ = drawn(code, Span(1, 1, 1, 3), width=80)
    assert start.startswith("1 | aaa")
    _, marks = drawn(code, Span(1, 1, 1, 9999), width=80)
    assert len(marks) <= 80


@pytest.mark.parametrize("seed", range(200))
def test_carets_never_run_past_the_line(seed: int) -> None:
    draw = random.Random(seed)
    code = "a" + "".join(draw.choices("ab \t名\u0301", k=draw.randint(1, 120)))
    start = draw.randint(1, len(code.rstrip()))
    length, width = draw.randint(1, 200), draw.randint(10, 100)
    line, marks = drawn(code, Span(1, start, 1, start + length), width=width)
    assert columns(marks) <= columns(line) + 1  # a mark without a width of its own stands beside
    assert columns(line) <= max(width, 30)


def test_a_line_that_is_cut_before_the_span_uses_the_whole_width() -> None:
    code = "result = " + "a" * 60 + "(BAD)"
    line, marks = drawn(code, Span(1, 71, 1, 74), width=60)
    assert line.startswith("1 | …aaa") and line.endswith("a(BAD)")
    assert len(line) in (59, 60)
    assert line[marks.index("^") :] == "BAD)"


def test_an_indent_is_cut_without_dots() -> None:
    line, marks = drawn(" " * 16 + "a" * 40 + "(BAD)", Span(1, 58, 1, 61), width=60)
    assert "…" not in line and line.endswith("a" * 40 + "(BAD)")
    assert line[marks.index("^") :] == "BAD)"


def columns(text: str) -> int:
    return sum(width for _, width in cells(text))


def test_a_long_span_is_shortened() -> None:
    code = "\n".join(["f(", *(f"    a{n}," for n in range(20)), ")"])
    lines = drawn(code, Span(1, 1, 22, 2))
    assert lines[4] == "..."
    assert lines[-2:] == ["22 | )", "   | ^"]
    assert len(lines) == 7


def test_advice() -> None:
    text = "Summary.\n\n## Instead\n```python\nx\n```\nDo\nthis.\n\nNot that.\n\n## More\ny"
    assert first_paragraph(section(text, "Instead")) == "Do this."
    assert section(text, "Nothing") == ""


def test_advice_is_whole_sentences() -> None:
    text = "Use `a.B()` first. Then wait. `x` is next."
    assert first_sentences(text, 3) == "Use `a.B()` first."
    assert first_sentences(text, 30) == "Use `a.B()` first. Then wait."
    assert first_sentences(text, 99) == text
    assert first_sentences("", 9) == ""
