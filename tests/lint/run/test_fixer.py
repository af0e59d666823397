"""Fixes: which are applied together, and what is taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gotcha_lint.finding import Edit, Finding, Fix
from gotcha_lint.findings.fixer import MAX_PASSES, Outcome, apply_fixes, fix_file, fix_files
from gotcha_lint.text.source import decode


def finding(
    *edits: Edit, name: str = "a", safe: bool = True, id: str = "", line: int = 1
) -> Finding:
    fix = Fix("do it", edits, safe) if edits else None
    return Finding(name, "m", "x.py", line, 1, line, 2, fix=fix, id=id or f"{name}{line}")


def test_disjoint_fixes_are_applied_together() -> None:
    first, second = finding(Edit(0, 1, "xx")), finding(Edit(2, 3, ""), Edit(5, 5, "!"))
    assert apply_fixes("a-b-c", [first, second], False) == ("xx--c!", (first, second))


def test_the_first_of_two_overlapping_fixes_wins() -> None:
    first, second = finding(Edit(0, 3, "x")), finding(Edit(2, 4, "y"))
    assert apply_fixes("abcdef", [first, second], False) == ("xdef", (first,))
    assert apply_fixes("abcdef", [second, first], False) == ("abyef", (second,))


def test_a_fix_is_applied_whole_or_not() -> None:
    first, second = finding(Edit(0, 3, "x")), finding(Edit(2, 4, "y"), Edit(5, 6, "z"))
    assert apply_fixes("abcdef", [first, second], False) == ("xdef", (first,))


def test_insertions_at_one_place_wait_for_each_other() -> None:
    first, second = finding(Edit(1, 1, "(")), finding(Edit(1, 1, "["))
    assert apply_fixes("ab", [first, second], False) == ("a(b", (first,))


def test_an_insertion_may_touch_a_replacement() -> None:
    first, second = finding(Edit(1, 2, "X")), finding(Edit(1, 1, "("), Edit(2, 2, ")"))
    assert apply_fixes("abc", [first, second], False) == ("a(X)c", (first, second))


def test_an_insertion_inside_a_replacement_waits() -> None:
    first, second = finding(Edit(0, 3, "X")), finding(Edit(1, 1, "("))
    assert apply_fixes("abc", [first, second], False) == ("X", (first,))


def test_two_fixes_share_an_import() -> None:
    line = Edit(0, 0, "import jax\n")
    first, second = finding(line, Edit(0, 1, "A")), finding(line, Edit(2, 3, "B"))
    assert apply_fixes("a b", [first, second], False) == ("import jax\nA B", (first, second))
    bracket = finding(Edit(3, 3, ")")), finding(Edit(3, 3, ")"))
    assert apply_fixes("a b", bracket, False) == ("a b)", bracket[:1])


def test_unsafe_fixes_must_be_asked_for() -> None:
    one = finding(Edit(0, 1, "x"), safe=False)
    assert apply_fixes("a", [one], False) == ("a", ())
    assert apply_fixes("a", [one], True) == ("x", (one,))


@pytest.mark.parametrize("edit", [Edit(-1, 0, ""), Edit(3, 2, ""), Edit(0, 9, "")])
def test_edits_outside_the_text_are_refused(edit: Edit) -> None:
    assert apply_fixes("abcd", [finding(edit)], False) == ("abcd", ())


class Words:
    """Lints one file: each word of `cures` is a finding, and its cure the fix."""

    def __init__(self, **cures: str) -> None:
        self.cures, self.runs = cures, 0

    def __call__(self, path: str, raw: bytes) -> list[Finding]:
        self.runs += 1
        text, found = raw.decode(), []
        for name, cure in self.cures.items():
            start = text.find(name)
            if start >= 0:
                line = text.count("\n", 0, start) + 1
                edit = Edit(start, start + len(name), cure)
                found.append(finding(edit, name=name, line=line, id=f"{name}-{line}"))
        return found

    def fix(self, text: str) -> Outcome:
        raw = text.encode()
        return fix_file("x.py", decode("x.py", raw), self("x.py", raw), self)


class Crowded(Words):
    """Each `1` is a finding; the fixes overlap, so that one is applied in a pass."""

    def __call__(self, path: str, raw: bytes) -> list[Finding]:
        self.runs += 1
        text = raw.decode()
        places = [at for at, char in enumerate(text) if char == "1"]
        fixed = [text[:at] + "0" + text[at + 1 :] for at in places]
        return [finding(Edit(0, len(text), new), id=str(n)) for n, new in enumerate(fixed)]


def test_overlapping_fixes_take_a_pass_each() -> None:
    lint = Crowded()
    outcome = lint.fix("x = 1, 1, 1\n")
    assert outcome.texts == {"x.py": "x = 0, 0, 0\n"}
    assert len(outcome.applied) == 3
    assert outcome.findings == {"x.py": []}
    assert outcome.taken_back == []


def test_there_are_only_so_many_passes() -> None:
    lint = Crowded()
    outcome = lint.fix("x = " + "1, " * (MAX_PASSES + 5) + "\n")
    assert len(outcome.applied) == MAX_PASSES
    assert len(outcome.findings["x.py"]) == 5
    assert lint.runs == MAX_PASSES + 1


def test_a_clean_batch_costs_one_run() -> None:
    lint = Words(aaa="b1", ccc="d1")
    outcome = lint.fix("aaa\nccc\n")
    assert outcome.texts == {"x.py": "b1\nd1\n"}
    assert lint.runs == 2  # once before, once after


def test_a_fix_whose_finding_stays_is_taken_back() -> None:
    lint = Words(aaa="aaa ", ccc="d1")
    outcome = lint.fix("x = aaa\ny = ccc\n")
    assert outcome.texts == {"x.py": "x = aaa\ny = d1\n"}
    assert [(b.finding.name, b.reason) for b in outcome.taken_back] == [
        ("aaa", "the finding stays")
    ]
    assert [f.name for f in outcome.findings["x.py"]] == ["aaa"]


def test_a_fix_that_brings_up_a_finding_is_taken_back() -> None:
    lint = Words(aaa="ccc + eee", eee="", ddd="f1")
    lint.cures["eee"] = "eee"
    outcome = lint.fix("x = aaa\ny = ddd\n")
    assert outcome.texts == {"x.py": "x = aaa\ny = f1\n"}
    (back,) = outcome.taken_back
    assert back.reason == "it brings up `eee` in x.py"


def test_a_fix_that_breaks_the_syntax_is_taken_back() -> None:
    outcome = Words(aaa="(", ccc="d1").fix("x = aaa\ny = ccc\n")
    assert outcome.texts == {"x.py": "x = aaa\ny = d1\n"}
    assert [b.reason for b in outcome.taken_back] == ["the result is not valid Python"]


def test_a_fix_that_the_encoding_cannot_hold_is_taken_back() -> None:
    raw = b"# coding: latin-1\nx = aaa\n"
    lint = Words(aaa="'\u20ac'")
    outcome = fix_file("x.py", decode("x.py", raw), lint("x.py", raw), lint)
    assert outcome.texts == {}
    assert "cannot be written" in outcome.taken_back[0].reason


def test_nothing_to_do_costs_nothing() -> None:
    lint = Words()
    assert lint.fix("x = 1\n").texts == {}
    assert lint.runs == 1


def test_line_ends_and_encoding_stay() -> None:
    raw = b"\xef\xbb\xbfx = aaa\r\ny = '\xc3\xa9'\r\n"
    source = decode("x.py", raw)

    def lint(path: str, raw: bytes) -> list[Finding]:
        text = decode(path, raw).text
        at = text.find("aaa")
        return [finding(Edit(at, at + 3, "b"))] if at >= 0 else []

    outcome = fix_file("x.py", source, lint("x.py", raw), lint)
    assert source.encode(outcome.texts["x.py"]) == raw.replace(b"aaa", b"b")


def test_a_fix_that_harms_another_file_is_taken_back() -> None:
    """One file's fix adds a finding to its neighbour; the other file's own fix is kept."""
    contents = {"a.py": b"aaa\n", "b.py": b"bbb\n"}

    def at(path: str, name: str, cure: str) -> Finding:
        return Finding(
            name, "m", path, 1, 1, 1, 4, fix=Fix("t", (Edit(0, 3, cure),)), id=path + name
        )

    def lint(overlay: Mapping[str, bytes]) -> dict[str, Sequence[Finding]]:
        now: dict[str, Any] = contents | dict(overlay)
        found: dict[str, Sequence[Finding]] = {"a.py": [], "b.py": []}
        if now["a.py"].startswith(b"aaa"):
            found["a.py"] = [at("a.py", "one", "AAA")]
        if now["b.py"].startswith(b"bbb"):
            found["b.py"] = [at("b.py", "two", "BBB")]
        if now["a.py"].startswith(b"AAA"):
            found["b.py"] = [*found["b.py"], at("b.py", "three", "zzz")]
        return found

    sources = {path: decode(path, raw) for path, raw in contents.items()}
    outcome = fix_files(sources, lint({}), lint)
    assert outcome.texts == {"b.py": "BBB\n"}
    assert [b.finding.name for b in outcome.taken_back] == ["one"]
    assert "b.py" in outcome.taken_back[0].reason
