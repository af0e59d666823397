from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.saved import RELATIVE_PATH
from gotcha_lint.rule import HERE, Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class OrbaxRelativePath(Rule):
    """Gives Orbax a path that is relative to the working directory.

    ## What happens
    `ValueError: Checkpoint path should be absolute. Got runs/1.orbax-checkpoint-tmp`, when it is
    saved and when it is restored. `StandardCheckpointer.save` itself returns: the error comes from
    the thread in the background, and is raised by `wait_until_finished()`; without that nothing is
    saved, and nothing fails. A `CheckpointManager` is made without an error, and fails at its first
    `save`. `flax.training.checkpoints` saves by Orbax, and fails alike; so does `"~/runs"`.

    ## Instead
    `os.path.abspath("runs/1")`, or `pathlib.Path("runs/1").resolve()`.

    ## Not reported
    Paths of which nothing says how they begin. A default counts: of a parameter, of `argparse`, of
    `absl.flags`.

    ## In a run
    JAX has no part in it: the sanitizer sees nothing.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import os

                import jax.numpy as jnp
                import orbax.checkpoint as ocp

                state = {"w": jnp.ones(3)}
                checkpointer = ocp.PyTreeCheckpointer()
                checkpointer.save("runs/1", state, force=True)  # ! orbax-relative-path
            """,
            good="""
                import os

                import jax.numpy as jnp
                import orbax.checkpoint as ocp

                state = {"w": jnp.ones(3)}
                checkpointer = ocp.PyTreeCheckpointer()
                checkpointer.save(os.path.abspath("runs/1"), state, force=True)
            """,
            raises="Checkpoint path should be absolute",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(RELATIVE_PATH):
            text, always = fault.text
            if always:
                message = (
                    f"`{HERE}` is a relative path, which Orbax refuses: it raises when it saves, "
                    "in the background if it saves there; use `os.path.abspath`"
                )
            else:
                message = (
                    f'the path begins with "{text}" here, unless another one is given: it is '
                    "relative, and Orbax refuses it when it saves; use `os.path.abspath`"
                )
            hint = "here" if always else ""
            yield Foreseen((fault.path, fault.span), message, fault.places, hint=hint)

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        if not hint:
            return None
        change = Change(node, before=f"{file.alias('os')}.path.abspath(", after=")")
        return Rewrite("make the path absolute", (change,), imports=("os",))
