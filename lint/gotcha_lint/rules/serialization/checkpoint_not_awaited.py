"""Is the end of an asynchronous save waited for anywhere in the file?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.facts.optax import SAVES_LATER
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
    if given or not _asynchronous(body.model) or not _made_here(body):
        return _nobody_waits(body)
    return _never_awaited(body, owner.rpartition(".")[2])


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


_CLASSES = frozenset(name.rpartition(".")[2] for name in SAVES_LATER)
_SYNCHRONOUS = frozenset({"PyTreeCheckpointer", "Checkpointer", "enable_async_checkpointing"})
_HANDED_ON = frozenset({"enter_context", "callback", "closing", "register", "push"})


def _nobody_waits(body: Body) -> bool:
    """No file that hangs together with this one has a word of waiting in it."""
    path, project = body.model.path, body.project
    return project is not None and not project.waited_for(path)


def _made_here(body: Body) -> bool:
    """The file makes an object that saves in the background."""
    calls = (node for node in walk(body.model.tree) if isinstance(node, cst.Call))
    return any(last_word(call.func) in _CLASSES for call in calls)


def _never_awaited(body: Body, name: str) -> bool:
    """The object of this name is made in this file, kept in it, and no code waits for it."""
    made = False
    for node in walk(body.model.tree):
        if isinstance(node, cst.Call) and last_word(node.func) in _CLASSES:
            made = True
        if _waits(node, name):
            return False
    return made and not _leaves(body, name)


def _waits(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Attribute(attr=cst.Name(value="wait_until_finished" | "check_for_errors")):
            return True
        case cst.Attribute(value=owner, attr=cst.Name(value="close" | "wait" | "__exit__")):
            return last_word(owner) == name
        case cst.WithItem(item=item, asname=asname):
            return last_word(item.func if isinstance(item, cst.Call) else item) in _CLASSES | {
                name
            } or (asname is not None and dotted(asname.name) == name)
        case cst.Name(value=word):
            return word in _SYNCHRONOUS or word in _HANDED_ON
    return False


def _leaves(body: Body, name: str) -> bool:
    """A local object is returned, or handed to somebody who may wait for it."""
    scope = body.function.node
    return any(isinstance(node, cst.Name) and node.value == name for node in _given_away(scope))


def _given_away(scope: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for node in walk(scope):
        if isinstance(node, cst.Arg):
            yield node.value
        elif isinstance(node, cst.Return | cst.Yield) and node.value is not None:
            yield from walk(node.value)
        elif isinstance(node, cst.Assign):
            yield node.value


def _asynchronous(model: FileModel) -> bool:
    """The file uses Orbax at all."""
    return any(name.startswith("orbax") for name in model.imports)
