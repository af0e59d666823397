"""What a name stands for where it stands for several things."""

from __future__ import annotations

from tests.lint.support import lint_files

SOURCE = """
import jax
import jax.numpy as np

if jax.device_count() > 1:
    import numpy as np

    def host():
        x = np.zeros(3)
        x[0] = 1

import jax.numpy as np


@jax.jit
def step(x):
    return np.abs(x)


try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map


def body(x):
    return x if x > 0 else -x


mapped = shard_map(body, mesh=None, in_specs=None, out_specs=None)
"""


def test_a_name_of_two_modules_is_neither_and_one_of_two_places_is_both(tmp_path):
    """`np` depends on when a function runs; `shard_map` is the same wherever it comes from."""
    found = lint_files(tmp_path, {"a.py": SOURCE})
    assert [f.name for f in found if f.name != "removed-api"] == ["traced-if"]
