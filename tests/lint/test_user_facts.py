"""What users say about functions of other libraries."""

from __future__ import annotations

from tests.lint.support import lint_files

TRAIN = """
import jax
import mylib


@jax.jit
def step(w, x):
    return w - x, (w * x).sum()


def main(w, batches):
    total = 0.0
    for x in batches:
        w, loss = step(w, x)
        total += mylib.fetch(loss)
    return w, total


def draw(key):
    return mylib.noise((3,), key) + mylib.noise((3,), key)


if __name__ == "__main__":
    main(jax.numpy.ones(3), [jax.numpy.ones(3)] * 3)
"""


def test_a_host_read_and_a_key_that_is_used_up(tmp_path):
    facts = {"mylib.fetch": {"host-read": True}, "mylib.noise": {"consumes-key": 1}}
    rules = ("host-read-every-step", "key-reuse")
    assert lint_files(tmp_path, {"a.py": TRAIN}, rules) == []
    found = lint_files(tmp_path, {"a.py": TRAIN}, rules, facts=facts)
    assert [(f.name, f.line) for f in found] == [("host-read-every-step", 15), ("key-reuse", 20)]
