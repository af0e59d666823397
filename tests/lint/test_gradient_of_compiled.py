"""What an eager gradient costs: a compiled loss is not run operation by operation."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, lint_files

PROGRAM = """
    import jax
    import jax.numpy as jnp


    def error(w, x):
        return jnp.sum((w * x) ** 2)


    @jax.jit
    def compiled_error(w, x):
        return error(w, x)


    def fit(w, batches, gradient):
        for x in batches:
            w = w - gradient(w, x)
            print(w)
        return w


    def fit_eagerly(w, batches):
        for x in batches:
            w = w - jax.grad(error)(w, x)
            print(w)


    def fit_compiled(w, batches):
        slope = jax.grad(compiled_error)
        for x in batches:
            w = w - slope(w, x)
            print(w)


    def fit_compiled_lambda(w, batches):
        slope = jax.value_and_grad(jax.jit(lambda w, x: error(w, x)))
        for x in batches:
            w = w - slope(w, x)[1]
            print(w)


    def fit_at_once(w, batches):
        slope = jax.jit(jax.grad(compiled_error))
        for x in batches:
            w = w - slope(w, x)
            print(w)
"""


def test_the_message_says_what_runs_again(tmp_path: Path) -> None:
    findings = lint_files(tmp_path, {"program.py": code(PROGRAM)})
    found = {f.line: f.message for f in findings if f.name == "eager-grad"}
    eager, compiled, of_lambda = (found[line] for line in sorted(found))
    assert "run operation by operation" in eager
    assert "differentiates the compiled `compiled_error` in Python again" in compiled
    assert "differentiates the compiled loss in Python again" in of_lambda
