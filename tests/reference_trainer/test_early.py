"""What can be known to go wrong is said before anything is compiled, in one line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from reference_trainer import metrics
from reference_trainer.__main__ import main
from reference_trainer.config import UserError
from reference_trainer.run import report, start
from tests.reference_trainer.support import environment
from tests.reference_trainer.test_restart import SETTINGS


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    (tmp_path / "text.txt").write_text("\n\n".join(f"line {i} of many" for i in range(300)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, *args: str, code: int = 2) -> str:
    """The one line that a command says instead of compiling anything."""
    compiles = metrics.Compiles()
    line = ["train", "--data", "text.txt", "--cache", "none", *SETTINGS, *args]
    assert main(line) == code
    assert compiles.count == 0
    (output,) = capsys.readouterr().err.splitlines()
    return output


@pytest.mark.parametrize("rows", ["4", "0"])
def test_a_loader_that_is_not_installed(folder, capsys, monkeypatch, rows):
    monkeypatch.setitem(sys.modules, "grain", None)
    output = refused(capsys, "--out", "run", "data.loader=grain", f"data.batch={rows}")
    assert "data.loader=grain: pip install grain; or data.loader=simple" in output
    assert not (folder / "run").exists()


def test_tensorboard_that_is_not_installed(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    output = refused(capsys, "--out", "run", "--tensorboard")
    assert "--tensorboard needs: pip install tensorboardX" in output


def test_a_folder_that_cannot_be_made(folder, capsys):
    assert "text.txt" in refused(capsys, "--out", "text.txt/run")


def test_a_vocabulary_that_is_too_small_where_the_rows_are_counted_first(folder, capsys):
    output = refused(capsys, "--out", "run", "data.batch=0", "model.features=64", "model.heads=64")
    assert "set model.features and model.heads" in output


def test_a_warm_up_that_outlasts_the_run_is_said(folder, capsys, monkeypatch):
    """Before the first compile: the run would end with a rate that it was not meant to have."""

    def compiled(*args: object) -> None:
        raise UserError("compiles")

    monkeypatch.setattr(report, "compiled", compiled)
    line = ["train", "--data", "text.txt", "--cache", "none", "--out", "run", *SETTINGS]
    assert main([*line, "optimizer.warmup=24", "optimizer.learning_rate=0.01"]) == 2
    found = capsys.readouterr().out
    assert (
        "optimizer.warmup=24 is not over in run.steps=12: the learning rate ends at 0.0046" in found
    )
    assert main([*line, "optimizer.warmup=11"]) == 2
    assert "is not over" not in capsys.readouterr().out


def test_no_room_for_a_checkpoint(folder, capsys, monkeypatch):
    used = SimpleNamespace(total=10**9, used=10**9, free=1000)
    monkeypatch.setattr(start.shutil, "disk_usage", lambda folder: used)
    output = refused(capsys, "--out", "run", code=1)
    assert "run has room for 0.0 MiB, a checkpoint takes about 0.2 MiB" in output


@pytest.mark.skipif(
    not shutil.which("unshare")
    or subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode != 0,
    reason="only root, or a user with namespaces, may mount the small disk that is filled here",
)
def test_a_disk_that_fills_up(folder):
    """A real one: one line and exit code 1, the first checkpoint is whole, and the run goes on."""
    line = [sys.executable, "-m", "reference_trainer", "train", "--data", "text.txt"]
    line += ["--out", "disk/run", "--no-report", *SETTINGS, "run.keep=9"]
    run = " ".join(map(str, line))
    script = f"""
    mkdir disk && mount -t tmpfs -o size=600k none disk
    {run}; echo "code $?"
    ls disk/run/checkpoints
    mount -o remount,size=60m disk
    {run}; echo "code $?"
    """
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if not line.startswith("step ")]
    assert len(lines) == 1, done.stderr
    assert "the disk is full" in lines[0]
    first, second = [at for at in done.stdout.splitlines() if at.startswith("code")]
    assert (first, second) == ("code 1", "code 0")
    assert "goes on after step 4" in done.stdout
