from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree
from gotcha_lint.text.nodes import dotted, walk


class CheckpointNotAwaited(Rule):
    """Saves with Orbax in the background and does not wait for the end.

    ## What happens
    The last checkpoint is lost when the program ends first: exit code 0, and nothing on the disk
    but a directory `*.orbax-checkpoint-tmp`. It was lost in each of eleven tries, small or large.
    The only trace is "cannot schedule new futures after interpreter shutdown" on stderr;
    `CheckpointManager.latest_step()` reports the step all the same.

    ## Instead
    Call `wait_until_finished()` or `close()` at the end, or use the object as a context manager.

    ## The price
    The last checkpoint.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import orbax.checkpoint as ocp


                def save(path, params):
                    checkpointer = ocp.StandardCheckpointer()
                    checkpointer.save(path, params)  # ! checkpoint-not-awaited
            """,
            good="""
                import orbax.checkpoint as ocp


                def save(path, params):
                    checkpointer = ocp.StandardCheckpointer()
                    checkpointer.save(path, params)
                    checkpointer.wait_until_finished()
            """,
            unseen="the checkpoint is lost when the process ends",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        checkpoints = programs.checkpoints
        seen = set(checkpoints.lost)
        for place, effect in checkpoints.lost.items():
            saved = effect.path, effect.span
            seen.add(saved)
            yield Foreseen(
                place,
                "this saves in the background and nothing waits for it: the program ends first and "
                "the checkpoint is lost; call `wait_until_finished()`",
                () if saved == place else ((*saved, "saved here"),),
                not effect.maybe,
            )
        for place, effect in checkpoints.unawaited.items():
            if place not in seen and place not in checkpoints.awaited:
                yield Foreseen(
                    place,
                    "this saves in the background and nothing waits for it: if the program ends "
                    "first the checkpoint is lost; call `wait_until_finished()`",
                    tuple((*call, "called here") for call in effect.calls[-1:]),
                    not effect.maybe,
                )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        after = _outermost_loop(file, statement) or statement
        owner = (
            node.func.value
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
            else None
        )
        made = (n for n in walk(file.function_around(statement)) if isinstance(n, cst.AssignTarget))
        if not isinstance(owner, cst.Name) or not any(
            dotted(n.target) == owner.value for n in made
        ):
            return None
        if not isinstance(after, cst.For | cst.While | cst.SimpleStatementLine):
            return None
        change = Change(after, below=f"{owner.value}.wait_until_finished()")
        return Rewrite("wait for the checkpoint", (change,))


def _outermost_loop(file: FileTree, statement: cst.CSTNode) -> cst.CSTNode | None:
    """Of the same function: after it nothing more is saved there."""
    start, end = file.positions.span(statement)
    for each in walk(file.function_around(statement)):
        first, last = file.positions.span(each)
        if isinstance(each, cst.For | cst.While) and first <= start and end <= last:
            return each
    return None
