"""Clocks of a time that is waited for in part, or under a condition: `--all` alone."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

RULE = ("timing-without-wait",)
TEXT = code(
    """
    import time

    import jax


    @jax.jit
    def update(w, x):
        return w - x, (w * x).sum()


    @jax.jit
    def sample(w):
        return w + 1


    def first_alone(w, batches):
        start = time.time()
        for x in batches:
            drawn = float(sample(w).sum())
            w, _ = update(w, x + drawn)
        return w, time.time() - start


    def if_somebody_looks(w, batches, verbose, log):
        start = time.time()
        for n, x in enumerate(batches):
            w, loss = update(w, x)
            if verbose:
                log(float(loss))
            if n % 100 == 0:
                seconds = time.time() - start
                print(float(loss), seconds)
                start = time.time()
        return w


    def under_the_same_condition(w, batches):
        start = time.time()
        for n, x in enumerate(batches):
            w, loss = update(w, x)
            if n % 100 == 0:
                print(float(loss), time.time() - start)
        return w


    def in_a_helper(w, x):
        start = time.time()
        w, loss = update(w, x)
        shown(loss)
        return w, time.time() - start


    def shown(loss):
        if hasattr(loss, "item"):
            print(loss.item())
    """
)


def test_a_part_that_is_waited_for(tmp_path: Path) -> None:
    lines = TEXT.splitlines()
    expected = [n for n, line in enumerate(lines, 1) if "seconds = " in line]
    first = next(n for n, line in enumerate(lines, 1) if "time.time() - start" in line)
    shown = lint_files(tmp_path, {"a.py": TEXT}, RULE, all=True)
    assert [(f.line, f.severity) for f in shown] == [(first, "info"), (expected[0], "info")]
    assert not lint_files(tmp_path / "default", {"a.py": TEXT}, RULE)
