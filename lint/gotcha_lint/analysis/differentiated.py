"""Which parameters a gradient runs through, told from function to function.

A function that is given to `grad` knows it from there. One that it calls is told here, if what it
is given depends on them and what it gives back reaches the loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gotcha_lint.analysis.filling import filled, still_free
from gotcha_lint.analysis.flowing import LIKELY, RESULT
from gotcha_lint.analysis.limits import is_guarded
from gotcha_lint.analysis.reaching import Reaching
from gotcha_lint.analysis.roles import GRADS, functions_of
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import UNKNOWN, FunctionId, Kind, Value, Via, defined
from gotcha_lint.facts import Transform

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_NO_NUMBERS = frozenset(
    {Kind.NONE, Kind.STATIC, Kind.HOST, Kind.KEY, Kind.FUNCTION, Kind.CLASS, Kind.NAMED}
)
# The place of the first operand, and that of the parameter that it fills.
_OPERANDS = {"scan": (1, 0), "map": (1, 0), "fori": (3, 1), "cond": (3, 0), "switch": (2, 0)}
_OTHER_RULES = GRADS | {"custom", "eval_shape", "make_jaxpr"}


def given_to_grad(flow: Flow, target: FunctionId, wrt: frozenset[str], via: Via) -> None:
    """The loss is what it returns, or the first of it."""
    first, whole = f"{RESULT}0", RESULT
    results = {first, whole} if not via.shaped else {first} if via.has_aux else {whole}
    if wrt:
        flow.effect(("graded", target), wrt | results)


def pass_on(flow: Flow) -> None:
    """At the end of a function: tells those that it calls."""
    body = flow.body
    trace = body.trace
    if trace is None or "custom" in trace.roles:
        return
    if "module" not in trace.roles and trace.roles.isdisjoint(GRADS):
        return
    body.graded = flow.view.get(("graded", flow.id)) or frozenset()
    if not body.graded and "module" not in trace.roles:
        return
    flowing = Reaching(body)
    for call in body.of(Call):
        function = _called(flow, call)
        for target in function.targets:
            _tell(flow, flowing, call, function, target)
        row = flow.facts.get(call.name).transform if call.name else None
        if row is not None and row.role in _OPERANDS and row.gives == "result":
            _tell_body(flow, flowing, call, row)


def _called(flow: Flow, call: Call) -> Value:
    """A function of the project that is differentiated with the one that calls it."""
    callee = call.callee
    if callee.kind is Kind.OBJECT and callee.cls is not None:
        method = flow.project.method(callee.cls, "__call__")
        return defined(method)._replace(bound=1, self_=(callee,)) if method else UNKNOWN
    other = any(via.name in _OTHER_RULES for via in callee.via)
    return callee if callee.kind is Kind.FUNCTION and not other else UNKNOWN


def _tell(flow: Flow, flowing: Reaching, call: Call, function: Value, target: FunctionId) -> None:
    names = {
        name
        for name, node, value in filled(flow.project, target, function, call)
        if value.kind not in _NO_NUMBERS
        and flowing.from_parameters(node)
        and not is_guarded(flowing, node)
    }
    if function.self_ and flowing.from_parameters(call.node.func):
        names |= {param[0] for param in flow.project.function(target).params[:1]}
    if names and target != flow.id and (results := flowing.results(call.node)):
        _effect(flow, target, names | results)


def _tell_body(flow: Flow, flowing: Reaching, call: Call, row: Transform) -> None:
    """`lax.scan(body, carry, xs)`: what depends on one of them depends on it in the next turn."""
    first, place = _OPERANDS[row.role]
    operands = [arg.value for arg in call.node.args if arg.keyword is None and not arg.star][first:]
    given = [flowing.from_parameters(node) for node in operands]
    if not any(given) or not flowing.results(call.node):
        return
    for function in functions_of(row, call.args, call.kwargs):
        for target in function.targets:
            left = [
                p[0] for p in still_free(flow.project, target, function) if p[1] == "positional"
            ]
            turns = row.role in ("scan", "fori")
            parts = enumerate(zip(left[place:], given, strict=False))  # the carry, then the data
            names = {name for n, (name, one) in parts if one or (turns and n == 0)}
            _effect(flow, target, names | {RESULT, f"{RESULT}0", f"{RESULT}1"})


def _effect(flow: Flow, target: FunctionId, told: set[str]) -> None:
    own = flow.body.graded
    doubt = set[str]() if own and LIKELY not in own else {LIKELY}
    flow.effect(("graded", target), frozenset(told | doubt))
