"""Which line made each collective: read from texts of XLA, and from a program on four devices."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gotcha_sanitizer.explain.hlo import Collective, collectives
from gotcha_sanitizer.values.parts import Site
from tests.sanitizer.support import SOURCES

TABLES = """\
HloModule jit_f, is_scheduled=true

FileNames
1 "train.py"
2 "lib/layer.py"

FunctionNames
1 "main"
2 "layer"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=2 end_column=2}
2 {file_name_id=2 function_name_id=2 line=8 end_line=8 column=8 end_column=8}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

ENTRY %main (p: f32[4]) -> f32[16] {
"""


def of(line: str, head: str = TABLES) -> Collective:
    (found,) = collectives(head + line, lambda path: path == "train.py")
    return found


def test_the_users_frame_is_named():
    gather = '%g = f32[16,4]{1,0} all-gather(%p), metadata={op_name="jit(f)/dot" stack_frame_id=2}'
    assert of(gather) == Collective("all-gather", 256, Site("train.py", 12, "main"), "jit(f)/dot")


def test_the_line_in_the_metadata():
    text = '%r = bf16[3]{0} all-reduce(%p), metadata={source_file="train.py" source_line=7}'
    assert of(text) == Collective("all-reduce", 6, Site("train.py", 7), "")


@pytest.mark.parametrize(
    ("text", "bytes"),
    [
        ("%a = (f32[4]{0}, f32[16]{0}) all-gather-start(%p)", 64),
        ("%a = (f32[4]{0}, f32[8]{0}) all-reduce(%p, %q)", 48),
        ("%a = pred[] all-reduce(%p)", 1),
        ("%a = s4[3]{0} all-to-all(%p)", 2),
    ],
)
def test_bytes(text: str, bytes: int):
    assert of(text, "").bytes == bytes


def test_what_is_no_collective():
    for text in ("%d = f32[16] all-gather-done(%a)", "%f = f32[4] fusion(%all-gather)", ""):
        assert collectives(text, lambda path: True) == []


PROGRAM = """
import jax, jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import gotcha_sanitizer as gotcha

mesh = Mesh(jax.devices(), ("data",))
rows, whole = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())

def step(w, x, table):
    y = x @ w
    mean = y.mean(0)
    return y - mean + table.sum()

x = jax.device_put(jnp.ones((8, 16)), rows)
w = jax.device_put(jnp.ones((16, 4)), rows)
table = jax.device_put(jnp.ones((1024, 512)), whole)
print(gotcha.collectives(step, w, x, table))
print(gotcha.collectives(jax.jit(lambda x: x * 2), x))
"""


def test_a_program_on_four_devices(tmp_path: Path):
    pytest.importorskip("jax")
    (tmp_path / "train.py").write_text(PROGRAM)
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "train.py"],
        env=os.environ | flags | {"PYTHONPATH": SOURCES},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "train.py:10: all-gather, 256 B (jit(step)/dot_general)" in done.stdout
    assert "train.py:11: all-reduce, 16 B" in done.stdout
    assert "args[2]: 2 MiB, whole on each of 4 devices" in done.stdout
    assert done.stdout.endswith("no collectives: the devices exchange nothing\n")
