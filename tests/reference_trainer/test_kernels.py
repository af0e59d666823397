"""Where the time of a step goes: kernels of a trace, and their lines in the program's text."""

from __future__ import annotations

import jax
import pytest

from benchmarks.trainer import cases, kernels, throughput
from benchmarks.trainer.row import Size
from reference_trainer import metrics, parallel

PROGRAM = """\
HloModule jit_step

FileNames
1 "/somewhere/site-packages/jax/numpy.py"
2 "/somewhere/reference_trainer/precision.py"
3 "/somewhere/reference_trainer/model/layers.py"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=4 end_column=9}
2 {file_name_id=2 function_name_id=1 line=20 end_line=20 column=4 end_column=9}
3 {file_name_id=3 function_name_id=1 line=30 end_line=30 column=4 end_column=9}

StackFrames
1 {file_location_id=3 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}
3 {file_location_id=1 parent_frame_id=2}
4 {file_location_id=2 parent_frame_id=4}
5 {file_location_id=1 parent_frame_id=5}

ENTRY %main {
  %dot.1 = f32[8,8]{1,0} dot(%a, %b), metadata={op_name="jit(step)/dot" stack_frame_id=3}
  ROOT %dot.2 = f32[8]{0} dot(%a, %b), metadata={op_name="transpose(jvp())/dot" stack_frame_id=4}
  %add.3 = f32[8]{0} add(%a, %b), metadata={op_name="jit(step)/add" stack_frame_id=5}
}
"""


def test_an_operation_has_the_line_that_calls_the_helper():
    assert kernels.lines_of(PROGRAM) == {
        "dot.1": "model/layers.py:30",
        "dot.2": "precision.py:20 (back)",
        "add.3": "elsewhere",
    }


def test_a_step_is_told_by_file_and_kernel():
    jax.set_mesh(parallel.device_mesh())
    lines = kernels.report(cases.small(depth=1, length=16, batch=2), top=3).splitlines()
    assert "tokens/s" in lines[0] and lines[1].startswith("in kernels: ")
    assert any("model/" in line for line in lines[2:])
    assert len(lines) - lines.index("") == 1 + 3


def test_a_mistake_in_a_setting_is_said(capsys):
    assert kernels.main(["model.wdith=3"]) == 2
    assert "wdith" in capsys.readouterr().err


def test_utilisation_counts_the_operations_of_a_token(monkeypatch):
    """A rate of tokens is no rate of operations."""
    peak = 1e12
    monkeypatch.setattr(metrics, "peak", lambda *_: ("a card", peak))
    jax.set_mesh(parallel.device_mesh())
    config = cases.small(depth=1, length=16, batch=2)
    forms = throughput.Forms(Size("cpu", quick=True), steps=1)
    rate, share, *_ = [row.value for row in forms.add("small", config)]
    assert rate and share == pytest.approx(100 * rate * metrics.flops_per_token(config) / peak)
