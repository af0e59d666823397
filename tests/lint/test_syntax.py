"""Questions that are asked of a tree alone."""

from __future__ import annotations

import ast

from hypothesis import example, given
from hypothesis import strategies as st

from gotcha_lint.analysis.syntax import evaluated

QUOTES = ("'", '"', "'''", '"""')


@given(st.one_of(st.text(), st.integers(), st.floats(0), st.binary()))
def test_written_values(value: object) -> None:
    text = repr(value).replace("inf", "1e999").replace("nan", "0.0")
    assert evaluated(text) == ast.literal_eval(text)


@given(st.text(), st.sampled_from(QUOTES), st.sampled_from(["", "r", "b", "Rb"]))
@example("", "'", "")
@example("\r\n", '"""', "")
def test_written_strings(text: str, quotes: str, prefix: str) -> None:
    written = prefix + quotes + text + quotes
    try:
        expected = ast.literal_eval(written)
    except (SyntaxError, ValueError):
        return  # the text ends the string
    assert evaluated(written) == expected
