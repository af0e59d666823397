from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.interpret.faults.nnx_objects import COPIED
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs

if TYPE_CHECKING:
    from gotcha_lint.text.file_tree import FileTree


class JitOnNnxModule(Rule):
    """Changes an nnx module or optimizer that it got through `jax.jit`.

    ## What happens
    nnx objects are pytrees, so `jax.jit` takes them: the function works on a copy, and what it
    changes there is lost. `optimizer.update(model, grads)` trains nothing: the same loss, 0.005045,
    three times. The mean of a BatchNorm stays 0, and a Dropout draws the same mask at each call.
    Nothing fails.

    ## Instead
    `nnx.jit`, which writes the changes back; or return the objects, and use what is returned.

    ## Not reported
    Functions that only read the module, or that return it, its state or its split. Static
    arguments.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @jax.jit
                def train_step(model, optimizer, x):
                    loss, grads = nnx.value_and_grad(loss_of)(model, x)
                    optimizer.update(model, grads)  # ! jit-on-nnx-module
                    return loss


                losses = [train_step(model, optimizer, jnp.ones((4, 2))) for _ in range(3)]
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @nnx.jit
                def train_step(model, optimizer, x):
                    loss, grads = nnx.value_and_grad(loss_of)(model, x)
                    optimizer.update(model, grads)
                    return loss


                losses = [train_step(model, optimizer, jnp.ones((4, 2))) for _ in range(3)]
            """,
            shows="float(losses[0]) == float(losses[-1])",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        done: set[tuple[str, str]] = set()
        traces: set[object] = set()
        for fault in programs.faults.of(COPIED):
            parameter, function = fault.text
            if fault.places in traces:
                continue  # one change is enough to see it
            traces.add(fault.places)
            done.add((fault.path, function))
            yield Foreseen(
                (fault.path, fault.span),
                f"under `jax.jit` `{parameter}` is a copy: what changes here is lost when "
                f"`{function}` returns; use `nnx.jit`",
                fault.places,
                fault.certain,
                hint=function,
            )
        for effect in programs.effects["in place"].values():
            if (effect.path, effect.within.name) not in done:
                yield Foreseen(
                    (effect.path, effect.span),
                    "under `jax.jit` this object is a copy: what changes here is lost when "
                    f"`{effect.within.name}` returns; use `nnx.jit`",
                    certain=not effect.maybe,
                    hint=effect.within.name,
                )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        nnx, plain = file.alias("flax.nnx"), f"{file.alias('jax')}.jit"
        if nnx == "flax.nnx":
            return None
        for function in _around(file.tree, statement):
            if not isinstance(function, cst.FunctionDef) or function.name.value != hint:
                continue
            for decorator in function.decorators:
                if text_of(decorator.decorator) == plain:
                    change = Change(decorator.decorator, f"{nnx}.jit")
                    return Rewrite(f"use `{nnx}.jit`", (change,))
        return None


def _around(tree: cst.CSTNode, node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes that hold a node, the innermost one first, and the node itself."""
    if tree is node:
        return [node]
    found = next((path for child in tree.children if (path := _around(child, node))), [])
    return [*found, tree] if found else []
