"""Runs the cells of a notebook in a kernel of Jupyter, and gives what each prints.

python -m tests.notebook_kernel NOTEBOOK    writes the outputs into the notebook
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager

PATIENCE = 300  # seconds for one cell


def run(notebook: Path) -> list[str]:
    """The text that each code cell prints or shows. Raises AssertionError where one fails."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    bin = str(Path(sys.executable).parent)
    path = f"{bin}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = os.environ | {"PATH": path, "JAX_PLATFORMS": "cpu", "COLUMNS": "100"}
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(notebook.parent), env=environment)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=PATIENCE)
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        return [_run_cell(client, source) for source in sources]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _run_cell(client: Any, source: str) -> str:
    printed: list[str] = []

    def hook(message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] == "stream":
            printed.append(content["text"])
        elif message["msg_type"] == "execute_result":
            printed.append(content["data"]["text/plain"] + "\n")

    reply = client.execute_interactive(source, timeout=PATIENCE, output_hook=hook)
    assert reply["content"]["status"] == "ok", (source, reply["content"], printed)
    return "".join(printed)


def store(notebook: Path) -> None:
    """Writes what the cells print into the notebook."""
    whole = json.loads(notebook.read_text("utf-8"))
    outputs = iter(run(notebook))
    for number, cell in enumerate(
        (cell for cell in whole["cells"] if cell["cell_type"] == "code"), 1
    ):
        text = next(outputs)
        lines = text.splitlines(keepends=True)
        shown = [{"name": "stdout", "output_type": "stream", "text": lines}]
        cell |= {"execution_count": number, "outputs": shown if text else []}
    notebook.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    store(Path(sys.argv[1]))
