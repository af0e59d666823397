from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.called import NEGATIVE_STATIC
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class RematNegativeStatic(Rule):
    """Gives `nn.remat` of Flax the static argument -1, which is not the last one.

    ## What happens
    The last argument stays traced: `TracerBoolConversionError` where the layer branches on it, as
    `nn.Dropout` does on `deterministic` once its rate is not 0. Flax subtracts 1 for `self`, and
    puts the variables and the random keys before the arguments: -1 becomes the variables, and -2
    the last argument. Where nothing branches on it, -1 does nothing at all.

    ## Instead
    The position, counted from `self`, which is 0: `static_argnums=(2,)` for `train` of
    `__call__(self, x, train)`, and `train` given by position.

    ## Not reported
    -1 together with -2, which does name the last argument. `jax.checkpoint` and `nnx.remat`, where
    -1 is the last argument.

    ## In a run
    Nothing: it fails while it is traced, or it does nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Block(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.Dropout(0.1)(nn.Dense(4)(x), deterministic=not train)


                block = nn.remat(Block, static_argnums=(-1,))()  # ! remat-negative-static
                variables = block.init(jax.random.key(0), jnp.ones((2, 4)), False)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Block(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.Dropout(0.1)(nn.Dense(4)(x), deterministic=not train)


                block = nn.remat(Block, static_argnums=(2,))()
                variables = block.init(jax.random.key(0), jnp.ones((2, 4)), False)
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(NEGATIVE_STATIC):
            yield Foreseen(
                (fault.path, fault.span),
                "-1 is not the last argument here, because Flax adds variables and keys: the last "
                "argument stays traced; give its position, where `self` is 0",
                hint=fault.text[0],
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        """The position of the last argument; a call that gives it by its name has to change too."""
        written = [part.value for part in node.elements] if isinstance(node, cst.Tuple) else [node]
        change = [Change(part, text=hint) for part in written if text_of(part) == "-1"]
        ready = bool(change and hint)
        return Rewrite("name the last argument", tuple(change), safe=False) if ready else None
