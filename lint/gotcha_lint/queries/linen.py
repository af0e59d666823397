"""`apply` of linen modules: what is mutable, and what becomes of the result."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal, names_in, walk

_EVALUATION = {"train": False, "training": False, "is_training": False}
_EVALUATION |= {"use_running_average": True}
_METHODS = frozenset({"apply", "apply_fn"})


def is_apply(site: Call) -> bool:
    """`model.apply(...)` or `state.apply_fn(...)`."""
    func = site.node.func
    name = (
        func.attr.value
        if isinstance(func, cst.Attribute)
        else func.value
        if isinstance(func, cst.Name)
        else ""
    )
    return name in _METHODS and not site.decorator


def mutable_collections(site: Call) -> tuple[str, ...] | None:
    """The collections named by `mutable=[...]`: with them `apply` returns a tuple."""
    node = site.arg_node(-1, "mutable")
    value = literal(node)
    if isinstance(value, tuple) and isinstance(node, cst.List | cst.Tuple):
        return tuple(name for name in value if isinstance(name, str))
    return (value,) if isinstance(value, str) else None


def assignment(site: Call) -> cst.BaseExpression | None:
    """The one target that the result is assigned to."""
    statement = site.at.statement
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    match statement.body[0]:
        case cst.Assign(targets=[target], value=value) if value is site.node:
            return target.target
    return None


def first_of_result(site: Call) -> cst.CSTNode | None:
    """`model.apply(...)[0]`, which drops the second."""
    match site.at.statement:
        case cst.SimpleStatementLine(body=[cst.Assign(value=value) | cst.Return(value=value)]):
            match value:
                case cst.Subscript(
                    value=base,
                    slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))],
                ) if base is site.node:
                    return value
    return None


def as_in_evaluation(site: Call) -> bool:
    """`train=False`: nothing is updated, whatever is mutable."""
    told = {arg.keyword.value: literal(arg.value) for arg in site.node.args if arg.keyword}
    return any(told.get(name) is value for name, value in _EVALUATION.items())


def of_a_copy(site: Call) -> bool:
    """A target network, say, which is given its statistics together with its parameters."""
    variables = site.arg_node(0)
    words = (name.lower() for name in names_in(variables)) if variables is not None else ()
    return any(word.startswith(_COPIES) for name in words for word in name.split("_"))


_COPIES = ("target", "ema", "teacher")


def second_target(site: Call) -> cst.BaseExpression | None:
    """`state` of `y, state = model.apply(...)`."""
    target = assignment(site)
    if isinstance(target, cst.Tuple) and len(target.elements) == 2:
        return target.elements[1].value
    return None


def lacks(site: Call, *words: str) -> bool:
    """The module that is applied stands in this file, and names nothing with one of these words."""
    cls, project = site.base.cls if site.base is not None else None, site.body.project
    if cls is None or cls[0] != site.body.model.path:
        return False
    if project is not None and project.is_a(cls, TRAIN_STATE):
        return False  # `state.apply_fn` is a method of another class
    names = (n.value for n in walk(site.body.model.classes[cls[1]].node) if isinstance(n, cst.Name))
    return not any(word in name.lower() for name in names for word in words)
