"""`examples/single_file.py` trains as the package does, goes on after a stop, and is clean."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from types import ModuleType
from typing import Any

import jax
import numpy as np
import pytest

from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch, Document
from reference_trainer.model import backbone
from reference_trainer.train import loop
from reference_trainer.train import state as states
from tests.reference_trainer.support import ROOT, SMALL, corpus, environment

FILE = ROOT / "examples" / "single_file.py"
STEPS = 5
PACKAGE = SMALL.replace(
    model={"features": (256,), "heads": (256,), "depth": 2, "head_width": 16},
    optimizer={"accumulate": 2, "clip": 0.5},
    run={"steps": STEPS},
)


@pytest.fixture
def single(monkeypatch) -> ModuleType:
    """The file as a module, its parameters those that the package starts with."""
    spec = importlib.util.spec_from_file_location("single_file", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "single_file", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "init_params", lambda key, config: converted(PACKAGE))
    return module


def converted(config: Config) -> dict[str, Any]:
    """The package's first parameters, under the names of the file."""
    params = backbone.init(jax.random.key(config.run.seed), config)
    return {
        "embed": params["embed"][0],
        "layers": [
            {
                "norm": layer["0"]["norm"]["scale"],
                "mlp_norm": layer["0"]["mlp_norm"]["scale"],
                **{name: part["kernel"] for name, part in layer["0"]["mixer"].items()},
                **{name: part["kernel"] for name, part in layer["0"]["mlp"].items()},
            }
            for layer in params["layers"]
        ],
        "norm": params["norm"]["scale"],
    }


def settings(single: ModuleType) -> Any:
    model, data, optimizer = PACKAGE.model, PACKAGE.data, PACKAGE.optimizer
    return single.Config(
        width=model.width, depth=model.depth, head_width=model.head_width, length=data.length,
        batch=data.batch, accumulate=2, learning_rate=optimizer.learning_rate, clip=optimizer.clip,
        warmup=optimizer.warmup, weight_decay=optimizer.weight_decay, steps=STEPS, log_every=2,
        save_every=2,
    )  # fmt: skip


def documents() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(one.inputs[:, 0], one.targets[:, 0]) for one in corpus(vocabulary=256).train]


def test_the_file_stays_short():
    assert len(FILE.read_text().splitlines()) <= 260  # about 250


def test_batches_are_those_of_the_package(single):
    made = loop.prepare(PACKAGE, corpus(vocabulary=256))
    batches = single.Batches(documents(), settings(single))
    for index in range(2 * len(made.batches) + 1):  # more than two epochs, a ragged batch in each
        right, found = made.batches[index], batches[index]
        for name in Batch._fields:
            whole = getattr(right, name)
            expected = whole[..., 0] if whole.ndim == 3 else whole
            np.testing.assert_array_equal(getattr(found, name), expected)


def test_long_texts_are_cut_as_the_package_cuts_them(single, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"0123456789")
    found = [Document(*pair) for pair in single.read([tmp_path / "a.txt"], 4)]
    assert [bytes(one.inputs) for one in found] == [b"\x000123"[:4], b"3456", b"789"]
    assert [bytes(one.targets) for one in found] == [b"0123", b"4567", b"89\0"]


def test_the_losses_are_those_of_the_package_and_a_stop_changes_nothing(
    single, tmp_path, monkeypatch
):
    made = loop.prepare(PACKAGE, corpus(vocabulary=256))
    state, expected = states.create(PACKAGE, made.mesh), []
    for index in range(STEPS):
        state, metrics = made.step(state, parallel.place(made.batches[index], made.mesh))
        expected.append(float(metrics.loss))
    losses = single.train(settings(single), documents(), tmp_path / "straight")
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert losses[-1] < losses[0]

    def stopped(self: Any, index: int) -> Any:
        if index == 3:
            raise KeyboardInterrupt
        return whole(self, index)

    whole = single.Batches.__getitem__
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(single.Batches, "__getitem__", stopped)
        single.train(settings(single), documents(), tmp_path / "again")
    rest = single.train(settings(single), documents(), tmp_path / "again")
    assert rest == losses[2:]  # from the checkpoint of step 2, bit by bit


def test_both_tools_find_nothing(tmp_path):
    (tmp_path / "gotcha.toml").write_text("")
    (tmp_path / "text.txt").write_text("a text that is soon learned\n" * 400)
    tools = ":".join(str(ROOT / name) for name in ("lint", "sanitizer"))
    env = environment() | {"PYTHONPATH": tools, "GOTCHA_OPTIONS": "log_path=run.jsonl"}
    del env["JAX_COMPILATION_CACHE_DIR"]  # what is stored there depends on the machine's speed
    shutil.copy(FILE, tmp_path)  # beside it there are files that are linted elsewhere
    lint = [sys.executable, "-m", "gotcha_lint", FILE.name]
    done = subprocess.run(lint, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "gotcha:" not in FILE.read_text()
    small = FILE.read_text("utf-8")  # the same code on less work
    for large, less in (
        ("length: int = 256", "length: int = 64"),
        ("depth: int = 4", "depth: int = 2"),
    ):
        assert large in small
        small = small.replace(large, less)
    (tmp_path / FILE.name).write_text(small, "utf-8")
    run = [sys.executable, "-m", "gotcha_sanitizer", FILE.name, "text.txt", "--out", "run"]
    for steps, last in (("4", "last loss"), ("6", "last loss"), ("6", "is complete")):
        done = subprocess.run(
            [*run, "--steps", steps], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert last in done.stdout
        events = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
        assert [event for event in events if event["event"] == "finding"] == []
