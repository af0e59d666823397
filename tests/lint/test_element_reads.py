"""How often a loop reads elements of an array decides whether it is worth a warning."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

ONCE = code(
    """
    import jax.numpy as jnp
    from data import load

    ranks = jnp.argsort(load())
    for rank in ranks:
        print(f"{rank}")
    """
)
AGAIN = ONCE + code(
    """
    for epoch in range(100):
        for rank in ranks:
            print(f"{rank}")
    """
)


def test_a_loop_of_a_script_that_runs_once_is_shown_with_all_alone(tmp_path: Path) -> None:
    assert _lines(tmp_path / "default", ONCE) == []
    assert _lines(tmp_path / "all", ONCE, all=True) == [6]


def test_a_loop_that_runs_again_and_again_is_worth_a_warning(tmp_path: Path) -> None:
    assert _lines(tmp_path, AGAIN) == [9]


def _lines(folder: Path, text: str, **options: object) -> list[int]:
    found = lint_files(folder, {"train.py": text}, ("iterate-device-array",), **options)
    return [finding.line for finding in found]
