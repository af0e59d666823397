"""What users say about functions of other libraries."""

from __future__ import annotations

import pytest

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


LIKE = """
import mylib


def draw():
    key = mylib.new_key(0)
    return mylib.noise(key, (3,)) + mylib.noise(key, (3,))
"""


def test_a_function_like_another_does_what_that_does(tmp_path):
    """Not transforms alone."""
    facts = {"mylib.new_key": {"like": "jax.random.PRNGKey"}}
    facts["mylib.noise"] = {"like": "jax.random.normal"}
    assert lint_files(tmp_path, {"a.py": LIKE}, ("key-reuse",)) == []
    found = lint_files(tmp_path, {"a.py": LIKE}, ("key-reuse",), facts=facts)
    assert [(f.name, f.line) for f in found] == [("key-reuse", 7)]


RETURNS = """
import jax
import mylib


@jax.jit
def step(x):
    return x if mylib.thing() > 0 else -x


def train(batches):
    for x in batches:
        step(x)


def draw():
    w = mylib.thing()
    return jax.random.normal(w, (3,)) + jax.random.normal(w, (3,))
"""


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("array", ["traced-if"]),
        ("host", []),
        ("static", []),
        ("key", ["traced-if", "key-reuse"]),
    ],
)
def test_what_a_function_returns(tmp_path, kind, found):
    rules = ("traced-if", "key-reuse")
    assert lint_files(tmp_path, {"a.py": RETURNS}, rules) == []
    facts = {"mylib.thing": {"returns": kind}}
    assert [f.name for f in lint_files(tmp_path, {"a.py": RETURNS}, rules, facts=facts)] == found
