"""`report --last`: a small record of each run is kept, the newest ten, without values."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.run import last_runs
from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.run.record import BadRecord, Run, fold, read, summary
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site

PROGRAM = """import jax, numpy as np

step = jax.jit(lambda x: x * 2)
for n in range(3, 6):
    step(np.ones(n))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOTCHA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "runs"


def _run(function: str = "step") -> Run:
    run = Run()
    program: dict[str, Any] = {
        **{"event": "program", "at": 1.0, "function": function, "owner": "user", "eager": ""},
        **{"defined": ["train.py", 3], "path": "train.py", "line": 5, "cached": None},
        **{"seconds": {"compile": 0.5}, "shapes": "x: float32[3]", "causes": ["static-value"]},
        **{"why": ["n: 3 -> 4"], "retraced": True},
        "turn": {"name": "n", "value": 4, "path": "train.py", "line": 4},
    }
    run.add({"event": "start", "at": 0.0, "argv": ["train.py", "--token", "secret"]})
    run.add(program)
    finding = Finding("recompile", "again", Site("train.py", 5), evidence={"differences": ["4"]})
    run.findings[finding.id] = finding
    run.add({"event": "degraded", "feature": "reads", "why": "hidden"})
    run.add(summary(run) | {"at": 2.0})
    return run


def test_a_kept_run_is_a_record_without_values(folder: Path) -> None:
    run = _run()
    last_runs.keep(run)
    path = last_runs.newest()
    assert path.parent == folder
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = path.read_text("utf-8")
    assert "secret" not in text and "-> 4" not in text and '"value"' not in text
    again = fold(read(path))
    assert again.complete
    assert again.start["argv"] == ["train.py"]
    assert again.count("compiles") == run.count("compiles")
    assert again.programs[0]["causes"] == ["static-value"]
    (finding,) = again.findings.values()
    assert (finding.name, finding.message, dict(finding.evidence)) == ("recompile", "again", {})
    assert again.degraded == {"reads": "hidden"}


def test_only_the_last_ones_stay(folder: Path) -> None:
    for number in range(last_runs.KEPT + 3):
        last_runs.keep(_run(f"f{number}"))
    assert len(list(folder.iterdir())) == last_runs.KEPT
    names = {fold(read(path)).programs[0]["function"] for path in folder.iterdir()}
    assert names == {f"f{number}" for number in range(3, last_runs.KEPT + 3)}
    newest = fold(read(last_runs.newest()))
    assert newest.programs[0]["function"] == f"f{last_runs.KEPT + 2}"


def test_the_last_run_of_this_folder_comes_first(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere, third = (tmp_path / name for name in ("here", "elsewhere", "third"))
    for place in (here, elsewhere, third):
        place.mkdir()
    monkeypatch.chdir(here)
    last_runs.keep(_run("mine"))
    monkeypatch.chdir(elsewhere)
    for _ in range(last_runs.KEPT + 3):
        last_runs.keep(_run("other"))
    assert len(list(folder.iterdir())) == last_runs.KEPT + 1
    for place, function in ((here, "mine"), (elsewhere, "other"), (third, "other")):
        monkeypatch.chdir(place)
        assert fold(read(last_runs.newest())).programs[0]["function"] == function


def test_there_is_a_limit_for_all_folders(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_runs, "KEPT_IN_ALL", 3)
    for number in range(5):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        last_runs.keep(_run(f"f{number}"))
    names = {fold(read(path)).programs[0]["function"] for path in folder.iterdir()}
    assert names == {"f2", "f3", "f4"}


def test_where_there_is_none(cli: Any) -> None:
    with pytest.raises(BadRecord, match="no run was kept yet"):
        last_runs.newest()
    code, _, err = cli("report", "--last")
    assert code == 2 and "GOTCHA_SANITIZE=1 python train.py makes one" in err


def test_the_report_of_the_last_run(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    options = "log_path=run.jsonl:html=run.html"
    command = [sys.executable, "-m", "gotcha_sanitizer", "train.py"]
    env = os.environ | {"GOTCHA_OPTIONS": options}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    said = [line.partition("gotcha: ")[2] for line in done.stderr.splitlines()]
    assert said[-2:] == ["the record of this run: run.jsonl", "the page of this run: run.html"]

    code, out, err = cli("report", "--last")
    assert code == 0
    assert re.search(r"the run of train\.py that began at 20\d\d-\d\d-\d\d \d\d:", err)
    assert "recompile (shape) at train.py:5" in out
    code, out, _ = cli("report", "--last", "--format", "json")
    assert sum(row["compiles"] for row in json.loads(out)["functions"]) == 3
    code, _, err = cli("report", "--last", "run.jsonl")
    assert code == 2 and "use --last" in err


def test_errors_of_the_system_are_sentences(cli: Any, tmp_path: Path) -> None:
    code, _, err = cli("report", "missing.jsonl")
    assert code == 2
    assert "missing.jsonl cannot be read: there is no such file or folder" in err
    code, _, err = cli("serve", "missing.jsonl")
    assert "missing.jsonl cannot be read: there is no such file or folder" in err
    (tmp_path / "run.jsonl").write_text('{"event": "start", "at": 0.0, "time": 1.0}\n')
    code, _, err = cli("export", "run.jsonl", "--to", "metrics", "-o", "gone/run.json")
    assert "'gone/run.json': there is no such file or folder" in err
    code, _, err = cli("report", str(tmp_path))
    assert "it is a folder" in err and "Errno" not in err
    assert in_words(OSError(errno.ENOSPC, "No space left on device")) == "the disk is full"
    assert in_words(OSError(9999, "odd")) == "odd"
    assert in_words(ValueError("odd")) == "ValueError: odd"
