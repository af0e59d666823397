"""`target-jax`: what is true of some releases only is said only for those."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import found, lint_files

MESH = "import jax\n\nmesh = jax.make_mesh((4, 2), ('data', 'model'))\n"
GONE = "import jax\n\njax.tree_map(abs, [1.0])\n"


@pytest.mark.parametrize(
    ("text", "target", "names"),
    [
        (MESH, None, ["mesh-axis-types"]),
        (MESH, "0.9", ["mesh-axis-types"]),
        (MESH, "0.8", []),
        (GONE, None, ["removed-api"]),
        (GONE, "0.6", ["removed-api"]),
        (GONE, "0.5", []),
    ],
)
def test_findings_follow_the_target(tmp_path: Path, text: str, target: str | None, names):
    findings = lint_files(tmp_path, {"a.py": text}, target_jax=target)
    assert [name for _, name in found(findings)] == names
