"""Known findings: not shown, kept while lines move, taken out when they are gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gotcha_lint.cli import main

TRAIN = """import jax

def draw(key):
    return jax.random.normal(key), jax.random.uniform(key)
"""
MORE = """
def more(key):
    return jax.random.normal(key), jax.random.uniform(key)
"""
UPDATE = "import jax.numpy as jnp\n\nx = jnp.zeros(3)\nx.at[0].set(1.0)\nprint(x)\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/train.py").write_text(TRAIN)
    (folder / "src/update.py").write_text(UPDATE)
    monkeypatch.chdir(folder)
    return folder


def configured() -> None:
    Path("pyproject.toml").write_text('[tool.gotcha]\nbaseline = "known.json"\n')


def lint(capsys, *args: str) -> tuple[int, list[str], str]:
    """The exit code, the findings, and what is said beside them."""
    code = main(["--output-format", "concise", *args])
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err


def test_known_findings_are_not_shown(capsys, project):
    assert lint(capsys)[0] == 1
    code, out, err = lint(capsys, "--write-baseline")
    assert (code, out) == (0, [])
    assert "wrote 2 findings to gotcha-baseline.json" in err
    assert "--baseline" in err  # nothing would read it without
    code, out, err = lint(capsys, "--baseline", "gotcha-baseline.json")
    assert (code, out) == (0, [])
    assert "no findings in 2 files\nnot shown: 2 known findings (baseline)" in err


def test_it_can_be_reviewed(capsys, project):
    lint(capsys, "--write-baseline")
    rows = json.loads((project / "gotcha-baseline.json").read_text())["findings"]
    (row,) = rows["src/update.py"]
    assert list(row) == ["name", "line", "message", "id"]
    assert (row["name"], row["line"]) == ("discarded-update", 4)
    assert row["message"].startswith("`x.at[0].set(...)` returns a new value")


def test_one_without_messages_is_still_read(capsys, project):
    lint(capsys, "--write-baseline")
    file = project / "gotcha-baseline.json"
    whole = json.loads(file.read_text())
    for rows in whole["findings"].values():
        rows[:] = [{"name": row["name"], "id": row["id"]} for row in rows]
    file.write_text(json.dumps(whole))
    assert lint(capsys, "--baseline", str(file))[:2] == (0, [])
    assert lint(capsys, "--baseline", str(file), "--write-baseline", "src/train.py")[0] == 0
    assert lint(capsys, "--baseline", str(file))[:2] == (0, [])


def test_lines_move_and_new_findings_are_shown(capsys, project):
    configured()
    lint(capsys, "--write-baseline")
    path = project / "src/train.py"
    path.write_text("# a comment\n\n" + TRAIN + MORE)
    code, out, _ = lint(capsys)
    assert code == 1
    assert [line.split(":")[:2] for line in out] == [["src/train.py", "9"]]


def test_the_configuration_names_it_from_its_own_folder(capsys, project, monkeypatch):
    configured()
    lint(capsys, "--write-baseline")
    assert set(json.loads((project / "known.json").read_text())["findings"]) == {
        "src/train.py",
        "src/update.py",
    }
    monkeypatch.chdir(project / "src")
    assert lint(capsys, "train.py")[:2] == (0, [])


def test_what_is_gone_is_told_and_taken_out(capsys, project):
    configured()
    lint(capsys, "--write-baseline")
    (project / "src/update.py").write_text("x = 1\n")
    code, _, err = lint(capsys)
    assert code == 0
    assert "1 finding of the baseline is gone" in err
    lint(capsys, "--write-baseline")
    assert "gone" not in lint(capsys)[2]
    assert set(json.loads((project / "known.json").read_text())["findings"]) == {"src/train.py"}


def test_other_files_stay_in_it(capsys, project):
    configured()
    lint(capsys, "--write-baseline")
    assert "gone" not in lint(capsys, "src/train.py")[2]
    lint(capsys, "--write-baseline", "src/train.py")
    assert lint(capsys)[:2] == (0, [])
    (project / "src/update.py").unlink()
    lint(capsys, "--write-baseline", "src/train.py")
    assert set(json.loads((project / "known.json").read_text())["findings"]) == {"src/train.py"}


def test_fixes_leave_known_findings_alone(capsys, project):
    configured()
    lint(capsys, "--write-baseline")
    path = project / "src/update.py"
    path.write_text(UPDATE + "y = x\ny.at[0].set(2.0)\n")
    code, out, _ = lint(capsys, "--fix")
    assert (code, out) == (0, [])
    assert path.read_text() == UPDATE + "y = x\ny = y.at[0].set(2.0)\n"


def test_a_file_that_cannot_be_read_is_never_known(capsys, project):
    configured()
    (project / "src/train.py").write_text("import jax\nx = = 1\n")
    lint(capsys, "--write-baseline")
    code, out, _ = lint(capsys)
    assert code == 1
    assert [line.split("[")[1].split("]")[0] for line in out] == ["syntax-error"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "known.json: there is no such baseline: --write-baseline makes it"),
        ("{", "known.json: not a baseline"),
        ("[]", "known.json: not a baseline of this version"),
        ('{"version": 2}', "known.json: not a baseline of this version"),
        ('{"version": 1}', "known.json: not a baseline: --write-baseline writes a new one"),
        ('{"version": 1, "findings": {"a.py": [1]}}', "known.json: not a baseline"),
    ],
)
def test_a_wrong_baseline_ends_the_run(capsys, project, text, words):
    configured()
    if text is not None:
        (project / "known.json").write_text(text)
    code, out, err = lint(capsys)
    assert (code, out) == (2, [])
    assert words in err


@pytest.mark.parametrize("args", [("--fix",), ("--diff",), ("-",)])
def test_it_is_written_of_files_as_they_are(capsys, args):
    code, _, err = lint(capsys, "--write-baseline", *args)
    assert code == 2
    assert "--write-baseline" in err


def test_a_place_that_cannot_be_written(capsys, project):
    code, _, err = lint(capsys, "--write-baseline", "--baseline", "no/such/folder.json")
    assert code == 2
    assert "no/such/folder.json" in err
