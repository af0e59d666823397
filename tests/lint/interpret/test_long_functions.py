"""A function of many events: objects that it makes do not crowd out what else happens in it."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

# More objects than a summary keeps.
EACH, TIMES = 100, 18
TEXT = code(
    """
    import time

    import jax


    class Layer:
        def __init__(self, width):
            self.width = width


    def block():
        return [{layers}]


    @jax.jit
    def step(w, x):
        return w - x


    def train(w, xs):
        layers = [{blocks}]
        start = time.perf_counter()
        for x in xs:
            w = step(w, x)
        return w, layers, time.perf_counter() - start
    """
)


def test_many_objects_hide_no_dispatch(tmp_path: Path) -> None:
    layers = ", ".join(f"Layer({n})" for n in range(EACH))
    text = TEXT.format(layers=layers, blocks=", ".join(["block()"] * TIMES))
    (finding,) = lint_files(tmp_path, {"a.py": text}, ("timing-without-wait",))
    assert finding.line == len(text.splitlines())
