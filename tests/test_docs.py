"""The pages written by hand: what they show is what happens, and what they list is all there is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

import click
import pictures
import profile_picture
import pytest
from pages import events
from pages.catalogue import gotchas

from gotcha_lint.cli import command
from gotcha_lint.config.check import CHECKS, FACT_KEYS
from gotcha_lint.config.settings import Settings, as_table
from gotcha_lint.formats import names as formats
from gotcha_lint.home import HOME
from gotcha_lint.registry import rules
from gotcha_lint.rule import Example, Rule
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.options import Options

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SOURCES = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
_FILE = re.compile(r"`([\w/]+/)`|`([\w/]+\.py)`")
HOW = {
    "how-it-works": ROOT / "lint" / "gotcha_lint",
    "how-the-sanitizer-works": ROOT / "sanitizer" / "gotcha_sanitizer",
}
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
_SENT = re.compile(r"^    \w+ --> ([A-Z]\w+)$", re.M)
_READ = re.compile(r"^    ([A-Z]\w+) --> \w+$", re.M)
_RUNS_JAX = re.compile(r"^\$ .*(GOTCHA_SANITIZE=1|gotcha-sanitize|pytest)", re.M)
# What differs from run to run: the process, how long something took, and so the width of columns.
_VARIES = (
    (r"==\d+==", "==N=="),
    (r"\d+(\.\d+)? (ms|s|min)\b", "TIME"),
    (r" \(\d+:\d\d:\d\d\)$", ""),  # which pytest adds after a minute
    (r"={9,}|_{9,}", "---"),  # as wide as pytest takes the terminal for
    (r" +", " "),
)
_PLUGIN = (
    "" if entry_points(group="pytest11", name="gotcha") else "-p gotcha_sanitizer.pytest_plugin"
)
PROGRAMS = {
    "gotcha-lint": "-m gotcha_lint",
    "gotcha-sanitize": "-m gotcha_sanitizer.cli",
    "python": "",
    "pytest": f"-m pytest -p no:cacheprovider {_PLUGIN}",
}


class Block(NamedTuple):
    """A piece of code of a page: a file, where it has a title, or what a terminal shows."""

    language: str
    title: str
    text: str


def blocks(page: str) -> list[Block]:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return [Block(*found) for found in _BLOCK.findall(text)]


def steps(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a terminal, each with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        line, _, shown = part.partition("\n")
        yield line, shown


def plain(text: str) -> str:
    for varies, word in _VARIES:
        text = re.sub(varies, word, text, flags=re.M)
    return text


def pattern(shown: str) -> str:
    """What a page shows, as a regular expression; a line of three dots stands for any lines."""
    lines = plain(shown).splitlines()
    return "".join(r"(.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in lines)


def with_terminal() -> Iterator[object]:
    """The pages that show a terminal; where JAX runs in it, they take a while."""
    for file in sorted(DOCS.glob("*.md")):
        shown = [block.text for block in blocks(file.stem) if block.language == "console"]
        if shown:
            slow = [pytest.mark.slow] if any(map(_RUNS_JAX.search, shown)) else []
            yield pytest.param(file.stem, marks=slow)


@pytest.fixture
def terminal(tmp_path: Path) -> dict[str, str]:
    """An environment in which our programs are installed, as far as one can see."""
    programs, start = tmp_path / "bin", tmp_path / "start"
    programs.mkdir()
    start.mkdir()
    for name, arguments in PROGRAMS.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        (programs / name).chmod(0o755)
    pth = (ROOT / "sanitizer" / "gotcha_sanitizer.pth").read_text("utf-8")
    (start / "sitecustomize.py").write_text(pth)
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{start}{os.pathsep}{SOURCES}",
        "PYTHONUNBUFFERED": "1",
        "JAX_PLATFORMS": "cpu",
        "COLUMNS": "88",
    }


@pytest.mark.parametrize("page", list(with_terminal()))
def test_a_terminal_shows_what_is_printed(page: str, terminal: dict[str, str], tmp_path: Path):
    _typed(page, terminal, tmp_path / "project", lambda line: True)


def test_the_linter_prints_what_the_first_page_shows(terminal: dict[str, str], tmp_path: Path):
    """Without the runs under JAX, which take a while."""
    _typed("start", terminal, tmp_path / "project", lambda line: line.startswith("gotcha-lint "))


def _typed(
    page: str, terminal: dict[str, str], folder: Path, wanted: Callable[[str], bool]
) -> None:
    """Types the commands of a page that are wanted, in a folder with its files."""
    folder.mkdir()
    for block in blocks(page):
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text, "utf-8")
        for line, shown in steps(block.text) if block.language == "console" else ():
            if not wanted(line):
                continue
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=folder,
                env=terminal,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
            )
            assert re.fullmatch(pattern(shown), plain(done.stdout)), f"$ {line}\n{done.stdout}"


@pytest.mark.parametrize("block", [b for b in blocks("rules") if b.title], ids=lambda b: b.title)
def test_the_rule_explained_is_the_rule(block: Block):
    assert block.text in (ROOT / block.title).read_text("utf-8")


def rows(page: str, heading: str) -> dict[str, str]:
    """The tables below a heading, up to the next of its level: first cell to second."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    level = heading.partition(" ")[0]
    part = text.split(f"\n{heading}\n", 1)[1]
    part = re.split(rf"^#{{1,{len(level)}}} ", part, maxsplit=1, flags=re.M)[0]
    found = re.findall(r"^\| (`.+?`(?:, `\w+`)*) \| (.+?) \|", part, re.M)
    return {name.strip("`"): value for cells, value in found for name in cells.split(", ")}


def test_every_key_of_the_linter_is_there_with_its_default():
    shown = rows("configuration", "## The linter: `[tool.gotcha]`")
    assert set(shown) == {*CHECKS, *FACT_KEYS}
    defaults = as_table(Settings())
    words = {key: json.dumps(value) for key, value in defaults.items() if key != "exclude"}
    assert {key: shown[key] for key in words} == {k: f"`{word}`" for k, word in words.items()}
    assert all(f"`{name}`" in str(shown["exclude"]) for name in defaults["exclude"][:2])


def test_every_option_of_the_sanitizer_is_there_with_its_default():
    shown = rows("configuration", "## The sanitizer: `GOTCHA_OPTIONS`")
    assert list(shown) == [each.name for each in fields(Options) if each.name != "problems"]
    given = {name: word.strip("`") for name, word in shown.items() if word.startswith("`")}
    written = parse(":".join(f"{name}={word}" for name, word in given.items()))
    assert written == Options() and not written.problems
    for name in shown.keys() - given:
        assert not getattr(Options(), name), f"{name} has a default"


def test_what_is_left_out_is_not_in_the_catalogue():
    """The crashes without a rule are exactly those; every gotcha that is named has a page."""
    text = (DOCS / "left-out.md").read_text("utf-8")
    crashes = text.split("\n## Explained after the crash, no rule\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", crashes))
    assert named == {name for name, each in gotchas().items() if not (each.rule or each.check)}
    assert set(re.findall(r"\(gotchas/([\w-]+)\.md\)", text)) <= {*gotchas(), "README"}
    for row in re.findall(r"^\| .+ \|$", text, re.M):
        assert len(row.split(" | ")) == 3, row


def test_every_format_and_option_of_the_linter_is_named():
    assert set(rows("linter", "## Formats")) == set(formats())
    text = "".join(file.read_text("utf-8") for file in DOCS.glob("*.md"))
    options = {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    }
    assert {option for option in options if option not in text} == {"--version"}


def test_every_field_of_a_rule_is_explained():
    text = (DOCS / "rules.md").read_text("utf-8")
    wanted = [name for name in Rule.__annotations__ if name != "examples"]
    wanted += [each.name for each in fields(Example) if each.name not in ("bad", "good")]
    assert [name for name in wanted if f"`{name}`" not in text and f"`{name}=" not in text] == []


@pytest.mark.parametrize("page", HOW)
def test_a_page_about_the_code_names_files_that_exist(page: str):
    text = (DOCS / f"{page}.md").read_text("utf-8")
    named = {folder or file for folder, file in _FILE.findall(text)}
    assert named, page
    assert sorted(each for each in named if not (HOW[page] / each).exists()) == []


def test_the_picture_of_the_events_is_the_code():
    text = (DOCS / "how-the-sanitizer-works.md").read_text("utf-8")
    sent, read = (dict.fromkeys(re.findall(pattern, text)) for pattern in (_SENT, _READ))
    assert set(sent) == events.names() - {"Tick"}
    assert set(read) == set(sent), "an event that nobody asks for"
    assert events.put_into(text) == text, "run `make docs`"
    shown = set(re.findall(r"(?:hooks|checks|run|explain)/[\w/]+", "".join(events.picture())))
    assert sorted(each for each in shown if not list(_places(each))) == []


def test_every_hook_is_in_the_picture_or_sends_nothing():
    """A hook that emits an event is drawn, whoever asks for the event."""
    drawn = events.picture()
    for path in sorted((events.SOURCE / "hooks").glob("*.py")):
        if re.search(r"context\.emit\(\w+\(", path.read_text("utf-8")):
            assert f"hooks/{path.stem}" in drawn


def _places(shown: str) -> Iterator[Path]:
    place = events.SOURCE / shown
    yield from (each for each in (place, place.with_suffix(".py")) if each.exists())


def test_the_picture_of_the_linter_shows_what_it_prints():
    def words(picture: str) -> list[str]:
        return re.findall(r">([^<>]+)</text>", picture)

    assert words(pictures.terminal()) == words((pictures.IMAGES / "linter.svg").read_text("utf-8"))


def test_the_filter_of_the_index_reads_columns_that_are_there():
    """Without a browser: a new column once hid the choices above the table."""
    script = (DOCS / "filter.js").read_text("utf-8")
    (listed,) = re.findall(r"^const COLUMNS = (\[.*\]);$", script, re.M)
    read = set(re.findall(r'column\(row, "(\w+)"\)', script))
    assert set(json.loads(listed)) == read and len(read) > 4
    index = (DOCS / "gotchas" / "README.md").read_text("utf-8")
    (head,) = (line for line in index.splitlines() if line.startswith("| gotcha |"))
    assert read <= {cell.strip() for cell in head.strip("|").split("|")}


def test_the_picture_of_a_profile_has_its_rows():
    """Steps of 100 ms, each dispatched while the one before is computed; JAX names a call twice."""
    rows = [
        ("PjitFunction(step)", 0, 900),
        ("PjitFunction(step)", 1, 899),
        ("$reader.py:62 sent", 1000, 98000),
        ("ThunkExecutor::Execute (wait for completion)", 500, 99000),
        ("$prefetch.py:48 _placed", 5000, 4000),
    ]
    events: list[dict[str, str | int]] = [{"ph": "M", "name": "thread_name"}]
    for i in range(5):
        for name, at, took in rows:
            events.append({"ph": "X", "name": name, "ts": i * 100_000 + at, "dur": took})
    found = profile_picture.spans(events)
    assert [sum(s.kind == kind for s in found) for kind in range(4)] == [6, 3, 3, 3]
    assert found[0].start == 0 and max(span.end for span in found) <= 300
    text = profile_picture.drawing(found)
    assert "300 ms" in text and text.count("#4472b8") == 3 + 1


@pytest.mark.skipif(HOME != "", reason="the project has an address")
def test_no_page_links_to_a_repository_without_an_address():
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *(ROOT / "examples").glob("*.md")]
    assert not [page.name for page in pages if "github.com/gotcha-lint" in page.read_text("utf-8")]


def test_the_readme_counts_gotchas_and_rules():
    text = (ROOT / "README.md").read_text("utf-8")
    assert f"each of the {len(gotchas())} gotchas" in text
    medium = sum(rule.confidence == "medium" for rule in rules().values())
    assert f"{medium} of the {len(rules())} rules" in text.replace("\n", " ")


def test_the_rule_of_contributing_is_one_file(tmp_path: Path):
    """In a copy of the linter: the file alone makes a rule, which flags its bad example only."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    language, title, source = next(found for found in _BLOCK.findall(text) if found[1])
    assert language == "python"
    shutil.copytree(ROOT / "lint", tmp_path / "lint", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / title).write_text(source, "utf-8")
    name = Path(title).stem.replace("_", "-")
    for kind, code in (("bad", 1), ("good", 0)):
        program = re.search(rf'{kind}="""\n(.*?)"""', source, re.S)
        assert program
        lines = textwrap.dedent(program[1]).splitlines()
        (tmp_path / "train.py").write_text("\n".join(lines) + "\n", "utf-8")
        options = ["--no-cache", "--quiet", "--select", name]
        done = subprocess.run(
            [sys.executable, "-m", "gotcha_lint", *options, "--output-format=concise", "train.py"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path / "lint")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stdout + done.stderr
        marked = [number for number, line in enumerate(lines, 1) if f"# ! {name}" in line]
        assert [int(row.split(":")[1]) for row in done.stdout.splitlines()] == marked
