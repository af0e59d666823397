"""Which rules are on, by name, by family and by file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gotcha_lint.config import selection
from gotcha_lint.config.settings import Settings


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (Settings(), {"bad-word", "new-word", "worse-word", "odd-sign"}),
        (Settings(select=("new-word",)), {"new-word"}),
        (Settings(select=("words",)), {"bad-word", "new-word", "worse-word"}),
        (Settings(ignore=("words",)), {"odd-sign"}),
        (Settings(ignore=("all",)), set()),
        (Settings(select=("bad-word",), ignore=("words",)), {"bad-word"}),
        (
            Settings(select=("words",), ignore=("all", "new-word")),
            {"bad-word", "worse-word"},
        ),
        (
            Settings(extend_select=("new-word",), ignore=("words",)),
            {"new-word", "odd-sign"},
        ),
        (Settings(select=("signs",), extend_select=("new-word",)), {"odd-sign", "new-word"}),
    ],
)
def test_selection(
    settings: Settings, expected: set[str], fake_rules: Mapping[str, selection.RuleText]
) -> None:
    on = selection.enabled(settings, fake_rules, "a.py")
    assert on == expected | {"syntax-error"}


def test_a_finding_of_the_engine_is_ignored_by_its_name_only(
    fake_rules: Mapping[str, selection.RuleText],
) -> None:
    on = selection.enabled(Settings(ignore=("syntax-error",)), fake_rules, "a.py")
    assert "syntax-error" not in on
    assert "engine" not in selection.known_names(fake_rules)


@pytest.mark.parametrize(
    ("glob", "path", "hit"),
    [
        ("tests/**", "tests/deep/a.py", True),
        ("tests", "tests/a.py", True),
        ("*_test.py", "deep/a_test.py", True),
        ("/a.py", "a.py", True),
        ("/a.py", "deep/a.py", False),
        ("*.pyi", "a.py", False),
    ],
)
def test_per_file_ignores(
    tmp_path: Path,
    glob: str,
    path: str,
    hit: bool,
    fake_rules: Mapping[str, selection.RuleText],
) -> None:
    settings = Settings(per_file_ignores=((glob, ("words",)),), root=str(tmp_path))
    on = selection.enabled(settings, fake_rules, str(tmp_path / path))
    assert ("bad-word" not in on) is hit
    assert "odd-sign" in on
    assert "bad-word" in selection.enabled(settings, fake_rules, "/elsewhere/tests/a.py")
