"""Local names that one way of a condition alone binds: `cannot-run`, flags by default."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, found, lint_files, marks

TEXT = code(
    """
    import jax
    import jax.numpy as jnp
    import optax


    def train(params, args):
        if args.sgd:
            tx = optax.sgd(0.1)
        elif args.adam:
            tx = optax.adam(0.1)
        return jax.jit(tx.init)(params)  # ! cannot-run


    def evaluate(params, batches, args):
        if args.fid:
            score = jax.jit(jnp.mean)
        for batch in batches:
            print(score(batch))  # ! cannot-run


    def otherwise(params, args):
        if args.sgd:
            tx = optax.sgd(0.1)
        else:
            raise ValueError(args)
        return jax.jit(tx.init)(params)


    def bound_later(params, args):
        if args.sgd:
            tx = optax.sgd(0.1)
        tx = optax.adam(0.1)
        return jax.jit(tx.init)(params)
    """
)

FLAG = next(n for n, line in enumerate(TEXT.splitlines(), 1) if "print(score(batch))" in line)


def test_names_that_one_way_alone_binds(tmp_path: Path) -> None:
    select = ("cannot-run",)
    default = lint_files(tmp_path / "default", {"a.py": TEXT}, select)
    assert [finding.line for finding in default] == [FLAG]  # the others may be all that there are
    assert found(lint_files(tmp_path / "all", {"a.py": TEXT}, select, all=True)) == marks(TEXT)
