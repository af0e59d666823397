"""Elements of arrays of the device that the host reads one by one."""

from __future__ import annotations

import textwrap

import pytest

from tests.lint.support import lint_files

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\n\n"


def severities(tmp_path, body: str) -> list[str]:
    files = {"train.py": HEAD + textwrap.dedent(body)}
    found = lint_files(tmp_path, files, select=("iterate-device-array",), all=True)
    return [finding.severity for finding in found]


@pytest.mark.parametrize(
    "body",
    [
        "xs = jnp.cumsum(jnp.ones(99))\nfor i in range(99):\n    print(int(xs[i]))\n",
        "xs = jnp.cumsum(jnp.ones(99))\nprint([x.item() for x in xs])\n",
        "xs = jnp.arange(99.0)\nfor i, x in enumerate(xs):\n    if x > 3:\n        print(i)\n",
        "xs = jnp.ones((99, 9))\nfor i in range(99):\n    print(int(xs[i, 0]), int(xs[i][1]))\n",
    ],
)
def test_each_element_is_read(tmp_path, body):
    assert severities(tmp_path, body) == ["warning"]


@pytest.mark.parametrize(
    "body",
    [
        "xs = np.ones(99)\nfor i in range(99):\n    print(int(xs[i]))\n",
        "xs = jnp.ones(9)\nfor i in range(9):\n    print(int(xs[i]))\n",
        "xs = jnp.ones((99, 4))\nfor x in xs:\n    print(float(x.sum()))\n",
        "xs = jnp.ones(99)\nfor i in range(99):\n    xs = xs + 1\n    print(float(xs[i]))\n",
        "xs = jnp.ones(99)\nfor i in range(99):\n    print(float(xs[0]))\n",
    ],
)
def test_others_are_not(tmp_path, body):
    assert severities(tmp_path, body) == []


def test_beside_a_compiled_step_one_element_is_not_certain(tmp_path):
    body = """
        step = jax.jit(lambda w, x: w * x)
        rates, w = jnp.linspace(0.0, 1.0, 99), jnp.ones(3)
        for i in range(99):
            w = step(w, 2.0)
            print(float(rates[i]))
        """
    assert severities(tmp_path, body) == ["info"]
