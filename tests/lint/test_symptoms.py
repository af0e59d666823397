"""The examples run under real JAX: the bad one shows its symptom, the good one does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint.errors import TABLE, recognise
from tests.cheap_compiles import CHEAP, KEPT
from tests.lint.support import RULES, code, without_marks

pytest.importorskip("jax")

EXPLAINED = {known.names[0] for known in TABLE}
RUNNABLE = [
    pytest.param(info.name, example, id=f"{info.name}-{number}")
    for info in RULES
    for number, example in enumerate(info.examples)
    if not example.get("unseen")
]
# All runs are forks of one process: importing JAX is most of the time.
RUNNER = Path(__file__).parents[2] / "docs" / "measuring" / "bare.py"
FLAGS = f"--xla_force_host_platform_device_count=4 {CHEAP}"  # most of the rest is compiling


Run = Callable[[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs a program in a fork of one process, which each worker of pytest has for itself."""
    with subprocess.Popen(
        [sys.executable, str(RUNNER)],
        cwd=tmp_path_factory.mktemp("examples"),
        env=os.environ | KEPT | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": FLAGS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        asks, answers = process.stdin, process.stdout

        def ask(program: str, shows: str) -> dict[str, Any]:
            print(json.dumps({"code": program, "shows": shows}), file=asks, flush=True)
            return json.loads(answers.readline())

        yield ask


@pytest.mark.parametrize(("name", "example"), RUNNABLE)
def test_symptom(name: str, example: dict[str, Any], run: Run) -> None:
    bad, good = (
        run(without_marks(code(example[kind])), example.get("shows", ""))
        for kind in ("bad", "good")
    )
    assert not good["error"], f"the good code fails: {good['error']}"
    if example.get("raises"):
        assert example["raises"] in bad["error"]
        if name in EXPLAINED:  # and `--explain-error` knows the error by the name of the rule
            meaning = recognise(bad["error"])
            assert meaning is not None and meaning.known.names[0] == name
    elif example.get("compiles"):
        assert not bad["error"]
        assert bad["compiles"] - good["compiles"] >= example["compiles"]
    else:
        assert not bad["error"]
        assert bad["shown"] is True, f"{example['shows']} is not true after the bad code"
        assert good["shown"] is False, f"{example['shows']} is not false after the good code"
