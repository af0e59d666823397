from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.remarks import INDEXED_STATE
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class StructIndexedByName(Rule):
    """Reads a field of a state as if the state were a dictionary.

    ## What happens
    `TypeError: 'State' object is not subscriptable` for a class of `flax.struct`, a dataclass or a
    `TrainState`; `TypeError: tuple indices must be integers or slices, not str` for a NamedTuple.
    All are pytrees as dictionaries are, and code goes from one to the other; under `jit` it shows
    at the first call.

    ## Instead
    `state.params`; an update is `state.replace(params=...)`, `state._replace(params=...)`.

    ## Not reported
    Classes with `__getitem__`, or of which a base is not known; `chex.dataclass`, which may be
    indexed; names that are no fields; an argument of which only its annotation tells, and that is
    not used as an object of the class besides; functions that ask for the type.

    ## In a run
    Python's own message, which names the class and neither the field nor the cure.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import struct


                @struct.dataclass
                class State:
                    params: jax.Array
                    step: int


                @jax.jit
                def decay(state: State) -> State:
                    return state.replace(params=0.9 * state["params"])  # ! struct-indexed-by-name


                state = decay(State(jnp.ones(3), 0))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import struct


                @struct.dataclass
                class State:
                    params: jax.Array
                    step: int


                @jax.jit
                def decay(state: State) -> State:
                    return state.replace(params=0.9 * state.params)


                state = decay(State(jnp.ones(3), 0))
            """,
            raises="not subscriptable",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(INDEXED_STATE):
            owner, of, field, written = fault.text
            whole = f"{owner}.{field}"
            yield Foreseen(
                (fault.path, fault.span),
                f"`{owner}` is a `{of}`, which has fields and no items: this raises TypeError; "
                f"write `{whole}`",
                hint="" if written else whole,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        change = Change(node, text=hint)
        return Rewrite(f"Write `{hint}`", (change,)) if hint else None
