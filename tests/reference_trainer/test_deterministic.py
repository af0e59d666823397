"""`compute.deterministic` reaches the compiler; what a GPU then computes only a GPU can show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reference_trainer.run import report
from reference_trainer.run.settings import overridden
from tests.reference_trainer.support import ROOT, SMALL, environment

PROGRAM = """
import sys, jax
from reference_trainer.run.settings import overridden
from tests.reference_trainer.support import SMALL, job
from reference_trainer import parallel
from reference_trainer.train import state
from reference_trainer.train.step import Sums
made = job(overridden(SMALL, sys.argv[1:]))
jax.set_mesh(made.mesh)
abstract = state.abstract(made.config, made.mesh)
batch = parallel.abstract_batch(made.config, made.mesh)
made.step.lower(abstract, batch).compile()
made.eval_step.lower(abstract.params, batch, jax.eval_shape(Sums.zero)).compile()
"""


@pytest.mark.parametrize("on", [True, False])
def test_the_compiler_is_asked_for_it(tmp_path, on):
    """In the options that XLA writes down for each program that it compiled."""
    env = environment() | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    env["XLA_FLAGS"] += f" --xla_dump_to={tmp_path} --xla_dump_hlo_module_re=jit_step"
    setting = f"compute.deterministic={str(on).lower()}"
    command = [sys.executable, "-c", PROGRAM, setting]
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    options = [path.read_text() for path in Path(tmp_path).glob("*jit_step*debug_options")]
    assert len(options) == 2  # training and evaluation
    for text in options:
        assert ("xla_gpu_deterministic_ops: true" in text) == on


def test_a_run_on_a_gpu_says_that_its_bits_may_differ(monkeypatch):
    assert report.reproducible(SMALL) == ""
    monkeypatch.setattr(report.jax, "default_backend", lambda: "gpu")
    assert "compute.deterministic=true" in report.reproducible(SMALL)
    assert report.reproducible(overridden(SMALL, ["compute.deterministic=true"])) == ""
