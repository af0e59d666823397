"""Formulas for work and memory, against the compiler's own count where that is right."""

from __future__ import annotations

from types import SimpleNamespace

import jax
import pytest

from reference_trainer import metrics, parallel
from reference_trainer.config import ConfigError
from reference_trainer.run import machine, peaks, report
from reference_trainer.run.presets import PRESETS
from reference_trainer.train import state as states
from reference_trainer.train import step as steps
from tests.reference_trainer.support import SMALL, TINY


def counted(config) -> float:
    """FLOPs of a compiled step per token, as XLA counts them: right where nothing is scanned."""
    mesh = parallel.device_mesh()
    args = states.abstract(config, mesh), parallel.abstract_batch(config, mesh)
    analysis = steps.build(config, mesh).lower(*args).compile().cost_analysis()
    assert analysis is not None
    return analysis["flops"] / (config.data.batch * config.data.length)


@pytest.mark.parametrize("pattern", [("attention",), ("ssm",)])
def test_flops_are_those_of_the_compiled_program(pattern):
    config = TINY.replace(
        model={"pattern": pattern, "width": 128, "head_width": 32}, data={"length": 128}
    )
    assert metrics.flops_per_token(config) == pytest.approx(counted(config), rel=0.25)


def test_a_scan_hides_flops_from_the_compiler():
    """Why the formula exists: eight layers, counted as one."""
    config = TINY.replace(
        model={"pattern": ("attention",), "depth": 8, "width": 128}, compute={"layers": "scan"}
    )
    assert counted(config) < 0.4 * metrics.flops_per_token(config)
    unrolled = config.replace(compute={"layers": "unroll"})
    assert metrics.flops_per_token(config) == metrics.flops_per_token(unrolled)


def test_gpt2_is_what_is_published():
    """0.857 GFLOP a token at 1,024 steps by 6 N + 12 L D T, with N = 124M and padding of V."""
    config = PRESETS["h200_124m"]
    assert metrics.flops_per_token(config) == pytest.approx(0.857e9, rel=0.03)
    shapes = jax.eval_shape(lambda: states.init(jax.random.key(0), config))
    assert metrics.parameters(shapes.params) == pytest.approx(124e6, rel=0.01)


def test_peaks_are_dense_and_name_what_they_are():
    assert peaks.peak("NVIDIA H200", "bfloat16") == (
        "H200 bfloat16 dense 989 TFLOP/s",
        989e12,
    )
    assert peaks.peak("cpu", "bfloat16") is None


def test_a_batch_is_chosen_from_memory():
    config = TINY.replace(data={"batch": 0})
    small = machine.fitting_batch(config, 10**9, 64 * 2**20).data.batch
    large = machine.fitting_batch(config, 10**9, 256 * 2**20).data.batch
    assert 2 * small <= large <= 8 * small
    needed = machine._step_bytes(config.replace(data={"batch": large}), large)
    assert needed < 256 * 2**20
    with pytest.raises(ConfigError, match="asks for"):
        machine.fitting_batch(config, 10**9, 1000)
    assert machine.fitting_batch(TINY, 10**9, 1000) == TINY


def test_a_batch_holds_no_more_than_the_data():
    config = TINY.replace(data={"batch": 0})
    assert machine.fitting_batch(config, 11 * config.data.length).data.batch == 8
    assert machine.fitting_batch(config, 1).data.batch == 1


def test_memory_is_that_of_the_container(tmp_path, monkeypatch):
    limit, whole = tmp_path / "memory.max", machine.memory_limit()
    monkeypatch.setattr(machine, "CONTAINER", limit)
    limit.write_text(f"{10 * 2**20}\n")
    assert machine.memory_limit() == 10 * 2**20 // jax.local_device_count()
    limit.write_text("max\n")
    assert machine.memory_limit() >= whole


def test_sizes_follow_the_names_of_the_state():
    state = states.create(SMALL, parallel.device_mesh())
    sizes = report.sizes(state)
    assert sizes["params"] == sum(leaf.nbytes for leaf in jax.tree.leaves(state.params))
    assert sizes["opt_state.1.0.mu"] == sizes["opt_state.1.0.nu"] == sizes["params"]
    assert sum(sizes.values()) == sum(leaf.nbytes for leaf in jax.tree.leaves(state))


@pytest.mark.parametrize(("system", "unit"), [("linux", 1024), ("darwin", 1)])
def test_the_memory_of_the_process_is_in_bytes(monkeypatch, system, unit):
    """The system counts it in KiB, a Mac in bytes."""
    monkeypatch.setattr(metrics.sys, "platform", system)
    used = SimpleNamespace(ru_maxrss=2**30 // unit)
    monkeypatch.setattr(metrics.resource, "getrusage", lambda _: used)
    assert metrics.host_memory() == 2**30
