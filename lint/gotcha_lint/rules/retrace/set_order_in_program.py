"""Sets of strings, whose order is another one in each process."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.interpret.faults.set_orders import SET_ORDER
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs


class SetOrderInProgram(Rule):
    """Lets the order of a set of strings decide the program, or which name gets which key.

    ## What happens
    Strings have another hash in each process, and the order of a set follows the hashes. A traced
    loop over a set of names gives its operations in another order in each run: the compilation
    cache on disk is missed (three runs left three programs there; with `sorted` one), and the
    processes of several hosts compile different programs. With `zip(names, keys)` each run starts
    from other weights, whatever the seed.

    ## Instead
    `sorted(names)`, or a tuple, or a dict, which keeps the order in which it was written.

    ## Not reported
    Sets that are not seen to hold strings: numbers hash the same everywhere. `in`, `any`, `len`,
    and what is sorted. `reduced` of a `PartitionSpec`, which is a set. A dict made of the arrays as
    they are: JAX sorts its keys. Tests.

    ## In a run
    Nothing: one process sees one order.
    """

    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                DECAYED = {"embedding", "attention", "mlp"}


                @jax.jit
                def penalty(params):
                    total = 0.0
                    for name in DECAYED:  # ! set-order-in-program
                        total += jnp.sum(params[name] ** 2)
                    return total


                penalty({"embedding": jnp.ones(3), "attention": jnp.ones(2), "mlp": jnp.ones(4)})
            """,
            good="""
                import jax
                import jax.numpy as jnp

                DECAYED = {"embedding", "attention", "mlp"}


                @jax.jit
                def penalty(params):
                    total = 0.0
                    for name in sorted(DECAYED):
                        total += jnp.sum(params[name] ** 2)
                    return total


                penalty({"embedding": jnp.ones(3), "attention": jnp.ones(2), "mlp": jnp.ones(4)})
            """,
            unseen="the order of a set is the same in all of one process",
        ),
        Example(
            bad="""
                import jax

                names = {"query", "key", "value"}
                keys = jax.random.split(jax.random.key(0), len(names))
                params = {}
                for name, key in zip(names, keys):  # ! set-order-in-program
                    params[name] = jax.random.normal(key, (4, 4))
            """,
            good="""
                import jax

                names = {"query", "key", "value"}
                keys = jax.random.split(jax.random.key(0), len(names))
                params = {}
                for name, key in zip(sorted(names), keys):
                    params[name] = jax.random.normal(key, (4, 4))
            """,
            unseen="the order of a set is the same in all of one process",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SET_ORDER):
            (what,) = fault.text
            here = fault.path, fault.span
            yield Foreseen(
                here,
                "`{}` is a set of strings: its order differs from process to process, and "
                f"{what} follow it: sort it",
                quotes=(here,),
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel) -> Rewrite | None:
        return Rewrite("sort it", (Change(node, before="sorted(", after=")"),))
