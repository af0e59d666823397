"""The commands as a user types them: train, stop, resume, eval, sample, export; and mistakes."""

from __future__ import annotations

import errno
import json
import random
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from reference_trainer.__main__ import main
from tests.reference_trainer.support import environment

SMALL = [
    "model.width=32", "model.depth=2", "model.head_width=16", "model.state=8", "data.length=64",
    "data.batch=4", "run.steps=12", "run.eval_every=6", "run.save_every=6", "run.log_every=2",
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def set_mesh() -> None:
    """None: an exported function runs in any program."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """With a text of ten words in random order."""
    folder = tmp_path_factory.mktemp("cli")
    rng = random.Random(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "birds"]
    lines = [" ".join(rng.choices(words, k=12)) for _ in range(400)]
    (folder / "text.txt").write_text("\n\n".join(lines))
    return folder


def command(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "reference_trainer", *args]
    return subprocess.run(line, cwd=folder, env=environment(), capture_output=True, text=True)


@pytest.fixture(scope="module")
def trained(folder) -> str:
    done = command(
        folder, "train", "--data", "text.txt", "--out", "run", "--tensorboard", "--profile", "2",
        "--cache", "cache", *SMALL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_train_says_how_good_it_is(trained, folder):
    assert "training steps compiled: 1, recompiled: 0" in trained
    assert "this model" in trained and "order-3" in trained
    lines = [json.loads(line) for line in (folder / "run" / "metrics.jsonl").open()]
    assert [line["step"] for line in lines if "loss" in line] == [2, 4, 6, 8, 10, 12]
    assert (folder / "run" / "losses.svg").read_text().startswith("<?xml")
    assert "order-0" in json.loads((folder / "run" / "baselines.json").read_text())
    assert list((folder / "run" / "tensorboard").iterdir())
    assert list((folder / "run" / "profile").rglob("*.xplane.pb"))
    assert list((folder / "cache").iterdir())


def test_resume_goes_on(trained, folder):
    options = ("--resume", "--out", "run", "--no-report", "--no-prefetch")
    done = command(folder, "train", *options, "run.steps=14")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "run.steps was 12 and is now 14" in done.stdout
    lines = [json.loads(line) for line in (folder / "run" / "metrics.jsonl").open()]
    assert [line["step"] for line in lines if "loss" in line] == [2, 4, 6, 8, 10, 12, 14]
    tokens = [line["tokens"] for line in lines if "loss" in line]
    assert tokens == sorted(tokens)


def test_resume_of_another_model_is_refused(trained, folder):
    done = command(folder, "train", "--resume", "--out", "run", "model.width=64")
    assert done.returncode == 2
    assert "model.width: 32 (saved), 64 (asked for)" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_is_not_overwritten(trained, folder):
    done = command(folder, "train", "--data", "text.txt", "--out", "run")
    assert (done.returncode, "holds a run" in done.stderr) == (2, True)


def test_eval_sample_export(trained, folder):
    done = command(folder, "eval", "--out", "run", "--step", "12")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "step 12:" in done.stdout and "context in order" in done.stdout
    done = command(folder, "sample", "--out", "run", "--prompt", "the c", "--temperature", "0")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("the c")
    done = command(folder, "export", "--out", "run", "x", "--platforms", "cpu,abacus")
    assert done.returncode == 2
    assert "no abacus; known: cpu, cuda, rocm, tpu" in done.stderr
    done = command(folder, "export", "--out", "run", "small.bin", "--int8")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "held out, as trained: " in done.stdout and "held out, in int8: " in done.stdout
    done = command(folder, "export", "--out", "run", "model.bin")
    assert done.returncode == 0, done.stderr[-3000:]
    exported = jax.export.deserialize(bytearray((folder / "model.bin").read_bytes()))
    weights = np.load(folder / "model.bin.npz")
    leaves = [jnp.asarray(weights[str(i)]) for i in range(len(weights.files))]
    (params_tree, _), _ = jax.tree.unflatten(exported.in_tree, range(exported.in_tree.num_leaves))
    params = jax.tree.unflatten(jax.tree.structure(params_tree), leaves)
    for rows in (1, 3):
        (logits,) = exported.call(params, jnp.zeros((rows, 64, 1), jnp.int32))
        assert logits.shape == (rows, 64, 256)
        assert bool(jnp.isfinite(logits).all())


@pytest.mark.parametrize(
    ("args", "output"),
    [
        (["train", "--out", "x", "model.widht=1"], "did you mean 'model.width'?"),
        (["train", "--out", "x", "--data", "nowhere.txt"], "nowhere.txt: no such file"),
        (["train", "--out", "x", "--config", "nowhere.json"], "nowhere.json: No such file"),
        (["train", "--out", "x", "--config", "broken.json"], "broken.json: not JSON"),
        (["train", "--out", "x", "--resume"], "no run in x"),
        (["train", "--out", "x", "--resume=maybe"], "one of auto, always, never"),
        (["train", "--out", "x", "--data", "text.txt", "data.batch=3", "optimizer.accumulate=2"],
         "divide by accumulate"),
        (["train", "--out", "x", "--data", "text.txt", "model.features=64", "model.heads=64"],
         "set model.features and model.heads"),
        (["eval", "--out", "x"], "no run in x"),
        (["sample", "--out", "x", "--temperature", "-1"], "--temperature is 0 or more"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(folder, args, output, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "broken.json").write_text("{")
    assert main([*args, "--cache", "none"]) == 2
    assert output in capsys.readouterr().err
    assert not (folder / "x").exists()


@pytest.mark.parametrize(
    ("args", "output"),
    [
        (["train", "--presett", "cpu"], "--presett; did you mean '--preset'?"),
        (["sample", "--promt", "x"], "--promt; did you mean '--prompt'?"),
        (["eval", "--qqq"], "not understood: --qqq\n"),
        (["trian"], "invalid choice: 'trian'"),
    ],
)
def test_an_option_that_does_not_exist(capsys, args, output):
    with pytest.raises(SystemExit) as left:
        main(args)
    assert left.value.code == 2
    assert output in capsys.readouterr().err


def test_help_lists_the_settings(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    output = capsys.readouterr().out
    assert "  data.batch=16" in output and "rows in one step" in output


def test_plot_draws_a_run_that_has_no_report_yet(trained, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "half").mkdir()
    (folder / "half" / "metrics.jsonl").write_text((folder / "run" / "metrics.jsonl").read_text())
    assert main(["plot", "--out", "half"]) == 0
    assert "half/losses.svg" in capsys.readouterr().out
    assert "order-0" not in (folder / "half" / "losses.svg").read_text()
    assert main(["plot", "--out", "run", "x.png"]) == 0
    assert (folder / "x.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", "--out", "nowhere"]) == 2
    assert "nowhere/metrics.jsonl: No such file" in capsys.readouterr().err


def test_an_absent_device_is_named(folder):
    done = command(folder, "train", "--out", "x", "--platform", "gpu")
    assert done.returncode == 2
    assert "--platform gpu: JAX finds no such device here" in done.stderr
    assert "Traceback" not in done.stderr


def test_out_of_memory_says_what_to_change(monkeypatch, capsys):
    from reference_trainer.commands import train

    def full(args):
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes")

    monkeypatch.setattr(train, "run", full)
    assert main(["train"]) == 1
    assert "data.batch=0" in capsys.readouterr().err


def test_a_full_disk_is_said(monkeypatch, capsys):
    from reference_trainer.commands import train

    def full(args):
        raise OSError(errno.ENOSPC, "No space left on device")  # as a write to an open file does

    monkeypatch.setattr(train, "run", full)
    assert main(["train"]) == 1
    assert "the disk is full: make room and give the same command again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "args"),
    [
        ("jax", ["train", "--out", "x"]),
        ("rich", ["train", "--out", "x"]),
        ("jax", ["eval", "--out", "x"]),
        ("optax", ["sample", "--out", "x"]),
        ("jax", ["export", "--out", "x", "file"]),
    ],
)
def test_a_missing_package_is_named(folder, package, args):
    code = "import sys\nfrom reference_trainer.__main__ import main\n"
    code += f"sys.modules[{package!r}] = None\nsys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
    )
    words = (
        f"reference_trainer: {package} is not installed: pip install '.[trainer]' in a checkout\n"
    )
    assert (done.returncode, done.stderr) == (2, words)


def test_help_does_not_import_jax():
    code = "import sys\nfrom reference_trainer.__main__ import main\n"
    code += "try: main(['train', '--help'])\n"
    code += "except SystemExit: pass\nsys.exit('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True)
    assert done.returncode == 0
