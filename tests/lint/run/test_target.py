"""`target-jax`, `-flax`, `-optax`: what is true of some releases is said only for those."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import found, lint_files

MESH = "import jax\n\nmesh = jax.make_mesh((4, 2), ('data', 'model'))\n"
GONE = "import jax\n\njax.tree_map(abs, [1.0])\n"
ASKED = "import jax\n\nif hasattr(jax, 'clear_backends'):\n    jax.clear_backends()\n"


@pytest.mark.parametrize(
    ("text", "target", "names"),
    [
        (MESH, None, ["mesh-axis-types"]),
        (MESH, "0.9", ["mesh-axis-types"]),
        (MESH, "0.8", []),
        (GONE, None, ["removed-api"]),
        (GONE, "0.6", ["removed-api"]),
        (GONE, "0.5", []),
        (ASKED, "0.5", ["removed-behind-hasattr"]),
        (ASKED, "0.4", []),
    ],
)
def test_findings_follow_the_target(tmp_path: Path, text: str, target: str | None, names):
    findings = lint_files(tmp_path, {"a.py": text}, target_jax=target)
    assert [name for _, name in found(findings)] == names


JIT = "from flax import nnx\n\nfast = nnx.Jit(len)\n"
FORK = "from flax import nnx\n\nnnx.fork(nnx.Rngs(0))\n"
DECAY = "import optax\n\noptax.additive_weight_decay(0.1)\n"
NORM = "import optax\n\noptax.global_norm([1.0])\n"
MADE = """import optax
from flax import nnx

nnx.Optimizer(nnx.Linear(1, 1, rngs=nnx.Rngs(0)), optax.sgd(1))
"""


@pytest.mark.parametrize(
    ("text", "targets", "names"),
    [
        (JIT, {}, ["removed-api"]),
        (JIT, {"target_flax": "0.10.6"}, ["removed-api"]),
        (JIT, {"target_flax": "0.10.5"}, []),
        (JIT, {"target_flax": "0.10"}, []),
        (FORK, {"target_flax": "0.11"}, ["removed-api"]),
        (FORK, {"target_flax": "0.10.7"}, []),
        (DECAY, {"target_optax": "0.1.8"}, ["removed-api"]),
        (DECAY, {"target_optax": "0.1.7", "target_jax": "0.10"}, []),
        (NORM, {"target_optax": "0.2.7"}, ["deprecated-api"]),
        (NORM, {"target_optax": "0.2.6"}, []),
        (MADE, {"target_flax": "0.11.0"}, ["nnx-optimizer-args"]),
        (MADE, {"target_flax": "0.10.7"}, []),
        (MADE, {"target_jax": "0.5"}, []),
    ],
)
def test_flax_and_optax_have_targets_of_their_own(tmp_path: Path, text, targets, names):
    findings = lint_files(tmp_path, {"a.py": text}, **targets)
    assert [name for _, name in found(findings)] == names
