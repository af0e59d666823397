"""Reads of the step before, while nothing else is queued: `host-read-every-step` with `--all`."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

RULE = ("host-read-every-step",)
TEXT = code(
    """
    import jax
    import jax.numpy as jnp


    @jax.jit
    def step(w, x):
        return w - x, jnp.sum(w)


    def at_the_start_of_the_next_turn(w, batches):
        loss = None
        for x in batches:
            if loss is not None:
                print(float(loss))  # here
            w, loss = step(w, x)
        return w


    def generates(w, end):
        w, score = step(w, w)
        tokens = []
        for _ in range(250):
            token = score > 0.5
            if token == end:  # here
                break
            tokens.append(token)
            w, score = step(w, token)
        return tokens


    def converges(w, x):
        w, error = step(w, x)
        while error > 1e-3:  # here
            w, error = step(w, x)
        return w


    def behind_the_next_step(w, batches):
        previous = None
        for x in batches:
            w, loss = step(w, x)
            if previous is not None:
                print(float(previous))
            previous = loss
        return w


    def behind_another_step(w, other, batches):
        loss = None
        for x in batches:
            other, _ = step(other, x)
            if loss is not None:
                print(float(loss))
            w, loss = step(w, x)
        return w, other


    def of_before_the_loop(w, batches):
        w, first = step(w, batches[0])
        for x in batches:
            print(float(first))
            w, _ = step(w, x)
        return w
    """
)


def test_nothing_is_queued_behind_the_step_that_is_read(tmp_path: Path) -> None:
    lines = [n for n, line in enumerate(TEXT.splitlines(), 1) if "# here" in line]
    shown = lint_files(tmp_path, {"a.py": TEXT}, RULE, all=True)
    assert [(f.line, f.severity) for f in shown] == [(line, "info") for line in lines]
    assert not lint_files(tmp_path / "default", {"a.py": TEXT}, RULE)
