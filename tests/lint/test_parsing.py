"""Our parse gives LibCST's own trees, and leaves LibCST as it was."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

import gotcha_lint
from gotcha_lint.text.parsing import parse

ODD = "x = [ # a\n  1,\r\n\t2 , ]  # b\n\n  # c\nif x :\n\tpass ; y=x\\\n +1\ndef f(*, a): ...\n"
OWN = Path(gotcha_lint.__file__).parent


@pytest.mark.parametrize("text", [ODD, "", "\n", *(p.read_text("utf-8") for p in OWN.glob("*.py"))])
def test_trees_are_those_of_libcst(text):
    tree = parse(text)
    assert tree.code == text
    assert tree.deep_equals(cst.parse_module(text))


def test_libcst_stays_as_it_is():
    with pytest.raises(cst.ParserSyntaxError):
        parse("x = (")
    blank = cst.SimpleWhitespace(" ")
    assert type(blank) is cst.SimpleWhitespace
    assert blank is not cst.SimpleWhitespace(" ")
    with pytest.raises(cst.CSTValidationError):
        cst.SimpleWhitespace("x")
