"""What a `TrainState` of Flax was created with: the tree of its parameters, and whose `apply`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.trees import structure
from gotcha_lint.analysis.values import UNKNOWN, ClassId, Kind, Kwargs, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

OWN: ClassId = (TRAIN_STATE, -1)  # Flax's own class


def note_created(flow: Flow, node: cst.CSTNode, cls: ClassId, kwargs: Kwargs) -> None:
    """`State.create(apply_fn=model.apply, params=variables["params"], ...)`."""
    if "params" in kwargs:
        tree = Value(Kind.TREE, of=structure(kwargs["params"]))
        flow.effect(("created", cls, "params"), tree)
    if "apply_fn" in kwargs:
        model = _whose_apply(flow, node)
        flow.effect(("created", cls, "apply_fn"), Value(maybe=True, self_=model))


def _whose_apply(flow: Flow, node: cst.CSTNode) -> tuple[Value, ...]:
    """The model of `apply_fn=model.apply`; nothing where it is another function."""
    for arg in node.args if isinstance(node, cst.Call) else ():
        if arg.keyword is None or arg.keyword.value != "apply_fn":
            continue
        if isinstance(arg.value, cst.Attribute) and dotted(arg.value) is not None:
            model = flow.eval(arg.value.value)
            if model.kind is Kind.OBJECT and arg.value.attr.value == "apply":
                return (model._replace(param="", ident=0, tracer=False, site=None),)
    return ()


def of_created(flow: Flow, base: Value, name: str, value: Value) -> Value:
    """The attribute of a state, with what is known from where such states are created."""
    if name not in ("params", "apply_fn") or base.kind is not Kind.OBJECT or value.of:
        return value
    cls = OWN if base.of == TRAIN_STATE else base.cls
    told = UNKNOWN if cls is None else flow.view.get(("created", cls, name)) or UNKNOWN
    if name == "params":
        return value._replace(of=told.of) if value.kind is Kind.TREE and told.of else value
    return value._replace(self_=told.self_) if value.kind is Kind.UNKNOWN and told.self_ else value
