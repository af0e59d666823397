"""examples/both_tools.ipynb: both tools in ten cells, run in a kernel as a reader would."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("jax")
pytest.importorskip("ipykernel")

from tests import notebook_kernel  # needs ipykernel's own dependencies

NOTEBOOK = Path(__file__).parents[1] / "examples" / "both_tools.ipynb"
CELLS = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]


def _stored(cell: dict[str, list[dict[str, list[str]]]]) -> str:
    return "".join(line for output in cell["outputs"] for line in output["text"])


def test_it_has_ten_cells_and_shows_no_place_of_a_machine() -> None:
    assert len(CELLS) == 10
    assert not re.search(r"(?<!\w)/(root|home|tmp|work|usr)/", NOTEBOOK.read_text("utf-8"))
    assert [cell["execution_count"] for cell in CODE] == list(range(1, len(CODE) + 1))


def test_its_cells_print_what_they_say(tmp_path: Path) -> None:
    copy = tmp_path / NOTEBOOK.name
    shutil.copy(NOTEBOOK, copy)
    (tmp_path / "pyproject.toml").write_text("")
    by_name = dict(zip((cell["id"] for cell in CODE), notebook_kernel.run(copy), strict=True))
    stored = {cell["id"]: _stored(cell) for cell in CODE}

    assert "recompile (shape) at cell 4, line 3" in by_name["run"]
    assert "`step` was compiled 4 more times" in by_name["run"]
    assert re.search(r"^  step \(cell 3:1\) +5 ", by_name["report"], re.M)
    # The linter counted the same before anything ran.
    assert re.search(r"cell 3:1 +step +jit +5\+$", by_name["lint"], re.M)
    assert by_name["again"] == "1\n"
    for name in ("load", "data", "step", "fixed", "lint", "again", "explain"):  # no times in these
        assert by_name[name] == stored[name]
