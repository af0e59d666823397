"""What LibCST would not survive is refused; what it survives, and all real code, passes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gotcha_lint.text import guard as guard_module
from gotcha_lint.text.guard import MAX_CODE, RECURSION_LIMIT, guard
from gotcha_lint.text.masking import mask, strip
from gotcha_lint.text.unreadable import Unreadable

# Text before, repeated before the middle, in the middle, repeated after it, after.
Kind = tuple[str, str, str, str, str]

NESTED: dict[str, Kind] = {
    "parentheses": ("x = ", "(", "1", ")", ""),
    "lists": ("x = ", "[", "1", "]", ""),
    "dicts": ("x = ", "{1: ", "1", "}", ""),
    "calls": ("x = ", "f(", "1", ")", ""),
    "subscripts": ("x = ", "a[", "1", "]", ""),
    "targets": ("", "[", "a", "]", " = 1"),
    "tuples": ("x = ", "(", "1", ",)", ""),
    "annotations": ("def f(a: ", "A[", "b", "]", "): pass"),
    "over lines": ("x = ", "f(  # (\n'''\ndef f(): pass''',", "1", ")", ""),
    "f-string specs": ("x = f'", "{a:", "b", "}", "'"),
}
CHAINS: dict[str, Kind] = {
    "plus": ("x = a", "+a", "", "", ""),
    "power": ("x = a", "**a", "", "", ""),
    "and": ("x = a", " and a", "", "", ""),
    "attributes": ("x = a", ".a", "", "", ""),
    "methods": ("x = a", ".b()", "", "", ""),
    "calls": ("x = a", "()", "", "", ""),
    "subscripts": ("x = a", "[0]", "", "", ""),
    "not": ("x = ", "not ", "a", "", ""),
    "minus": ("x = ", "- ", "a", "", ""),
    "ternaries": ("x = ", "a if b else ", "a", "", ""),
    "lambdas": ("x = ", "lambda a, b: ", "a", "", ""),
    "default lambdas": ("x = ", "lambda a=", "1", ": 1", ""),
    "strings": ("x = 'a'", " 'a'", "", "", ""),
    "f-strings": ("x = f'a'", " f'{a}'", "", "", ""),
    "strings over lines": ("x = (", "\n'a'  # c", "", "", ")"),
    "over lines": ("x = (a", "\n# c\n+ '''\nimport a'''", "", "", ")"),
    "backslashes": ("x = a", " \\\n+ a", "", "", ""),
    "comprehensions": ("x = [a", " for a, b in c", "", "", "]"),
    "imports": ("import a", ".a", "", "", ""),
    "elifs": ("if a:\n  p\n", "elif a:\n  p\n", "", "", ""),
    "elifs with blank lines": ("if a:\n  p\n", "elif a:\n\n# c\n  p\n", "", "", ""),
    "unclosed": ("x = (", "a+", "", "", ""),
}
FLAT: dict[str, Kind] = {
    "comparisons": ("x = a", " < a", "", "", ""),
    "targets": ("", "a = ", "1", "", ""),
    "rows": ("x = [\n", "  (1.0, -2.5, 'a' 'b', f(x)),\n", "", "", "]"),
    "lambdas": ("x = [\n", "  lambda a, b: a + b,\n", "", "", "]"),
    "statements": ("", "a = b.c(d) + -e[0]\n", "", "", ""),
    "semicolons": ("", "a + b;", "a", "", ""),
    "functions": ("", "def f(a, b=-1):\n    return a.b(c) + 'a' 'b'\n", "", "", ""),
    "decorators": ("", "@a.b\n", "def f(): pass", "", ""),
    "ifs": ("", "if a:\n  p\nelif b:\n  p\n", "", "", ""),
    "in strings": ("x = '''", "((+a", "", "", "'''"),
    "in comments": ("x = [  # a\n", "  # ((( it's + a\n", "", "", "]"),
    "in f-strings": ("x = f'''", "(({a}", "", "", "'''"),
    "docstrings": ("", 'def f():\n  """a+a+a (( "it" \'s"""\n', "", "", ""),
    "cases": ("match a:\n", "  case {1: (1, [2])} if ((((((((((b)))))))))): p\n", "", "", ""),
}


def build(kind: Kind, count: int) -> str:
    start, before, middle, after, end = kind
    return f"{start}{before * count}{middle}{after * count}{end}\n"


def refusal(text: str) -> Unreadable | None:
    try:
        guard(text)
    except Unreadable as error:
        return error
    return None


@pytest.mark.parametrize("name", NESTED)
def test_deep_brackets_are_refused(name: str) -> None:
    assert refusal(build(NESTED[name], 150)) is None
    error = refusal(build(NESTED[name], 20_000))
    assert error is not None and error.name == "too-deeply-nested"
    assert "more than 200 deep" in error.message


@pytest.mark.parametrize("name", CHAINS)
def test_long_chains_are_refused(name: str) -> None:
    assert refusal(build(CHAINS[name], 80)) is None
    error = refusal(build(CHAINS[name], 20_000))
    assert error is not None and error.name == "too-deeply-nested"
    assert "800" in error.message or "400" in error.message


@pytest.mark.parametrize("name", FLAT)
def test_flat_text_passes_at_any_length(name: str) -> None:
    assert refusal(build(FLAT[name], 5_000)) is None


@pytest.mark.parametrize(
    "opening, closing", ["()", "[]", ("{1: (", ")}"), ("A(b=", ")"), ("(", ",2)")]
)
def test_deep_case_patterns_are_refused(opening: str, closing: str) -> None:
    def text(depth: int) -> str:
        return f"match a:\n  case {opening * depth}1{closing * depth}: pass\n"

    assert refusal(text(4)) is None
    error = refusal(text(9))
    assert error is not None and "`case` pattern" in error.message and error.line == 2


def test_a_function_named_case_is_no_pattern() -> None:
    assert refusal("x = 1\ncase((((((((((1))))))))))\n") is None


def test_the_place_is_where_the_limit_is_passed() -> None:
    error = refusal("'''\n\r\n'''\rx = (\n" + "\n".join("(" * 250) + ")" * 251)
    assert error is not None
    assert (error.line, error.column) == (204, 1)


def test_large_files_are_refused() -> None:
    error = refusal("a = 1\n" * (MAX_CODE // 6 + 1))
    assert error is not None and error.name == "file-too-large" and "2,000,000" in error.message
    assert refusal("a = '" + "b" * MAX_CODE + "'\n") is None


@pytest.mark.parametrize("kinds", [NESTED, CHAINS])
def test_what_just_passes_survives(kinds: dict[str, Kind]) -> None:
    """In another process, because LibCST ends it with a segmentation fault where we are wrong."""
    texts: list[str] = []
    for kind in kinds.values():
        low, high = 1, 20_000
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if refusal(build(kind, middle)) is None else (low, middle)
        texts.append(build(kind, low))
    program = (
        "import sys, libcst\n"
        f"sys.setrecursionlimit({RECURSION_LIMIT})\n"
        f"for text in {texts!r}:\n"
        "    try:\n"
        "        assert libcst.parse_module(text).code == text\n"
        "    except libcst.ParserSyntaxError:\n"
        "        pass\n"
        "    except RecursionError:\n"  # 3.12 counts C frames too, 740 links; it is caught there
        "        assert sys.version_info[:2] == (3, 12)\n"
    )
    done = subprocess.run([sys.executable, "-"], input=program, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [*NESTED, *CHAINS])
def test_the_time_is_linear(name: str) -> None:
    kind = (NESTED | CHAINS)[name]

    def cost(size: int) -> float:
        text, times = build(kind, size // len(kind[1])), []
        for _ in range(3):
            start = time.process_time()
            refusal(text)
            times.append(time.process_time() - start)
        return min(times)

    assert cost(240_000) < 24 * cost(30_000)  # a quadratic one: 64


def test_its_own_sources_pass() -> None:
    folder = Path(guard_module.__file__).parent
    assert [p for p in folder.rglob("*.py") if refusal(p.read_text("utf-8"))] == []


STRINGS = [
    "'a#b'", '"it\'s"', "'\\''", '"""a\n"b" \'\'\' # ("""', "''", '""""""', "r'\\''", "b'('",
    "rb'\\\\'", "f'{n}'", "f'{n!r:>{n}}'", "f'{{('", "f\"{n['k']}\"", "F'''{\nn\n}'''", "rf'\\{n}'",
    "f'{n:{n}}{n}'", "f\"{', '.join(f'{n}' for n in n)}\"", 'f"{n["k"]}"', "f'{(lambda: n)()}'",
    "f'\\N{DASH}'", "f''", "'\\\n('",
]  # fmt: skip


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine
@given(st.lists(st.sampled_from([*STRINGS, "# it's ('\n", "keep", "\n", " ", "keep.keep(keep)"])))
def test_only_strings_and_comments_are_masked(parts: list[str]) -> None:
    text = " ".join(parts)
    masked = mask(text)
    assert len(masked) == len(text)
    assert masked.count("keep") == text.count("keep") == strip(text).count("keep")
    assert (
        masked.count("(")
        == masked.count(")")
        == text.count("keep(")
        + sum(
            part.count("(") for part in parts if part in STRINGS and part[0] in "fF" and "n" in part
        )
    )
    assert "#" not in masked


@settings(deadline=None)
@given(st.text("'\"\\{}()[]:#frbx \n\r,.+"))
def test_any_text_can_be_masked(text: str) -> None:
    assert len(mask(text)) == len(text)
    strip(text)
    refusal(text * 20)


FORMS = ["(_)+", "f(_, a).", "[_].b(a)[0] * ", "-(_)**", "'' '' if _ else ", "{_: _}|", "[_](_)"]


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(FORMS), st.integers(1, 60)), min_size=1, max_size=8))
def test_the_quick_way_and_the_exact_one_agree(forms: list[tuple[str, int]]) -> None:
    """`guard` looks closely only where a cheap bound allows no answer: the bound must be one."""
    expression = "a"
    for form, count in forms:
        expression = (form.replace("_", expression) * count + "a")[:50_000]
    text = f"x = {expression}\n"
    exact = guard_module._too_deep(mask(text), False) is not None
    assert (refusal(text) is not None) == exact
