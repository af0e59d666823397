"""The notebook extension, in processes of their own: a shell of IPython, a kernel of Jupyter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sanitizer.support import SOURCES

pytest.importorskip("IPython")
pytest.importorskip("jax")

SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
if {same_names}:  # as ipykernel does: a cell that is run again keeps its file's name
    shell.compile.get_code_name = lambda raw, code, number: f"/tmp/ipykernel_1/{{hash(raw)}}.py"
for cell in {cells!r}:
    print("#", shell.execution_count)
    shell.run_cell(cell, store_history=True)
print("# end")
"""
LOAD = "%load_ext gotcha_sanitizer.notebook\nimport jax, jax.numpy as jnp\nx = jnp.zeros(3)"


def outputs(tmp_path: Path, *cells: str, same_names: bool = False) -> list[str]:
    """What each cell prints."""
    program = tmp_path / "shell.py"
    program.write_text(SHELL.format(cells=cells, same_names=same_names), "utf-8")
    path = ":".join([SOURCES, *(p for p in sys.path if p)])
    done = subprocess.run(
        [sys.executable, str(program)],
        env={"PYTHONPATH": path, "JAX_PLATFORMS": "cpu", "HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("# ")[1:]


def test_a_storm_is_told_after_its_cell_and_places_are_cells(tmp_path):
    storm = "for i in range(4):\n    jax.jit(lambda x: x + i)(x)"
    _, first, clean, shown, _ = outputs(tmp_path, LOAD, storm, "y = x + 1", "%gotcha")
    assert "gotcha: 1 finding" in first
    assert "recompile (new-function) at cell 2, line 2" in first
    assert "captures another `i`" in first and "fix: pass `i`" in first
    assert "gotcha" not in clean
    assert "cell 2" in shown and "1 finding" in shown and "ipython-input" not in shown


@pytest.mark.parametrize("same_names", [False, True])
def test_a_cell_that_is_run_again_is_no_storm(tmp_path, same_names):
    cell = "f = jax.jit(lambda x: x * 2)\nf(x)"
    runs = outputs(tmp_path, LOAD, *[cell] * 5, "%gotcha", same_names=same_names)
    assert "gotcha" not in runs[1]
    for again in runs[2:6]:
        assert "gotcha: cell re-run: 1 program compiled again" in again
    assert "no findings" in runs[6]


def test_a_storm_in_a_cell_that_is_run_again_is_still_one(tmp_path):
    storm = "for i in range(4):\n    jax.jit(lambda x: x + i)(x)"
    runs = outputs(tmp_path, LOAD, "1", storm, storm, same_names=True)
    assert "recompile (new-function)" in runs[2] and "recompile (new-function)" in runs[3]


def test_a_recompile_of_an_earlier_cells_function_is_seen(tmp_path):
    define = "f = jax.jit(lambda x: x * 2)\nf(x)"
    grow = "for n in (5, 6, 7, 9):\n    f(jnp.zeros(n))"
    runs = outputs(tmp_path, LOAD, define, grow)
    assert "recompile (shape) at cell 3, line 2" in runs[2]


def test_an_error_is_explained_and_shown_by_ipython(tmp_path):
    bad = "@jax.jit\ndef f(x):\n    if x > 0: return x\nf(1.0)"
    _, out, shown, _ = outputs(tmp_path, LOAD, bad, "%gotcha")
    assert "TracerBoolConversionError" in out
    assert "gotcha: traced-if at cell 2, line 3" in out and "argument: x" in out
    assert "traced-if" in shown


def test_unloading_takes_it_out(tmp_path):
    storm = "for i in range(4):\n    jax.jit(lambda x: x + i)(x)"
    runs = outputs(tmp_path, LOAD, "%unload_ext gotcha_sanitizer.notebook", storm)
    assert "gotcha" not in runs[2]


def test_in_a_kernel(tmp_path, monkeypatch):
    """As Jupyter runs it: what the kernel sends back for each cell, and that it goes on."""
    client = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    for name, value in {"JAX_PLATFORMS": "cpu", "IPYTHONDIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", ":".join([SOURCES, *(p for p in sys.path if p)]))
    manager = client.KernelManager(kernel_name="python3", transport="ipc", ip=str(tmp_path / "k"))
    manager.kernel_cmd = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.start_kernel(cwd=str(tmp_path))
    kernel = manager.client()
    kernel.start_channels()
    try:
        kernel.wait_for_ready(timeout=60)
        storm = "for i in range(4):\n    jax.jit(lambda x: x + i)(x)"
        raises = "jax.jit(lambda x: 1 if x.sum() > 0 else 2)(x)"
        said = [
            _said(kernel, cell) for cell in (LOAD, storm, "y = x + 1", raises, "print(y.shape)")
        ]
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)
    assert (
        "gotcha: 1 finding" in said[1] and "recompile (new-function) at cell 2, line 2" in said[1]
    )
    assert "gotcha" not in said[2]
    assert "TracerBoolConversionError" in said[3] and "traced-if" in said[3]
    assert said[4] == "(3,)\n"


def _said(kernel, cell: str) -> str:
    """All text that one cell sends to its reader."""
    parts: list[str] = []

    def take(message) -> None:
        content = message["content"]
        parts.append(content.get("text") or "\n".join(content.get("traceback", ())))

    kernel.execute_interactive(cell, timeout=60, output_hook=take)
    return "".join(parts)
