"""Many devices: the same losses, whichever way the state is laid out."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import jax
import numpy as np
import pytest

from reference_trainer import parallel
from reference_trainer.config import ConfigError
from reference_trainer.run import processes
from tests.reference_trainer.support import ROOT, TINY, environment

PROGRAM = """
import json, sys
import jax
from reference_trainer import parallel
from reference_trainer.train import state as states
from tests.reference_trainer.support import ROOT, TINY, environment, job
config = TINY.replace(
    data={"batch": 16}, model={"width": 64}, run={"parallel": sys.argv[1]},
    optimizer={"accumulate": int(sys.argv[2]), "kind": sys.argv[3]},
)
made = job(config)
jax.set_mesh(made.mesh)
state = states.create(config, made.mesh)
bytes_each = sum(leaf.addressable_shards[0].data.nbytes for leaf in jax.tree.leaves(state))
losses, held = [], 0
for i in range(5):
    state, said = made.step(state, parallel.place(made.batches[i], made.mesh))
    losses.append(float(said.loss))
layouts = {str(leaf.sharding.spec) for leaf in jax.tree.leaves(state)}
print(json.dumps([losses, bytes_each, sorted(layouts), jax.device_count()]))
"""


def five(
    kind: str, devices: int, accumulate: int = 1, optimizer: str = "adamw"
) -> tuple[list[float], int, list[str]]:
    command = [sys.executable, "-c", PROGRAM, kind, str(accumulate), optimizer]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(devices), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    losses, size, layouts, count = json.loads(done.stdout.splitlines()[-1])
    assert count == devices
    return losses, size, layouts


GATHERED = """
import re, jax
from reference_trainer import parallel
from reference_trainer.train import state as states, step
from tests.reference_trainer.support import TINY
config = TINY.replace(
    model={"pattern": ("attention",), "width": 128, "depth": 4}, compute={"layers": "scan"},
    data={"batch": 64}, run={"parallel": "fsdp"},
)
mesh = parallel.device_mesh()
jax.set_mesh(mesh)
args = states.abstract(config, mesh), parallel.abstract_batch(config, mesh)
text = step.build(config, mesh).lower(*args).compile().as_text()
print(*re.findall(r"= f32\\[([\\d,]+)\\]\\S* (?:all-gather|all-to-all)\\(", text))
"""


def test_weights_are_gathered_and_activations_are_not():
    """Inside the scan over layers."""
    env = environment(4)
    done = subprocess.run(
        [sys.executable, "-c", GATHERED], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    moved = done.stdout.split()
    assert any(shape.endswith("128,384") for shape in moved)  # queries, keys and values
    assert not any(shape.count(",") > 1 for shape in moved)  # rows, steps, width


@pytest.fixture(scope="module")
def one():
    return five("dp", 1)


@pytest.mark.parametrize(
    ("kind", "devices", "accumulate"),
    [
        ("dp", 4, 1),
        ("zero", 4, 2),
        pytest.param("fsdp", 4, 2, marks=pytest.mark.slow),
        pytest.param("dp", 8, 2, marks=pytest.mark.slow),
        pytest.param("fsdp", 8, 1, marks=pytest.mark.slow),
        pytest.param("fsdp", 8, 2, marks=pytest.mark.slow),
    ],
)
def test_the_losses_are_those_of_one_device(one, kind, devices, accumulate):
    losses, size, layouts = five(kind, devices, accumulate)
    np.testing.assert_allclose(losses, one[0], rtol=1e-5)
    if kind != "dp":
        assert size < 0.35 * one[1]
        assert any("data" in layout for layout in layouts)
    else:
        assert size == one[1]


@pytest.mark.slow
def test_muon_multiplies_matrices_that_are_cut():
    """Its products are laid out by the compiler, and give what they give on one device."""
    losses, _, layouts = five("zero", 4, optimizer="muon")
    np.testing.assert_allclose(losses, five("dp", 1, optimizer="muon")[0], rtol=1e-5)
    assert any("data" in layout for layout in layouts)


def test_rows_that_do_not_spread_are_refused(monkeypatch):
    monkeypatch.setattr(jax, "device_count", lambda: 3)
    with pytest.raises(ConfigError, match=r"data.batch=4 must divide by 3: 3 devices"):
        parallel.check(TINY)


def test_each_process_reads_its_own_rows(monkeypatch):
    monkeypatch.setattr(jax, "process_count", lambda: 4)
    read = []
    for index in range(4):
        monkeypatch.setattr(jax, "process_index", lambda index=index: index)
        read += range(TINY.data.batch)[parallel.local_rows(TINY)]
    assert read == list(range(TINY.data.batch))


@pytest.mark.parametrize(
    "spec", ["localhost", "localhost:1,2", "localhost:1,2,2", "host,1,0", "host:x,2,1"]
)
def test_addresses_that_make_no_sense_are_refused(spec):
    with pytest.raises(ConfigError, match="--distributed"):
        processes.connect(spec)


def test_a_coordinator_that_is_not_there_is_named(monkeypatch):
    """JAX's own wait for it ends in an abort, with a stack of C++."""
    monkeypatch.setenv("REFERENCE_TRAINER_CONNECT_SECONDS", "1")
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"no answer from 127.0.0.1:{port} for 1 s .*ID 0"):
            processes.connect(f"127.0.0.1:{port},2,1")


KUBERNETES = """
import sys
sys.modules["kubernetes"] = None  # not installed
from reference_trainer.run import processes
processes.connect("auto")
"""


def test_kubernetes_without_its_package_is_named():
    env = environment() | {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", KUBERNETES], cwd=ROOT, env=env, capture_output=True, text=True
    )
    last = done.stderr.strip().splitlines()[-1]
    assert "ConfigError: --distributed auto" in last
    assert "the package `kubernetes`: pip install 'jax[k8s]'" in last
