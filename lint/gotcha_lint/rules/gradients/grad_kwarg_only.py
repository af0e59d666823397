from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.derivatives import BY_NAME
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class GradKwargOnly(Rule):
    """Gives the differentiated argument of a gradient function by keyword.

    ## What happens
    `TypeError: differentiating with respect to argnums=0 requires at least 1 positional arguments
    to be passed by the caller, but got only 0 positional arguments.` `argnums` counts positional
    arguments; what comes by keyword is handed on, and is never differentiated. Functions of Equinox
    `must have their first argument passed by position, not keyword`.

    ## Instead
    Pass it by position: `jax.grad(loss)(params, batch=batch)`.

    ## Not reported
    Gradients of `flax.nnx`, which look the names up.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(params, batch):
                    return jnp.mean((batch @ params) ** 2)


                x = jnp.ones((4, 3))
                gradients = jax.grad(loss)(params=jnp.ones(3), batch=x)  # ! grad-kwarg-only
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(params, batch):
                    return jnp.mean((batch @ params) ** 2)


                x = jnp.ones((4, 3))
                gradients = jax.grad(loss)(jnp.ones(3), batch=x)
            """,
            raises="requires at least 1 positional arguments",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(BY_NAME):
            wanted, given, first = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"the gradient is with respect to the positional argument {wanted}, but {given} "
                "are given by position: JAX does not differentiate keyword arguments",
                fault.places,
                fault.certain,
                hint=first,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        """Its first argument loses its keyword, where it is that of the first parameter."""
        match node:
            case cst.Call(args=[cst.Arg(keyword=cst.Name(value=word)) as first, *_]):
                if word == hint:
                    return Rewrite(
                        "pass it by position", (Change(first, text=text_of(first.value)),)
                    )
        return None
