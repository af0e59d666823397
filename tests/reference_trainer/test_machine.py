"""The machine: compiled programs are kept between runs; options of the compiler."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import jax

from reference_trainer.commands import common
from reference_trainer.run import flags, report
from tests.reference_trainer.support import ROOT, SMALL

# Sorts are slow to compile. More or fewer of them, until one program took more than the tenth of a
# second that is asked for, and less than the whole one of JAX's own setting, however busy we are.
PROGRAM = """
import sys
import jax
from reference_trainer import metrics
from reference_trainer.run import flags
flags.keep_programs(sys.argv[1])
compiles, sorts, took = metrics.Compiles(), 8, []
while not took or not 0.2 < took[-1] < 0.9:
    before, n = compiles.seconds, len(took)
    program = jax.jit(lambda x: sum(jax.numpy.sort(x * i + n) for i in range(sorts)))
    program.lower(jax.ShapeDtypeStruct((8,), "float32")).compile()
    took.append(compiles.seconds - before)
    sorts = sorts + sorts // 2 + 1 if took[-1] < 0.2 else sorts // 2
print(sum(seconds > 0.2 for seconds in took))
"""


def test_a_program_of_less_than_a_second_is_kept(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    env |= {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(list(tmp_path.glob("*-cache"))) >= int(done.stdout)


def test_the_oldest_programs_go_when_the_folder_is_too_large(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(flags, "LARGEST", 250)
    for age, name in enumerate(("new", "middle", "old")):
        for suffix, size in (("cache", 100), ("atime", 8)):
            file = tmp_path / f"{name}-{suffix}"
            file.write_bytes(bytes(size))
            os.utime(file, times=(1e9 - age, 1e9 - age))
    (tmp_path / "of somebody else").write_bytes(bytes(1000))
    assert flags.trimmed(tmp_path) == 1
    assert {file.name for file in tmp_path.iterdir()} == {
        "new-cache", "new-atime", "middle-cache", "middle-atime", "of somebody else",
    }  # fmt: skip
    assert flags.trimmed(tmp_path) == 0


def test_options_of_the_compiler_follow_the_settings_and_the_devices(monkeypatch):
    """Their names are known to this XLA, whatever the device: others would be refused."""
    assert flags.compiler_options(SMALL) == {}
    deterministic = SMALL.replace(compute={"deterministic": True})
    assert flags.compiler_options(deterministic) == {"xla_gpu_deterministic_ops": True}
    with monkeypatch.context() as patch:
        patch.setattr(jax, "default_backend", lambda: "gpu")
        patch.setattr(jax, "device_count", lambda: 8)
        options = flags.compiler_options(SMALL)
    assert options == {"xla_gpu_enable_latency_hiding_scheduler": True}
    assert jax.jit(lambda x: x + 1, compiler_options=options)(1) == 2
    assert flags.described(SMALL).startswith("compiler options: none; compiled programs: ")


def test_the_cache_is_named_by_a_variable(monkeypatch):
    def cache(*args: str) -> str:
        parser = argparse.ArgumentParser()
        common.machine_options(parser)
        return parser.parse_args(args).cache

    assert cache() == common.CACHE
    monkeypatch.setenv(common.CACHE_VARIABLE, "/somewhere")
    assert cache() == "/somewhere"
    assert cache("--cache", "none") == "none"


def test_the_tiles_of_a_gpu_are_larger(monkeypatch):
    assert report.unit() == 8
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert report.unit() == 64
