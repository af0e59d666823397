"""One catalogue: rules, checks, errors, the trainer's marks, pages, prices and symptoms agree."""

from __future__ import annotations

import re
from pathlib import Path

import generate
import pytest
from measuring.programs import marks as marked
from pages import measured, references, symptoms
from pages.catalogue import CRASH, RUN_TIME, gotchas
from trainer_marks import marks

from gotcha_lint import pages as shipped
from gotcha_lint.home import page_url
from gotcha_lint.registry import rules
from gotcha_sanitizer.explain.rule_texts import rule_text

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "gotchas"
NAMES = set(gotchas())
ROWS = re.findall(
    r"^\| \[([\w-]+)\]\(([\w-]+)\.md\) \| (.+) \|$",
    _text := (PAGES / "README.md").read_text("utf-8"),
    re.M,
)


def stems(folder: str, pattern: str) -> set[str]:
    return {path.stem.replace("_", "-") for path in (ROOT / folder).glob(pattern)}


def test_every_name_has_a_page_and_every_page_a_name():
    assert stems("docs/gotchas", "*.md") == NAMES | {"README", "symptoms"}
    assert shipped.names() == NAMES


def test_documentation_is_named_for_gotchas_that_there_are():
    assert not {name for each in references.SOURCES for name in each.names.split()} - NAMES


def test_every_page_names_what_to_read_on():
    pages = {name: (PAGES / f"{name}.md").read_text("utf-8") for name in NAMES}
    assert [name for name, text in pages.items() if "\n## References\n\n- [" not in text] == []


def test_every_name_is_a_row_of_the_index():
    assert [name for name, _, _ in ROWS] == [page for _, page, _ in ROWS] == list(gotchas())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_has_a_side_a_price_and_a_summary(row: tuple[str, str, str]):
    cells = [cell.strip() for cell in row[2].split(" | ")]
    *summary, family, severity, linter, sanitizer, trainer, _, price = cells
    assert linter or sanitizer or trainer
    assert linter in {"high", "medium", ""} and sanitizer in {"run", "crash", ""}
    assert severity in {"error", "warning", "info"}
    assert price and summary
    info = rules().get(row[0])
    assert family == (info.family if info else CRASH if sanitizer == "crash" else RUN_TIME)


def test_a_rule_is_in_the_folder_of_its_family_and_points_to_its_page():
    for name, info in rules().items():
        if info.module:
            path = Path(*info.module.split(".")).relative_to("gotcha_lint/rules")
            assert (path.parent.name, path.name) == (info.family, name.replace("-", "_"))
            assert info.url == page_url(name)


def test_a_finding_of_a_run_points_to_its_page():
    for name, gotcha in gotchas().items():
        if gotcha.check:
            text = rule_text(name)
            assert text and text.url == page_url(name)


def test_what_confirms_a_rule_has_a_name():
    for gotcha in gotchas().values():
        assert not gotcha.rule or {name for name, _ in gotcha.rule.confirmed_by} <= NAMES


def test_every_mark_of_the_trainer_names_a_page():
    assert set(marks()) <= NAMES


def test_every_measurement_price_and_example_is_of_a_gotcha():
    assert stems("docs/measured/outputs", "*.json") <= NAMES
    assert stems("benchmarks/prices", "[a-z]*.py") == stems("docs/measured/prices", "*.json")
    assert stems("docs/measured/prices", "*.json") <= NAMES
    assert stems("examples/gotchas", "*") <= NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_gotcha_was_run(name: str):
    """`make measure` writes again what changed."""
    examples = measured.examples(name)
    assert examples, f"write examples/gotchas/{name}/bad.py and good.py"
    assert not any(example.unknown for example in examples), "run `make measure`"


def test_what_the_sanitizer_printed_is_about_the_marked_lines():
    for name, gotcha in gotchas().items():
        for example in measured.examples(name):
            if not gotcha.rule and example.sanitizer:
                heads = re.findall(
                    r"^(?:gotcha: |  )([\w-]+)(?: \(.+\))? at (?:\S+:(\d+)|unknown)",
                    example.sanitizer,
                    re.M,
                )
                lines = {int(line or 0) for _, line in heads}
                assert {found for found, _ in heads} == {name}
                assert lines == {line for line, _ in marked(example.pair.bad)}


def test_what_was_printed_is_of_the_program_alone():
    """No path of a machine, and nothing of what ran the program."""
    for path in (ROOT / "docs" / "measured").glob("*/*.json"):
        assert not re.search(r"child\.py|/(?:home|root|tmp|Users)/", path.read_text("utf-8")), path


def test_symptoms_are_complete():
    found = symptoms.symptoms()
    assert set().union(*found.values()) == NAMES
    assert all(len(set(names)) == len(names) > 0 for names in found.values())


def test_what_a_new_rule_lacks_is_said(monkeypatch: pytest.MonkeyPatch):
    """`make docs` names the file to edit: a newcomer does not search for it."""
    assert generate.incomplete() == []
    rows = [each._replace(names=each.names.replace("key-reuse", "")) for each in symptoms.TABLE]
    monkeypatch.setattr(symptoms, "TABLE", tuple(rows))
    found = generate.incomplete()
    assert len(found) == 1 and found[0].startswith("key-reuse: ")
    assert (ROOT / found[0].rpartition(" ")[2]).is_file()


def test_the_numbers_of_the_readme_are_written():
    old = "each of the 3 gotchas, and 1 of the 2\nrules, and 7 of the 9 others"
    new = generate.counted(old)
    assert f"each of the {len(NAMES)} gotchas" in new and f" of the {len(rules())}\nrules" in new
    assert "7 of the 9 others" in new


def test_links_between_pages():
    for path in PAGES.glob("*.md"):
        for link in re.findall(r"\]\(([\w-]+\.md)\)", path.read_text("utf-8")):
            assert (PAGES / link).exists(), f"{path.name} links to {link}"


def test_the_skill_has_twenty_rules_and_names_gotchas_that_exist():
    text = (ROOT / "skills/jax-training/SKILL.md").read_text("utf-8")
    rules = re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |^#|^When|\Z)", text, re.M | re.S)
    assert [int(number) for number, _ in rules] == list(range(1, 21))
    for number, rule in rules:
        named = re.findall(r"\(([\w-]+(?:,\s+[\w-]+)*)\)\s*\Z", rule)
        assert named, f"rule {number} names no gotcha"
        assert {name.strip() for name in named[0].split(",")} <= NAMES, number
