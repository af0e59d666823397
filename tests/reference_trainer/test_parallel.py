"""Many devices: the same losses, whichever way the state is laid out."""

from __future__ import annotations

import functools
import json
import socket
import subprocess
import sys
from typing import Any

import jax
import numpy as np
import pytest

from reference_trainer import parallel
from reference_trainer.config import ConfigError
from reference_trainer.run import processes
from tests.reference_trainer.support import ROOT, TINY, environment, printed

PROGRAM = """
import json, re, sys
import jax
from reference_trainer import parallel
from reference_trainer.train import state as states, step
from tests.reference_trainer.support import SMALL, TINY, job
base = TINY if "tiny" in sys.argv else SMALL
found, mesh = {}, parallel.device_mesh()
jax.set_mesh(mesh)
for kind, accumulate, optimizer in json.loads(sys.argv[1]):
    config = base.replace(
        data={"batch": 16}, model={"width": 64}, run={"parallel": kind},
        optimizer={"accumulate": accumulate, "kind": optimizer},
    )
    made = job(config)
    state = states.create(config, mesh)
    size = sum(leaf.addressable_shards[0].data.nbytes for leaf in jax.tree.leaves(state))
    losses = []
    for i in range(5):
        state, metrics = made.step(state, parallel.place(made.batches[i], mesh))
        losses.append(float(metrics.loss))
    layouts = {str(leaf.sharding.spec) for leaf in jax.tree.leaves(state)}
    found[f"{kind} {accumulate} {optimizer}"] = [losses, size, sorted(layouts)]
if "moved" in sys.argv:
    config = TINY.replace(
        model={"pattern": ("attention",), "width": 128, "depth": 4}, compute={"layers": "scan"},
        data={"batch": 64}, run={"parallel": "fsdp"},
    )
    args = states.abstract(config, mesh), parallel.abstract_batch(config, mesh)
    text = step.build(config, mesh).lower(*args).compile().as_text()
    found["moved"] = re.findall(r"= f32\\[([\\d,]+)\\]\\S* (?:all-gather|all-to-all)\\(", text)
print(json.dumps([found, jax.device_count()]))
"""
# One layer, and (slow) two, one of them a state space layer.
FAST = {1: [("dp", 1, "adamw")], 4: [("dp", 1, "adamw"), ("zero", 2, "adamw")]}
SLOW = {
    1: [("dp", 1, "adamw"), ("dp", 1, "muon")],
    4: [("fsdp", 2, "adamw"), ("zero", 1, "muon")],
    8: [("dp", 2, "adamw"), ("fsdp", 1, "adamw"), ("fsdp", 2, "adamw")],
}


@functools.cache
def runs(devices: int, slow: bool) -> dict[str, Any]:
    """Five losses, bytes of a device and layouts, by case: all of one number of devices at once."""
    cases = json.dumps((SLOW if slow else FAST)[devices])
    more = ["tiny"] if slow else ["moved"] * (devices == 4)
    found, count = printed(PROGRAM, cases, *more, devices=devices)
    assert count == devices
    return found


def test_weights_are_gathered_and_activations_are_not():
    """Inside the scan over layers."""
    moved = runs(4, False)["moved"]
    assert any(shape.endswith("128,384") for shape in moved)  # queries, keys and values
    assert not any(shape.count(",") > 1 for shape in moved)  # rows, steps, width


@pytest.mark.parametrize(
    ("slow", "devices", "kind", "accumulate"),
    [
        pytest.param(slow, devices, kind, parts, marks=[pytest.mark.slow] if slow else [])
        for slow, cases in ((False, FAST), (True, SLOW))
        for devices in (4, 8)
        for kind, parts, optimizer in cases.get(devices, [])
        if optimizer == "adamw"
    ],
)
def test_the_losses_are_those_of_one_device(slow, devices, kind, accumulate):
    one = runs(1, slow)["dp 1 adamw"]
    losses, size, layouts = runs(devices, slow)[f"{kind} {accumulate} adamw"]
    np.testing.assert_allclose(losses, one[0], rtol=1e-5)
    if kind != "dp":
        assert size < 0.35 * one[1]
        assert any("data" in layout for layout in layouts)
    else:
        assert size == one[1]


@pytest.mark.slow
def test_muon_multiplies_matrices_that_are_cut():
    """Its products are laid out by the compiler, and give what they give on one device."""
    losses, _, layouts = runs(4, True)["zero 1 muon"]
    np.testing.assert_allclose(losses, runs(1, True)["dp 1 muon"][0], rtol=1e-5)
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
