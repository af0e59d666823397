from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.patterns.unawaited_saves import owner_of
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.nodes import function_around, holds, walk


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
        for place, effect in programs.checkpoints.lost.items():
            saved = effect.path, effect.span
            owner = owner_of(effect.within, effect.span) or "the checkpointer"
            yield Foreseen(
                place,
                "this saves in the background and nothing waits for it: if the program ends first "
                f"the checkpoint is lost; call `{owner}.wait_until_finished()`",
                () if saved == place else ((*saved, "saved here"),),
                not effect.maybe,
            )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel) -> Rewrite | None:
        method = node.func if isinstance(node, cst.Call) else None
        is_save = isinstance(method, cst.Attribute) and method.attr.value == "save"
        owner = method.value if isinstance(method, cst.Attribute) and is_save else None
        function = function_around(model.tree, statement)
        if not isinstance(owner, cst.Name) or not _binds(function, owner.value):
            return None
        if any(isinstance(part, cst.BaseComp) and holds(part, node) for part in walk(statement)):
            return None
        loops = (part for part in walk(function) if isinstance(part, cst.For | cst.While))
        after = next((loop for loop in loops if holds(loop, statement)), statement)
        if not isinstance(after, cst.For | cst.While | cst.SimpleStatementLine):
            return None
        change = Change(after, below=f"{owner.value}.wait_until_finished()")
        return Rewrite("wait for the checkpoint", (change,))


def _binds(function: cst.CSTNode, name: str) -> bool:
    """Is it a parameter of the function, or assigned in it?"""
    for part in walk(function):
        target = part.name if isinstance(part, cst.Param) else None
        target = part.target if isinstance(part, cst.AssignTarget) else target
        if isinstance(target, cst.Name) and target.value == name:
            return True
    return False
