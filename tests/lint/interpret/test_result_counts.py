"""How many values calls of libraries return, beside what JAX says."""

from __future__ import annotations

import ast

import pytest

from gotcha_lint.interpret.result_counts import result_count
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.reader import NamedReader
from tests.lint.program.support import lowered

HEAD = "import jax\nimport jax.numpy as jnp\nimport numpy as np\nfrom jax import random\n"
CALLS = {
    "jnp.split(x, 2)": 2,
    "jnp.split(x, [1, 2])": 3,
    "jnp.split(x, indices_or_sections=4)": 4,
    "np.array_split(x, 3)": 3,
    "random.split(key)": 2,
    "random.split(key, 3)": 3,
    "random.split(key, num=5)": 5,
    "jax.value_and_grad(jnp.sum)(x[0])": 2,
    "jax.vjp(jnp.sum, x)": 2,
    "jnp.linalg.qr(x)": 2,
    "jnp.linalg.svd(x, full_matrices=False)": 3,
    "jax.tree.flatten(x)": 2,
    "jnp.meshgrid(x[0], x[0], x[0])": 3,
}


def count(call: str) -> int | None:
    module = lowered(f"{HEAD}def f(x, key, n, rest):\n    return {call}\n")
    function = module.functions[0]
    reader = NamedReader(module, function)
    made = reader.makers[next(i[2] for i in steps_of(function) if i[0] == "return")]
    return result_count(made, reader.makers, reader.dotted)


@pytest.mark.parametrize("call", CALLS)
def test_as_many_as_jax_returns(call: str) -> None:
    jax = pytest.importorskip("jax")
    scope: dict[str, object] = {}
    exec(HEAD, scope)
    scope |= {"x": jax.numpy.eye(4), "key": jax.random.key(0)}
    assert count(call) == CALLS[call] == len(eval(call, scope))


@pytest.mark.parametrize(
    "call",
    ["jnp.split(x, n)", "jnp.split(x, [*rest])", "jnp.split(*rest)", "random.split(key, n)",
     "jax.vjp(jnp.sum, x, has_aux=True)", "jnp.linalg.svd(x, compute_uv=False)", "jnp.exp(x)",
     "jnp.linalg.qr(x, 'r')", "x.split(2)"],
)  # fmt: skip
def test_unknown(call: str) -> None:
    ast.parse(call)
    assert count(call) is None
