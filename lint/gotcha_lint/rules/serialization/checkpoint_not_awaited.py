from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.facts.optax import SAVES_LATER
from gotcha_lint.queries.awaited import asynchronous, made_here, never_awaited, nobody_waits
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule
from gotcha_lint.solve.programs import Programs

_SAVES = frozenset(f"{name}.save" for name in SAVES_LATER)
_RESTORES = frozenset(f"{name}.restore" for name in SAVES_LATER if not name.endswith("Manager"))


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

    def check(self, site: Body) -> Iterator[Report]:
        last: dict[str, Call] = {}
        for call in site.of(Call):
            if call.decorator or not isinstance(call.node.func, cst.Attribute):
                continue
            owner = dotted(call.node.func.value) or ""
            if call.name in _SAVES:
                last[owner] = call
            elif call.name in _RESTORES:  # it waits first
                last.pop(owner, None)
        for owner, call in last.items():
            if _is_lost(site, owner, call):
                yield Report(
                    call.node,
                    "this saves in the background and nothing waits for it: if the program "
                    "ends first the checkpoint is lost; "
                    f"call `{owner or 'the checkpointer'}.wait_until_finished()`",
                    _fix(site, owner, call),
                )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, effect in programs.checkpoints.lost.items():
            saved = effect.path, effect.span
            yield Foreseen(
                place,
                "this saves in the background and nothing waits for it: the program ends first and "
                "the checkpoint is lost; call `wait_until_finished()`",
                () if saved == place else ((*saved, "saved here"),),
                not effect.maybe,
            )


def _is_lost(body: Body, owner: str, call: Call) -> bool:
    """What is made elsewhere may be waited for elsewhere."""
    given = call.base is not None and call.base.param != ""
    if given or not asynchronous(body.model) or not made_here(body):
        return nobody_waits(body)
    return never_awaited(body, owner.rpartition(".")[2])


def _fix(body: Body, owner: str, call: Call) -> Rewrite | None:
    if not owner or "." in owner or owner not in body.function.scope.bound:
        return None
    if any(loop.kind == "comprehension" for loop in call.at.loops):
        return None
    after = call.at.loops[0].node if call.at.loops else call.at.statement
    if not isinstance(after, cst.For | cst.While | cst.SimpleStatementLine):
        return None
    return Rewrite(
        "wait for the checkpoint", (Change(after, below=f"{owner}.wait_until_finished()"),)
    )
