"""Runs that stop and go on: bit by bit as if they had not stopped, or a refusal that says why."""

from __future__ import annotations

import errno
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import optax
import pytest
import tensorstore as ts

from reference_trainer import metrics, parallel
from reference_trainer.run.integrity import CheckpointError
from reference_trainer.run.settings import from_json
from reference_trainer.run.start import check_same, set_aside
from reference_trainer.train import checkpoint, loop
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints, Saved
from tests.reference_trainer.support import (
    ROOT,
    SMALL,
    TINY,
    corpus,
    environment,
    job,
    run,
    same,
)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    folder = tmp_path_factory.mktemp("straight")
    return folder, run(TINY, folder)


def losses(folder: Path) -> dict[int, float]:
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


def metadata(step: int) -> Saved:
    return Saved(step, TINY.to_json(), {}, 0.0, {})


@pytest.mark.parametrize("loader", ["simple", "grain"])
def test_resumed_is_straight(straight, tmp_path, loader):
    """All of the state and every loss: 6 steps, or 3 and then 3."""
    config = TINY.replace(data={"loader": loader})
    schedule = config.run.steps  # the learning rate depends on the run's length

    class Enough(loop.Stop):
        def requested(self, step: int) -> bool:
            return step == schedule // 2

    half = pytest.MonkeyPatch()
    half.setattr(loop, "Stop", Enough)
    run(config, tmp_path)
    half.undo()
    result = run(config, tmp_path, resume=True)
    assert same(jax.device_get(straight[1].state), jax.device_get(result.state))
    assert losses(straight[0]) == losses(tmp_path)


def test_a_run_is_one_program(straight, tmp_path):
    """With evaluation, a ragged last batch and a save; also after a restore in this process."""
    _, result = straight
    assert (result.programs, result.recompiled) == (1, 0)
    folder = straight[0] / "checkpoints"
    with Checkpoints(folder) as checkpoints:
        made = job()
        state = states.create(TINY, made.mesh)
        state, _ = made.step(state, parallel.place(made.batches[0], made.mesh))
        compiles = metrics.Compiles()
        state = checkpoints.restore(states.abstract(TINY, made.mesh))
        before = compiles.count
        made.step(state, parallel.place(made.batches[1], made.mesh))
        assert compiles.count == before


def is_adam(part) -> bool:
    return isinstance(part, optax.ScaleByAdamState)


def test_types_come_back(tmp_path):
    made = states.create(SMALL, parallel.device_mesh())
    with Checkpoints(tmp_path) as checkpoints:
        checkpoints.save(made, metadata(1))
    with Checkpoints(tmp_path) as checkpoints:
        state = checkpoints.restore(states.abstract(SMALL, parallel.device_mesh()))
    assert isinstance(state, states.TrainState)
    kinds = [type(part).__name__ for part in jax.tree.leaves(state.opt_state, is_leaf=is_adam)]
    assert "ScaleByAdamState" in kinds
    assert same(jax.device_get(state), jax.device_get(made))


def test_newest_and_best_are_kept(tmp_path):
    state = states.create(TINY, parallel.device_mesh())
    with Checkpoints(tmp_path, keep=2) as checkpoints:
        for step, bits in enumerate([3.0, 1.0, None, 2.0, 2.2], start=1):
            checkpoints.save(state, metadata(step), bits)
    with Checkpoints(tmp_path) as checkpoints:
        assert checkpoints.steps() == [2, 4, 5]


FULL = (  # what Orbax 0.12 says when its own writer fails
    """RESOURCE_EXHAUSTED: Error writing "params.embed.0/0.0" in OCDBT database at local file "c/":
    Failed to write 24576 bytes to file 4: No space left on device [os_error_code='28']"""
)


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), ValueError(FULL)], ids=type
)
def test_errors_of_a_background_save_come_out(tmp_path, monkeypatch, caplog, error):
    """They happen after `save` has returned: whoever does not wait never hears of them."""
    state = states.create(TINY, parallel.device_mesh())

    def full(self, *args, **kwargs):
        raise error

    full_disk = pytest.raises(CheckpointError, match=r"disk is full.*same command again")
    with full_disk as raised, Checkpoints(tmp_path / "c") as checkpoints:
        monkeypatch.setattr(ts.TensorStore, "write", full)
        checkpoints.save(state, metadata(1))
    assert raised.value.code == 1
    assert not caplog.records  # what Orbax's threads log is what was raised, with tracebacks


def test_another_model_is_refused_with_a_diff(straight):
    with Checkpoints(straight[0] / "checkpoints") as checkpoints:
        saved = checkpoints.read()
    wider = TINY.replace(model={"width": 64}, run={"steps": 9})
    with pytest.raises(CheckpointError) as error:
        check_same(saved, wider, saved.about)
    assert "model.width: 32 (saved), 64 (asked for)" in str(error.value)
    assert "run.steps" not in str(error.value)  # that may change


def test_remat_may_change_but_not_the_groups_of_layers(straight, tmp_path):
    """What the message of a step without memory advises: the parameters are the same tree."""
    shutil.copytree(straight[0] / "checkpoints", tmp_path / "checkpoints")
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        saved = checkpoints.read(3)
    set_aside(tmp_path / "checkpoints", 3)
    full = TINY.replace(compute={"remat": "full"})
    check_same(saved, full, saved.about)
    loop.train(job(full), tmp_path, saved)
    whole = losses(straight[0])
    np.testing.assert_allclose(
        list(losses(tmp_path).values()), [whole[step] for step in (4, 5, 6)], rtol=1e-5
    )
    two = SMALL.replace(model={"depth": 2})
    every = two.replace(compute={"remat": "full", "remat_every": 2})
    grouped = pytest.raises(CheckpointError, match=r"group\): 1 \(saved\), 2 \(asked for\)")
    with grouped:
        check_same(saved._replace(config=two.to_json()), every, saved.about)


def test_unrolled_layers_go_on_scanned_and_back(straight, tmp_path):
    """The same numbers in the other layout, of the optimizer too."""
    shutil.copytree(straight[0] / "checkpoints", tmp_path / "checkpoints")
    set_aside(tmp_path / "checkpoints", 3)
    scanned = TINY.replace(compute={"layers": "scan"}, run={"steps": 5})
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        saved = checkpoints.read(3)
    check_same(saved, scanned, saved.about)
    state = loop.train(job(scanned), tmp_path, saved).state
    assert isinstance(state.params["layers"], dict)
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        saved = checkpoints.read(5)
    state = loop.train(job(TINY), tmp_path, saved).state
    assert jax.tree.structure(state) == jax.tree.structure(straight[1].state)
    whole = losses(straight[0])
    # The rate follows run.steps, and so differs at the two steps in between.
    np.testing.assert_allclose(losses(tmp_path)[4], whole[4], rtol=1e-4)


def test_what_a_machine_lacks_is_not_saved(tmp_path):
    """Another one may have cuDNN: the run goes on there with the attention it asked for."""
    config = SMALL.replace(run={"steps": 1, "eval_every": 1, "save_every": 1})
    requested = config.replace(compute={"attention": "cudnn"})
    loop.train(loop.prepare(config, corpus(), requested=requested), tmp_path)
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        assert from_json(checkpoints.read().config) == requested


def test_other_data_are_refused(straight):
    with Checkpoints(straight[0] / "checkpoints") as checkpoints:
        saved = checkpoints.read()
    check_same(saved, from_json(saved.config), saved.about)
    with pytest.raises(CheckpointError, match="digest: 0/60"):
        check_same(saved, TINY, {"digest": "1/60"})


def test_a_newer_format_is_refused(tmp_path, monkeypatch):
    state = states.create(TINY, parallel.device_mesh())
    with monkeypatch.context() as patch, Checkpoints(tmp_path) as checkpoints:
        patch.setattr(checkpoint, "FORMAT", 99)
        checkpoints.save(state, metadata(1))
    with Checkpoints(tmp_path) as checkpoints, pytest.raises(CheckpointError, match="format 99"):
        checkpoints.read()


def test_a_broken_checkpoint_is_named(straight, tmp_path):
    shutil.copytree(straight[0] / "checkpoints", tmp_path / "c")
    for file in (tmp_path / "c" / "6" / "state").rglob("*"):
        if file.is_file():
            file.write_bytes(b"garbage")
    with Checkpoints(tmp_path / "c") as checkpoints:
        with pytest.raises(CheckpointError, match=r"c/6: cannot be read.*--step"):
            checkpoints.restore(states.abstract(TINY, parallel.device_mesh()))
        early = checkpoints.restore(states.abstract(TINY, parallel.device_mesh()), 3)
    assert int(early.step) == 3


def test_an_earlier_step_goes_on_and_later_ones_are_set_aside(straight, tmp_path):
    folder = tmp_path / "checkpoints"
    shutil.copytree(straight[0] / "checkpoints", folder)
    with Checkpoints(folder) as checkpoints:
        saved = checkpoints.read(3)
        state = checkpoints.restore(states.abstract(TINY, parallel.device_mesh()), 3)
        with pytest.raises(CheckpointError, match="step 3 is there already, or a later one"):
            checkpoints.save(state, saved)
    assert set_aside(folder, 3) == ["6"]
    assert (tmp_path / "checkpoints-after-3" / "6").is_dir()
    loop.train(job(), tmp_path, saved)
    with Checkpoints(folder) as checkpoints:
        assert checkpoints.steps() == [3, 6]
    assert set_aside(folder, 3) == ["6"]
    assert (tmp_path / "checkpoints-after-3-2" / "6" / "state").is_dir()


def test_no_checkpoint_is_said(tmp_path):
    missing = pytest.raises(CheckpointError, match="no checkpoint in")
    with Checkpoints(tmp_path) as checkpoints, missing:
        checkpoints.read()


PROGRAM = """
import sys
from pathlib import Path
from tests.reference_trainer.support import TINY, run
config = TINY.replace(run={"steps": 4000, "save_every": int(sys.argv[2]), "eval_every": 4000})
result = run(config, Path(sys.argv[1]), resume=len(sys.argv) > 3)
print(result.stopped)
"""


def started(folder: Path, every: int) -> subprocess.Popen:
    command = [sys.executable, "-c", PROGRAM, str(folder), str(every)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=pipe, stderr=pipe, text=True
    )
    metrics = folder / "metrics.jsonl"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if metrics.exists() and metrics.read_text().count("\n") > 20:
            return process
        time.sleep(0.05)
    raise AssertionError(f"it did not start: {process.communicate()}")


def test_sigterm_saves_and_leaves(tmp_path):
    process = started(tmp_path, every=4000)
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert output.strip() == "SIGTERM"
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        assert checkpoints.read().step > 20


def test_a_kill_in_mid_save_loses_nothing(tmp_path):
    """Saves all the time, killed at once: what is there is whole."""
    process = started(tmp_path, every=1)
    process.kill()
    process.communicate()
    with Checkpoints(tmp_path / "checkpoints") as checkpoints:
        step = checkpoints.read().step
        state = checkpoints.restore(states.abstract(TINY, parallel.device_mesh()))
    assert int(state.step) == step > 0
