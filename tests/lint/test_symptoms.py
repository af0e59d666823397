"""The examples run under real JAX: the bad one shows its symptom, the good one does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lint.support import RULES, code, without_marks

pytest.importorskip("jax")

NAMED = {
    f"{info.name}-{number}": example
    for info in RULES
    for number, example in enumerate(info.examples)
    if not example.get("unseen")
}
EXAMPLES = list(NAMED.values())
RUNNABLE = [pytest.param(example, id=name) for name, example in NAMED.items()]
# All runs are forks of one process: importing JAX is most of the time.
RUNNER = Path(__file__).parents[2] / "docs" / "measuring" / "bare.py"
# Most of the rest is compiling, and nothing here depends on how fast the code is.
FLAGS = (
    "--xla_force_host_platform_device_count=4 --xla_backend_optimization_level=0"
    " --xla_llvm_disable_expensive_passes=true"
)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Both programs of every example, each in a fork of one process."""
    folder = tmp_path_factory.mktemp("examples")
    programs = [
        {"code": without_marks(code(example[kind])), "shows": example.get("shows", "")}
        for example in EXAMPLES
        for kind in ("bad", "good")
    ]
    (folder / "in.json").write_text(json.dumps(programs), "utf-8")
    env = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": FLAGS}
    subprocess.run(
        [sys.executable, str(RUNNER), "in.json", "out.json"],
        cwd=folder,
        env=env,
        check=True,
        timeout=900,
    )
    results = json.loads((folder / "out.json").read_text("utf-8"))
    return {name: (results[2 * n], results[2 * n + 1]) for n, name in enumerate(NAMED)}


@pytest.mark.parametrize("example", RUNNABLE)
def test_symptom(example, outcomes, request):
    bad, good = outcomes[request.node.callspec.id]
    assert not good["error"], f"the good code fails: {good['error']}"
    if example.get("raises"):
        assert example["raises"] in bad["error"]
    elif example.get("compiles"):
        assert not bad["error"]
        assert bad["compiles"] - good["compiles"] >= example["compiles"]
    else:
        assert not bad["error"]
        assert bad["shown"] is True, f"{example['shows']} is not true after the bad code"
        assert good["shown"] is False, f"{example['shows']} is not false after the good code"
