"""The programs of examples/gotchas/: the bad ones show their gotcha, the good ones nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax")

from measuring import capture
from measuring.programs import FOLDER, Pair, marks, pairs, plain
from pages.catalogue import gotchas

from gotcha_lint import engine, formats
from gotcha_lint.config.settings import Settings
from gotcha_lint.errors import recognise
from gotcha_lint.finding import Finding
from gotcha_lint.registry import rules
from tests.cheap_compiles import CHEAP, KEPT

RUNNER = capture.ROOT / "docs" / "measuring" / "bare.py"
PAIRS: dict[str, Pair] = {path.name: pairs()[path.name][-1] for path in FOLDER.iterdir()}
SEEN = {name for name in PAIRS if gotchas()[name].check}
# Both programs run for seconds. Quick tests of the same faults: test_host_programs.py (reads) and
# test_sampling.py (arrays that pile up).
LONG = {"host-read-every-step", "memory-growth"}
CHECKED = [
    pytest.param(
        name,
        marks=[pytest.mark.monitoring] * (PAIRS[name].python >= (3, 12))
        + [pytest.mark.slow] * (name in LONG),
    )
    for name in sorted(SEEN)
]
ENDS_THE_PROCESS = {"xla-flag-unknown"}
# Those of rules are in tests/lint/test_symptoms.py.
ERRORS = {name: PAIRS[name] for name in PAIRS.keys() - SEEN - ENDS_THE_PROCESS}
RAISING = sorted(ERRORS)


@pytest.mark.parametrize("name", CHECKED)
def test_the_sanitizer_finds_it_and_nothing_else(name: str):
    pair = PAIRS[name]
    bad, good = (capture.run(plain(code), flags=CHEAP) for code in (pair.bad, pair.good))
    found = {(f.site.line if f.site else 0, _name(f.name, f.cause)) for f in bad.run.problems}
    assert found == marks(pair.bad), bad.err
    assert good.code == 0 and not good.run.problems, good.err


def _name(name: str, cause: str) -> str:
    return f"{name}/{cause}" if cause and name != "key-reuse" else name


def outcomes(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Both programs of each pair that raises; JAX is imported once."""
    codes = [plain(code) for name in RAISING for code in ERRORS[name][:2]]
    programs = [{"code": code, "shows": ""} for code in codes]
    (folder / "in.json").write_text(json.dumps(programs), "utf-8")
    env = os.environ | KEPT | {"JAX_PLATFORMS": "cpu"}
    env |= {"XLA_FLAGS": f"{capture.DEVICES} {CHEAP}"}
    command = [sys.executable, str(RUNNER), "in.json", "out.json"]
    subprocess.run(command, cwd=folder, env=env, check=True, timeout=600)
    results = json.loads((folder / "out.json").read_text("utf-8"))
    return {name: results[2 * n : 2 * n + 2] for n, name in enumerate(RAISING)}


def test_the_errors_are_recognised(tmp_path: Path):
    """One test, so that the programs are run by one worker of xdist only."""
    found = outcomes(tmp_path)
    assert {name: good["error"] for name, (_, good) in found.items() if good["error"]} == {}
    wrong = {name: bad["error"] for name, (bad, _) in found.items() if _meant(bad["error"]) != name}
    assert wrong == {}


def _meant(error: str) -> str:
    meaning = recognise(error)
    return meaning.known.names[0] if meaning else ""


@pytest.mark.parametrize("name", sorted(ENDS_THE_PROCESS & PAIRS.keys()))
def test_the_process_is_ended(name: str):
    bad, good = (capture.run(plain(code)) for code in PAIRS[name][:2])
    meaning = recognise(bad.err)
    assert bad.code != 0 and not bad.told
    assert meaning and meaning.known.names[0] == name
    assert good.code == 0, good.err


def test_the_linter_still_prints_what_the_pages_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """All examples in one run, each shown alone; `make measure` writes again what changed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    wanted: dict[str, str] = {}
    for name, gotcha in gotchas().items():
        for number, pair in enumerate(pairs().get(name, ())):
            if gotcha.rule:
                file = tmp_path / f"{name}-{number}" / capture.NAME
                file.parent.mkdir()
                file.write_text(plain(pair.bad), "utf-8")
                wanted[file.parent.name] = _committed(name, pair)
    settings = Settings()
    report = engine.lint([f"{each}/{capture.NAME}" for each in wanted], lambda path: settings)
    assert report.failures == []
    printed = {folder: _printed(report, folder) for folder in wanted}
    assert printed == wanted


def _printed(report: engine.Report, folder: str) -> str:
    """What the linter prints of one example alone, with the rule that it is an example of."""
    name, path = folder.rpartition("-")[0], f"{folder}/{capture.NAME}"
    findings = [_in_place(f, folder) for f in report.findings if f.path == path and f.name == name]
    source = {capture.NAME: report.source(path)}.get
    shown = formats.Shown(findings, source, rules().get, source_width=88)
    return formats.load("full")(shown).strip("\n")


def _in_place(finding: Finding, folder: str) -> Finding:
    """The same without its folder, as a line is broken by how long the path is."""
    chain = tuple(replace(p, path=p.path.removeprefix(f"{folder}/")) for p in finding.chain)
    return replace(finding, path=finding.path.removeprefix(f"{folder}/"), chain=chain)


def _committed(name: str, pair: Pair) -> str:
    path = capture.ROOT / "docs" / "measured" / "outputs" / f"{name}.json"
    known = {each["digest"]: each for each in json.loads(path.read_text("utf-8"))["examples"]}
    return known[pair.digest]["linter"]
