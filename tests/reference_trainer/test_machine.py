"""The machine: compiled programs are kept between runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.reference_trainer.support import ROOT

# Sorts are slow to compile: half as many more, until there is no doubt about the tenth of a second
# that is asked for. (JAX's own setting is a whole one.)
PROGRAM = """
import sys
import jax
from reference_trainer import machine, metrics
machine.keep_programs(sys.argv[1])
compiles, sorts, seconds = metrics.Compiles(), 8, 0.0
while seconds < 0.2:
    before = compiles.seconds
    program = jax.jit(lambda x: sum(jax.numpy.sort(x * i) for i in range(sorts)))
    program.lower(jax.ShapeDtypeStruct((8,), "float32")).compile()
    seconds, sorts = compiles.seconds - before, sorts + sorts // 2
print(jax.config.jax_persistent_cache_min_compile_time_secs)
"""


def test_a_program_of_less_than_a_second_is_kept(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    env |= {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert float(done.stdout) < 0.2
    assert list(tmp_path.glob("*-cache"))
