"""That no file of the project does a thing: of all files, also of those that import it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.engine import Kept
from gotcha_lint.program.elsewhere import Elsewhere
from tests.lint.support import lint_files

MESH = """
import jax

def make():
    return jax.make_mesh((4,), ("data",))
"""
USERS = {
    "explicit": "mode = jax.sharding.AxisType.Explicit",
    "other": "mode = None",
}
FORWARD = """
import flax.linen as nn

class Net(nn.Module):
    @nn.compact
    def __call__(self, x, train=True):
        return nn.Dropout(0.5, deterministic=not train)(x)

net = Net()

def forward(variables, x, rngs):
    return net.apply(variables, x, train=True, rngs=rngs)

def evaluate(variables, x, rngs):
    return forward(variables, x, rngs)
"""
SWITCHED = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(x)

def evaluate(net: Net, x):
    return net(x)

def fit(net: Net, x):
    net.train()
    return net(x)
"""


def found(folder: Path, name: str, files: dict[str, str]) -> list[str]:
    every = lint_files(folder, {path: dedent(text) for path, text in files.items()})
    return [f.path.rpartition("/")[2] for f in every if f.name == name]


@pytest.mark.parametrize("user", USERS)
def test_a_file_that_imports_the_mesh_may_mean_explicit_axes(tmp_path: Path, user: str):
    main = f"import jax\nfrom mesh import make\n{USERS[user]}\nmesh = make()\n"
    wanted = [] if user == "explicit" else ["mesh.py"]
    assert found(tmp_path, "mesh-axis-types", {"mesh.py": MESH, "main.py": main}) == wanted


@pytest.mark.parametrize("trains", (True, False))
def test_another_file_may_call_a_helper_to_train(tmp_path: Path, trains: bool):
    word = "forward" if trains else "evaluate"
    main = f"from models import {word}\n\ndef train(v, x, r):\n    return {word}(v, x, r)\n"
    wanted = [] if trains else ["models.py"]
    assert found(tmp_path, "eval-in-train-mode", {"models.py": FORWARD, "main.py": main}) == wanted


@pytest.mark.parametrize("switches", (True, False))
def test_another_file_may_switch_the_model(tmp_path: Path, switches: bool):
    call = "net.eval()" if switches else "net"
    test = f"def test(net, x):\n    {call}\n    return evaluate(net, x)\n"
    main = f"from models import Net, evaluate\n\n{test}"
    wanted = [] if switches else ["models.py"]
    assert found(tmp_path, "eval-in-train-mode", {"models.py": SWITCHED, "main.py": main}) == wanted


def test_calls_are_no_definitions():
    files = {"a": b"def scan(x): ...\nclass fold(A): ...\n", "b": b"lax . scan (f)\nmap(f)"}
    asked = Elsewhere(files)
    assert not asked.calls(["scan"], "b") and asked.calls(["scan"], "a")
    assert asked.calls(["lax.scan"], "a") and not asked.calls(["nn.scan"], "a")
    assert asked.calls(["scan"]) and not asked.calls(["scan"], but="lax")
    assert asked.calls(["map"], "a") and not asked.calls(["fold"], "b")
    assert asked.says(["fold"], "b") and not asked.says(["fol"], "b")


def test_answers_are_kept_as_long_as_they_hold():
    asked = Elsewhere({"a": b"scan", "b": b""})
    assert asked.says(["scan", "fold"], "b")
    assert Elsewhere({"a": b"scan(f)", "b": b"fold"}).still_answers(asked.answers)
    assert not Elsewhere({"a": b"fold"}).still_answers(asked.answers)


LAYERS = """
import flax.linen as nn
import jax

class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.remat(nn.Dense, prevent_cse=False)(8)(x)

def block(w, x):
    return x @ w

layer = jax.checkpoint(block, prevent_cse=False)
"""
LOOPS = {
    "jax.tree.map(print, [])": 2,
    "jax.lax.scan(print, 0, [])": 1,  # of whole steps: a module goes round in a scan of Flax
    "nn.scan(Net)": 0,
    "scan(Net)": 0,
}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_scan_of_another_file_may_go_round_a_layer(tmp_path: Path, loop: str):
    main = f"import jax\nimport flax.linen as nn\nfrom layers import Net\n\n{loop}\n"
    files = {"layers.py": LAYERS, "main.py": main}
    assert found(tmp_path, "remat-undone", files) == ["layers.py"] * LOOPS[loop]


def test_a_kept_unit_is_made_again_when_the_answer_changes(tmp_path: Path):
    kept, settings = Kept(), Settings(select=("remat-undone",))
    numbers: list[int] = []
    for loop in ("", "jax.lax.scan(print, 0, [])", ""):
        main = f"import jax\nfrom layers import Net\n{loop}\n"
        for name, text in {"layers.py": LAYERS, "main.py": main}.items():
            (tmp_path / name).write_text(text)
        paths = [str(tmp_path / name) for name in ("layers.py", "main.py")]
        report = engine.lint(paths, lambda path: settings, kept=kept)
        numbers.append(len(report.findings))
    assert numbers == [2, 1, 2]
