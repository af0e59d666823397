"""Every rule's own examples, and the edge cases in cases/, run as tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_lint import registry
from gotcha_lint.rule import Rule, load
from gotcha_lint.task import RuleOptions
from tests.lint.support import RULES, apply_fixes, code, found, lint_files, marks, without_marks

EXAMPLES = [
    pytest.param(info, example, id=f"{info.name}-{number}")
    for info in RULES
    for number, example in enumerate(info.examples)
]
CASES = Path(__file__).with_name("cases")
# `cases/NAME.py` holds edge cases of one rule, `cases/NAME/*.py` one program of many files.
PROGRAMS: dict[str, list[Path]] = {
    str(path.relative_to(CASES)): sorted(path.glob("*.py")) if path.is_dir() else [path]
    for path in sorted(CASES.iterdir())
    if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
}


@pytest.mark.parametrize(("info", "example"), EXAMPLES)
def test_example(info, example, tmp_path):
    bad, good = code(example["bad"]), code(example["good"])
    assert marks(bad), "mark at least one line with `# ! rule-name`"
    assert {name for _, name in marks(bad)} == {info.name}
    findings = lint_files(tmp_path, {"bad.py": bad}, (info.name,))
    assert found(findings) == marks(bad)
    assert found(lint_files(tmp_path, {"good.py": good})) == [], "the good code must be clean"
    assert info.fixable or not any(f.fix for f in findings), "it gives a fix that nobody is told of"
    if any(finding.fix for finding in findings):
        assert without_marks(apply_fixes(bad, findings)) == good


@pytest.mark.parametrize("info", RULES, ids=lambda info: info.name)
def test_rule_has_examples_and_text(info):
    assert info.examples, "a rule shows at least one bad and one good example"
    assert "## What happens" in info.explanation
    assert "## Instead" in info.explanation
    rule = load(info.name, RuleOptions())
    assert rule is not None
    assert type(rule).foresee is not Rule.foresee, "a rule that finds nothing"
    assert info.confidence == rule.confidence
    for example in info.examples:
        symptoms = [key for key in ("raises", "compiles", "shows", "unseen") if example.get(key)]
        assert len(symptoms) == 1, "each example states exactly one symptom"


def rule_of(program: str) -> str:
    return program.removesuffix(".py").replace("_", "-")


@pytest.mark.parametrize("program", PROGRAMS)
def test_case(program, tmp_path):
    texts = {path.name: path.read_text("utf-8") for path in PROGRAMS[program]}
    findings = lint_files(tmp_path, texts, (rule_of(program),))
    wanted = sorted((name, *mark) for name, text in texts.items() for mark in marks(text))
    assert sorted((Path(f.path).name, f.line, f.name) for f in findings) == wanted
    assert registry.RULES[rule_of(program)].fixable or not any(f.fix for f in findings)


@pytest.mark.parametrize(
    "info", [info for info in RULES if info.fixable], ids=lambda info: info.name
)
def test_a_rule_that_is_said_to_fix_fixes(info, tmp_path):
    """Its own examples or its cases have a fix; that no other rule fixes, their tests say."""
    texts = [{"bad.py": code(example["bad"])} for example in info.examples]
    texts += [
        {path.name: path.read_text("utf-8") for path in PROGRAMS[program]}
        for program in PROGRAMS
        if rule_of(program) == info.name
    ]
    findings = (
        finding
        for number, files in enumerate(texts)
        for finding in lint_files(tmp_path / str(number), files, (info.name,))
    )
    assert any(finding.fix for finding in findings)


@pytest.mark.parametrize("info", RULES, ids=lambda info: info.name)
def test_clean_cases_are_as_many_as_flagged_ones(info):
    """A rule's cases hold at least as many functions without a mark as with one."""
    paths = [path for program in PROGRAMS if rule_of(program) == info.name
             for path in PROGRAMS[program]]  # fmt: skip
    assert paths, f"write tests/lint/cases/{info.name.replace('-', '_')}.py"
    blocks = [block for p in paths for block in _blocks(p.read_text("utf-8"))]
    flagged = sum(bool(marks(block)) for block in blocks)
    assert len(blocks) - flagged >= flagged > 0


def _blocks(text: str) -> list[str]:
    """The top-level statements of a case file that are functions, classes, loops, `with`."""
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line[:1].strip() and not line.startswith(("#", ")", "]", "}")):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    joined = ["\n".join(block) for block in blocks]
    return [
        b
        for b in joined
        if b.startswith(("def ", "class ", "for ", "with ", "while ", "@", "if ", "async "))
    ]
