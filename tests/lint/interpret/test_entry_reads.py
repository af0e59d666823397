"""Arrays of a dictionary or a tree that a loop fetches one by one: `iterate-device-array`."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

RULE = ("iterate-device-array",)
TEXT = code(
    """
    import jax
    import jax.numpy as jnp
    import numpy as np


    def write_row(data, row):
        for name, value in data.items():
            if isinstance(value, jax.Array):
                row[name] = value.item()  # here
            else:
                row[name] = value


    def norms(params):
        return {name: float(jnp.linalg.norm(p)) for name, p in params.items()}  # here


    def largest(params):
        found = []
        for n, leaf in enumerate(jax.tree.leaves(params)):
            found.append(np.asarray(jnp.max(leaf)))  # here
        return found


    def fetched(data, row):
        for name, value in jax.device_get(data).items():
            row[name] = value.item()


    def of_numpy(data, row):
        for name, value in data.items():
            if isinstance(value, np.ndarray):
                row[name] = value.item()


    def of_two():
        both = {"a": jnp.ones(3), "b": jnp.zeros(3)}
        return {name: float(jnp.sum(value)) for name, value in both.items()}


    def steps(batches):
        for batch in batches:
            loss = jnp.mean(jnp.asarray(batch))
            print(float(loss))
    """
)


def test_one_transfer_for_each_entry(tmp_path: Path) -> None:
    lines = [n for n, line in enumerate(TEXT.splitlines(), 1) if "# here" in line]
    shown = lint_files(tmp_path, {"a.py": TEXT}, RULE, all=True)
    assert [(f.line, f.severity) for f in shown] == [(line, "info") for line in lines]
    assert not lint_files(tmp_path / "default", {"a.py": TEXT}, RULE)
