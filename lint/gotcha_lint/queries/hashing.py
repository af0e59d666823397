"""How objects of a project's own classes are told apart as keys of a dictionary."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.syntax import last_word, literal
from gotcha_lint.analysis.values import OPTIMIZER, ClassId, Kind, Value
from gotcha_lint.queries.captured import is_new
from gotcha_lint.queries.jitted import Argument
from gotcha_lint.queries.places import happens_once, long_loops
from gotcha_lint.queries.plain_classes import is_plain
from gotcha_lint.rule import text_of

BY_VALUE, BY_IDENTITY, NOT_AT_ALL = "value", "identity", "none"


def hashing(body: Body, value: Value) -> str:
    """By their values, by identity, or not at all; empty where it is not known."""
    cls, project = value.cls, body.project
    if value.kind is not Kind.OBJECT or value.maybe or cls is None or project is None:
        return ""
    if cls[0] != body.model.path or not is_plain(project, body.model, cls):
        return ""
    return _of_class(project, body.model, cls)


def _of_class(project: Project, model: FileModel, cls: ClassId) -> str:
    if cls[0] != model.path:
        return ""
    summary, node = project.cls(cls), model.classes[cls[1]].node
    if "__hash__" in summary.methods:
        return BY_VALUE
    if "__hash__" in text_of(node):  # assigned, or borrowed
        return ""
    decorated = [_of_decorator(d.decorator) for d in node.decorators]
    if "?" in decorated or BY_VALUE in decorated:
        return "" if "?" in decorated else BY_VALUE
    if "__eq__" in summary.methods or NOT_AT_ALL in decorated:
        return NOT_AT_ALL
    above = {_of_class(project, model, base) for base in project.ancestors(cls)[0][1:]}
    return BY_IDENTITY if not above else above.pop() if len(above) == 1 else ""


def _of_decorator(decorator: cst.BaseExpression) -> str:
    """What `@dataclass(...)` makes of a class; `?` where that cannot be read."""
    call = decorator if isinstance(decorator, cst.Call) else None
    word = last_word(call.func if call is not None else decorator)
    if word in ("final", "total_ordering"):
        return ""
    if word != "dataclass":
        return "?"
    told = {"eq": True, "frozen": False, "unsafe_hash": False}
    for arg in call.args if call is not None else ():
        given = literal(arg.value)
        if arg.keyword is None or not isinstance(given, bool):
            return "?"
        told[arg.keyword.value] = given
    if told["unsafe_hash"] or (told["eq"] and told["frozen"]):
        return BY_VALUE
    return NOT_AT_ALL if told["eq"] else ""


def made_anew(site: Place, argument: Argument) -> bool:
    """A function or an object that equals no other, and is made each time this place is reached."""
    value, call = argument.value, site.body.call_of(site.node)
    if call is None or happens_once(site):
        return False
    if value.kind is Kind.FUNCTION:
        return is_new(call, value)
    optimizer = value.kind is Kind.OBJECT and value.of == OPTIMIZER and not value.maybe
    if not optimizer and hashing(site.body, value) != BY_IDENTITY:
        return False
    source, origin = Flowing(site.body, site.at).origin(argument.node)
    maker, loops = site.body.call_of(source), long_loops(site)
    if maker is None or (loops and (origin.at is None or loops[-1] not in origin.at.loops)):
        return False
    return maker.callee.kind is Kind.CLASS or (optimizer and maker.name.startswith("optax."))
