"""Bytes of a checkpoint that changed on the disk: noticed before they are used, and what then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jax
import pytest

from reference_trainer import parallel
from reference_trainer.run import integrity, start
from reference_trainer.run.integrity import CheckpointError
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints, Saved
from tests.reference_trainer.support import SMALL, same


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    """Checkpoints of steps 1, 2 and 3."""
    folder = tmp_path_factory.mktemp("saved")
    state = states.create(SMALL, parallel.device_mesh())
    with Checkpoints(folder / "checkpoints", keep=3) as checkpoints:
        for step in (1, 2, 3):
            about = Saved(step, SMALL.to_json(), {}, 0.0, {})
            checkpoints.save(state._replace(step=state.step + step), about)
    return folder


@pytest.fixture
def run(saved, tmp_path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "run"))


def flip(run: Path, step: int) -> Path:
    """One bit in the middle of the largest file, which holds the arrays."""
    files = [path for path in (run / "checkpoints" / str(step)).rglob("*") if path.is_file()]
    file = max(files, key=lambda path: path.stat().st_size)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    return file


def test_every_byte_of_a_save_is_in_its_checksums(run):
    """All but what Orbax writes when it gives the folder its name: the time of that."""
    for step in (1, 2, 3):
        place = run / "checkpoints" / str(step)
        listed = set(json.loads((place / integrity.NAME).read_text())["sha256"])
        found = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
        later = {Path(name).name for name in found - listed}
        assert later == {integrity.NAME, "_CHECKPOINT_METADATA", "commit_success.txt"}
        assert any(name.startswith("state/") for name in listed)
        assert any(name.startswith("about/") for name in listed)
        assert integrity.damaged(place) == []


@pytest.mark.parametrize("how", ["flipped", "shorter", "missing"])
def test_damage_is_named(run, how):
    place = run / "checkpoints" / "3"
    file = flip(run, 3)
    if how == "shorter":
        file.write_bytes(file.read_bytes()[:-1])
    if how == "missing":
        file.unlink()
    assert integrity.damaged(place) == [str(file.relative_to(place))]


def test_a_run_goes_on_from_the_newest_whole_checkpoint_and_says_so(run, capsys):
    file = flip(run, 3)
    found = start.find(run, "auto")
    assert found is not None and found.step == 2
    output = capsys.readouterr().out
    assert "step 3 is damaged" in output and file.name in output and "step 2" in output


def test_all_damaged_starts_again_or_is_refused(run, capsys):
    for step in (1, 2, 3):
        flip(run, step)
    with pytest.raises(CheckpointError, match="no whole checkpoint"):
        start.find(run, "always")
    assert start.find(run, "auto") is None
    assert capsys.readouterr().out.count("is damaged") == 6
    assert not list((run / "checkpoints").glob("[0-9]*"))  # set aside: nothing is deleted
    assert len(list((run / "checkpoints-after-0").iterdir())) == 3


def test_a_named_step_that_is_damaged_is_refused(run):
    flip(run, 2)
    with pytest.raises(CheckpointError, match="2 is damaged"):
        start.find(run, "always", 2)
    found = start.find(run, "always", 3)
    assert found is not None and found.step == 3


def test_a_checkpoint_without_checksums_is_still_read(run):
    """Of a trainer before this one."""
    (run / "checkpoints" / "3" / integrity.NAME).unlink()
    found = start.find(run, "auto")
    assert found is not None and found.step == 3


def test_what_is_whole_is_restored(run):
    flip(run, 3)
    with Checkpoints(run / "checkpoints") as checkpoints:
        step, _ = start.newest_whole(checkpoints)
        target = states.abstract(SMALL, parallel.device_mesh())
        state = checkpoints.restore(target, step)
    assert step == 2
    made = states.create(SMALL, parallel.device_mesh())
    assert same(jax.device_get(state.params), jax.device_get(made.params))
