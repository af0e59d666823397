"""Is the end of an asynchronous save waited for anywhere in the file?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.facts.optax import SAVES_LATER

_CLASSES = frozenset(name.rpartition(".")[2] for name in SAVES_LATER)
_SYNCHRONOUS = frozenset({"PyTreeCheckpointer", "Checkpointer", "enable_async_checkpointing"})
_HANDED_ON = frozenset({"enter_context", "callback", "closing", "register", "push"})


def nobody_waits(body: Body) -> bool:
    """No file that hangs together with this one has a word of waiting in it."""
    path, project = body.model.path, body.project
    return project is not None and not project.waited_for(path)


def made_here(body: Body) -> bool:
    """The file makes an object that saves in the background."""
    calls = (node for node in walk(body.model.tree) if isinstance(node, cst.Call))
    return any(last_word(call.func) in _CLASSES for call in calls)


def never_awaited(body: Body, name: str) -> bool:
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


def asynchronous(model: FileModel) -> bool:
    """The file uses Orbax at all."""
    return any(name.startswith("orbax") for name in model.imports)
