from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.rule_helpers.wording import last_call
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
                    tuple((*call, "called here") for call in last_call(effect)),
                    not effect.maybe,
                )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        after = _outermost_loop(file, statement) or statement
        owner = _made_here(node, file.function_around(statement))
        if owner is None:
            return None
        if not isinstance(after, cst.For | cst.While | cst.SimpleStatementLine):
            return None
        change = Change(after, below=f"{owner}.wait_until_finished()")
        return Rewrite("wait for the checkpoint", (change,))


def _made_here(save: cst.CSTNode, function: cst.CSTNode) -> str | None:
    """The name of the object that saves, where the function itself gives it that name."""
    if not isinstance(save, cst.Call) or not isinstance(save.func, cst.Attribute):
        return None
    owner = dotted(save.func.value)
    targets = (each for each in walk(function) if isinstance(each, cst.AssignTarget))
    return owner if any(dotted(each.target) == owner for each in targets) else None


def _outermost_loop(file: FileTree, statement: cst.CSTNode) -> cst.CSTNode | None:
    """Of the same function: after it nothing more is saved there."""
    start, end = file.positions.span(statement)
    for each in walk(file.function_around(statement)):
        first, last = file.positions.span(each)
        if isinstance(each, cst.For | cst.While) and first <= start and end <= last:
            return each
    return None
