"""Every output format: one snapshot each, and what its readers rely on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from pydantic_sarif import model

from gotcha_lint import formats, home, pages
from gotcha_lint.finding import Edit, Finding, Fix, Place, as_dict
from gotcha_lint.formats import Shown
from gotcha_lint.registry import rules
from gotcha_lint.text.source import Source, decode

Compare = Callable[[str, str], None]

CODE = """\
import jax

@jax.jit
def step(x):
\tif x > 0: 名前 = "é" + x
    return jax.lax.scan(
        body,
        x,
        None,
        length=3,
        unroll=2,
    )
"""
CELLS = [["import jax\n"], ["%time\n", "y = BAD(x)\n", "z = y"]]
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
            for source in CELLS
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
)
SOURCES: dict[str, Source] = {
    "src/train.py": decode("src/train.py", CODE.encode()),
    "nb.ipynb": decode("nb.ipynb", NOTEBOOK.encode()),
}
URL = "https://example.org/bad-word"


def in_code(text: str, **given: Any) -> Finding:
    source = SOURCES["src/train.py"]
    start = source.text.index(text)
    line, column, _ = source.position(start)
    end_line, end_column, _ = source.position(start + len(text))
    shape: dict[str, Any] = {
        "name": "bad-word",
        "message": f"`{text[:9]}` is bad",
        "path": "src/train.py",
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "url": URL,
        "id": "f00d",
    }
    return Finding(**(shape | given))


def fix(text: str, new: str, *, safe: bool = True) -> Fix:
    start = CODE.index(text)
    line = Edit(0, 0, "import jax.numpy as jnp\n")
    return Fix(f"write {new}", (line, Edit(start, start + len(text), new)), safe)


CHAIN = (
    Place("src/train.py", 3, 2, 3, 9, "jit of step"),
    Place("lib/other.py", 7, 1, 7, 5, "called here"),
)
FINDINGS = (
    in_code("x > 0", chain=CHAIN, severity="error", confidence="medium"),
    in_code("名前", name="worse-word", fix=fix('"é"', "jnp")),
    in_code(CODE[CODE.index("jax.lax") : -1], name="new-word", severity="info", url=""),
    in_code("length", fix=fix("length", "n", safe=False), id="f00e"),
    replace(
        in_code("import jax", name="odd-sign", message="100% a,b:c\r\nand \x1b[31mred\x00 <&\"'>"),
        path="src/we ird,%é.py",
        id="",
    ),
    Finding("bad-word", "a cell", "nb.ipynb", 2, 5, 2, 8, cell=2, id="cafe", url=URL),
)


@pytest.fixture
def report(fake_rules: Mapping[str, Any]) -> Shown:
    return Shown(FINDINGS, SOURCES.get, fake_rules.get, version="1.2.3")


def render(name: str, report: Shown) -> str:
    return formats.load(name)(report)


@pytest.mark.parametrize("name", formats.names())
def test_snapshot(name: str, report: Shown, snapshot: Compare) -> None:
    snapshot(f"{name}.txt", render(name, report))


@pytest.mark.parametrize("name", formats.names())
def test_nothing_found(name: str, report: Shown, snapshot: Compare) -> None:
    snapshot(f"empty/{name}.txt", render(name, replace(report, findings=())))


@pytest.mark.parametrize("name", formats.names())
def test_without_sources_and_rules(name: str) -> None:
    assert render(name, Shown(FINDINGS))


@pytest.mark.parametrize("name", formats.names())
def test_a_name_that_is_not_utf8(name: str, report: Shown) -> None:
    odd = replace(FINDINGS[0], path="\udcff.py", chain=(), message="\ud800")
    text = render(name, replace(report, findings=(odd,)))
    assert text.encode("utf-8", "backslashreplace")


def test_every_format_is_here() -> None:
    expected = "concise full github gitlab json jsonl junit rdjson sarif"
    assert formats.names() == expected.split()


def test_colours(report: Shown, snapshot: Compare) -> None:
    snapshot("full-colour.txt", render("full", replace(report, colour=True)))
    plain = render("concise", report)
    coloured = render("concise", replace(report, colour=True))
    assert "\x1b" not in plain
    assert coloured.count("\x1b[") == 4 * len(FINDINGS)


def test_json_fits_its_schema(report: Shown) -> None:
    file = resources.files("gotcha_lint") / "schemas/findings.json"
    schema = json.loads(file.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    printed = json.loads(render("json", report))
    jsonschema.validate(printed, schema)
    assert printed == json.loads(json.dumps([as_dict(finding) for finding in FINDINGS]))
    lines = render("jsonl", report).splitlines()
    assert [json.loads(line) for line in lines] == printed
    shape = schema["$defs"]["finding"]
    keys = [key for key in shape["properties"] if key != "run"]  # only with --with-run
    assert keys == shape["required"] == list(as_dict(FINDINGS[0]))
    broken = [printed[0] | {"line": 0}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def sarif(report: Shown) -> dict[str, Any]:
    return json.loads(render("sarif", report))


def test_sarif_model(report: Shown) -> None:
    """The whole of the 2.1.0 schema, as a package generated from it checks it."""
    log = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema
    log.model_validate(sarif(report))
    log.model_validate(sarif(replace(report, findings=())))


def test_sarif_required_properties(report: Shown) -> None:
    log = sarif(report)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({finding.name for finding in FINDINGS})
    for rule in rules:
        assert rule["help"]["text"].startswith("Finds the word BAD.")
        assert rule["shortDescription"]["text"]
    for result, finding in zip(run["results"], FINDINGS, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.name
        assert result["message"]["text"] == finding.message
        assert result["level"] in ("error", "warning", "note")
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] == finding.line
        assert region["endColumn"] == finding.end_column
        assert all(isinstance(value, int) and value >= 1 for value in region.values())
        assert " " not in location["physicalLocation"]["artifactLocation"]["uri"]


def test_sarif_help_is_the_page_with_links_that_work(report: Shown) -> None:
    name = "jit-of-bound-method"
    text = pages.page(name)
    assert text is not None and "](recompile.md)" in text

    def help(url: str) -> Any:
        one = replace(FINDINGS[0], name=name, url=url)
        log = sarif(replace(report, findings=[one], rule=rules().get))
        return log["runs"][0]["tool"]["driver"]["rules"][0]["help"]

    shown = help(f"https://example.org/pages/{name}.md")
    wanted = text.replace("](recompile.md", "](https://example.org/pages/recompile.md")
    assert shown["markdown"] == wanted
    assert shown["text"].startswith(f"{name}\n")
    assert "](recompile.md" not in help("")["markdown"]  # a link that leads nowhere


def test_sarif_fixes_can_be_applied(report: Shown) -> None:
    (result,) = (r for r in sarif(report)["runs"][0]["results"] if r["ruleId"] == "worse-word")
    (change,) = result["fixes"][0]["artifactChanges"]
    source = SOURCES["src/train.py"]
    text = source.text
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        start = source.offset(region["startLine"], region["startColumn"])
        end = source.offset(region["endLine"], region["endColumn"])
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    assert text == "import jax.numpy as jnp\n" + CODE.replace('"é"', "jnp")


def test_sarif_chain_cell_and_fingerprints(report: Shown) -> None:
    first, *_, last = sarif(report)["runs"][0]["results"]
    (flow,) = first["codeFlows"]
    messages = [x["location"]["message"]["text"] for x in flow["threadFlows"][0]["locations"]]
    assert messages == ["jit of step", "called here", "`x > 0` is bad"]
    assert [place["id"] for place in first["relatedLocations"]] == [1, 2]
    assert first["partialFingerprints"] == {"gotcha/v1": "f00d"}
    assert last["properties"]["cell"] == 2
    assert last["locations"][0]["properties"]["cell"] == 2


def test_sarif_says_what_failed(report: Shown) -> None:
    class Failure:
        path, rule, error = "a.py", "bad-word", "KeyError: 'x'"

    (invocation,) = sarif(replace(report, failures=(Failure(),)))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolExecutionNotifications"]
    assert "bad-word" in note["message"]["text"]


def test_absolute_paths_become_relative(report: Shown, tmp_path: Path) -> None:
    inside = replace(FINDINGS[0], path=str(tmp_path / "a b.py"), chain=())
    outside = replace(FINDINGS[0], path="/elsewhere/a.py", chain=())
    shown = replace(report, findings=(inside, outside), root=str(tmp_path))
    results = sarif(shown)["runs"][0]["results"]
    places = [r["locations"][0]["physicalLocation"]["artifactLocation"] for r in results]
    assert places[0] == {"uri": "a%20b.py", "uriBaseId": "%SRCROOT%"}
    assert places[1] == {"uri": "file:///elsewhere/a.py"}
    assert "file=a b.py," in render("github", shown)


def test_no_format_names_an_address_that_does_not_exist(report: Shown) -> None:
    here = [replace(finding, url=home.page_url(finding.name)) for finding in FINDINGS]
    for name in formats.names():
        text = render(name, replace(report, findings=here))
        found = re.findall(r"https?://(?!json\.schemastore\.org|example\.org/bad\b)[^\s\"]+", text)
        assert bool(found) == bool(home.HOME), (name, found)


def test_with_a_home_there_are_links() -> None:
    assert home.page_url("a-b", "https://h/x") == "https://h/x/blob/main/docs/gotchas/a-b.md"
    assert home.page_url("a-b", "") == ""


def test_what_is_shared_is_shown_once(report: Shown) -> None:
    again = replace(FINDINGS[0], line=6, end_line=6, column=1, end_column=3)
    text = render("full", replace(report, findings=[FINDINGS[0], again]))
    first, second, _ = text.split("\n\n")
    assert "= help:" in first and "= more:" in first
    assert "= because: src/train.py:3 jit of step: @jax.jit\n" in first
    assert "= help:" not in second and "= more:" not in second
    assert "= because: src/train.py:3 jit of step\n" in second


def test_the_command_for_the_pages_is_the_last_line(report: Shown) -> None:
    one, other = (replace(FINDINGS[0], name=name, url="") for name in ("bad-word", "new-word"))
    text = render("full", replace(report, findings=[one, one]))
    assert text.endswith("\n\nmore: gotcha-lint --explain bad-word\n")
    text = render("full", replace(report, findings=[one, other]))
    assert text.endswith("\n\nmore: gotcha-lint --explain NAME, for example bad-word\n")
    assert "more: gotcha-lint" not in render("full", replace(report, findings=[FINDINGS[0]]))


def test_a_finding_takes_few_lines(report: Shown) -> None:
    one = replace(FINDINGS[0], url="")
    block, *_ = render("full", replace(report, findings=[one])).split("\n\n")
    head, source, carets, *chain, help = block.splitlines()
    assert head.startswith("src/train.py:5:5: error[bad-word]")
    assert source.startswith("  5 |") and carets.endswith("^^^^^")
    assert [line.split()[1] for line in (*chain, help)] == ["because:", "because:", "help:"]


def test_the_source_of_a_link_goes_below_where_it_does_not_fit(report: Shown) -> None:
    link = Place("src/train.py", 6, 12, 12, 6, "called here")
    narrow = replace(report, findings=[replace(FINDINGS[0], chain=(link,))])
    whole = render("full", narrow)
    assert "= because: src/train.py:6 called here: return jax.lax.scan(\n" in whole
    text = render("full", replace(narrow, width=52, source_width=52, wrapped=True))
    assert "= because: src/train.py:6 called here\n      return jax.lax.scan(\n" in text
    text = render("full", replace(narrow, width=24, source_width=24, wrapped=True))
    assert "      return jax.lax.scan(\n" in text


@pytest.mark.parametrize("name", ["full", "concise"])
def test_a_terminal_links_the_name_to_its_page(name: str, report: Shown) -> None:
    linked = replace(report, colour=True, page=lambda name: f"file:///pages/{name}.md")
    text = render(name, linked)
    assert (
        "\x1b]8;;file:///pages/bad-word.md\x1b\\\x1b[1;31merror[bad-word]\x1b[0m\x1b]8;;\x1b\\ "
        in text
    )
    assert "\x1b]8" not in render(name, replace(report, colour=True))


_LONG = replace(
    FINDINGS[0], message="one two three four five six seven eight nine ten eleven twelve thirteen"
)


@pytest.mark.parametrize("columns", [40, 44, 60, 80])
@pytest.mark.parametrize("colour", [False, True])
def test_a_terminal_wraps_the_first_line(columns: int, colour: bool, report: Shown) -> None:
    narrow = replace(
        report, findings=[_LONG], wrapped=True, width=columns, source_width=columns, colour=colour
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", render("full", narrow))
    head = text.partition("  5 |")[0]
    assert " ".join(head.split()).endswith(f"error[bad-word] {_LONG.message}")
    assert all(line.startswith("    ") for line in head.splitlines()[1:])
    assert all(len(line) <= columns or "more:" in line for line in text.splitlines())


def test_a_pipe_gets_the_first_line_whole(report: Shown) -> None:
    narrow = replace(report, findings=[_LONG], width=40, source_width=40)
    assert render("full", narrow).splitlines()[0].endswith(_LONG.message)


def test_github_repeats_nothing_that_it_shows_itself(report: Shown) -> None:
    lines = render("github", report).splitlines()
    assert lines[0].endswith("::`x > 0` is bad")
    assert lines[-1].endswith("::cell 2, line 2: a cell")


def test_github_escapes(report: Shown) -> None:
    lines = render("github", report).splitlines()
    assert len(lines) == len(FINDINGS)
    assert "file=src/we ird%2C%25é.py" in lines[4]
    assert "100%25 a,b:c%0D%0Aand" in lines[4]
    assert lines[2].startswith("::notice ")
    assert "col=" not in lines[2]


def test_gitlab_fingerprints_are_unique(report: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = replace(report, findings=FINDINGS + FINDINGS)
    issues = json.loads(render("gitlab", twice))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    shifted = [replace(finding, line=finding.line + 5, end_line=99) for finding in FINDINGS]
    again = json.loads(render("gitlab", replace(report, findings=shifted)))
    assert [i["fingerprint"] for i in again] == [i["fingerprint"] for i in issues[: len(again)]]
    monkeypatch.setenv("CI_PROJECT_DIR", str(Path.cwd().parent))
    (first, *_) = json.loads(render("gitlab", report))
    assert first["location"]["path"] == f"{Path.cwd().name}/src/train.py"


def test_junit_is_xml(report: Shown) -> None:
    root = ElementTree.fromstring(render("junit", report))
    cases = root.findall("./testsuite/testcase")
    assert root.get("tests") == str(len(cases)) == str(len(FINDINGS))
    assert len(root.findall(".//failure")) == int(root.get("failures", "0")) == 5
    texts = [failure.get("message", "") for failure in root.findall(".//failure")]
    assert any("\\x1b[31mred\\x00 <&\"'>" in text for text in texts)
    empty = ElementTree.fromstring(render("junit", replace(report, findings=())))
    assert (empty.get("tests"), empty.get("failures")) == ("1", "0")


def test_rdjson_counts_bytes(report: Shown) -> None:
    diagnostics = json.loads(render("rdjson", report))["diagnostics"]
    wide = diagnostics[1]
    line = CODE.splitlines()[4].encode()
    span = wide["location"]["range"]
    assert line[span["start"]["column"] - 1 : span["end"]["column"] - 1].decode() == "名前"
    span = wide["suggestions"][1]["range"]
    assert line[span["start"]["column"] - 1 : span["end"]["column"] - 1].decode() == '"é"'
    assert [d["severity"] for d in diagnostics[:3]] == ["ERROR", "WARNING", "INFO"]
    assert "range" not in diagnostics[-1]["location"]
