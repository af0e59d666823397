from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, names_in, target_names, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.optax import TAKE_SCHEDULES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.returned import function_of
from gotcha_lint.rule import Example, Report, Rule

_CAREFUL = frozenset({"isinstance", "is_concrete", "disable_jit", "Tracer", "hasattr"})
_RATE = ("learning_rate", "step_size_fn")
_COMPARING = frozenset({"min", "max"})
_COMPARES = (cst.Is, cst.IsNot, cst.In, cst.NotIn)


class SchedulePythonIf(Rule):
    """Gives Optax a learning rate schedule with a Python `if`, `min` or `max` of its step.

    ## What happens
    The optimizer calls the schedule with its own count of steps, which is traced once the update is
    compiled: `TracerBoolConversionError: Attempted boolean conversion of traced array with shape
    bool[].` Called by hand, or without `jit`, it works.

    ## Instead
    `jnp.where(step < 1000, 0.1, 0.01)`, `optax.piecewise_constant_schedule`, or
    `optax.join_schedules`.

    ## Not reported
    Conditions on anything but the step. Schedules that another file defines.
    """

    severity = "error"
    preview = True
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax


                def schedule(step):
                    if step < 1000:  # ! schedule-python-if
                        return 0.1
                    return 0.01


                tx = optax.sgd(schedule)
                params = jnp.ones(3)
                updates, state = jax.jit(tx.update)(params, tx.init(params))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax


                def schedule(step):
                    return jnp.where(step < 1000, 0.1, 0.01)


                tx = optax.sgd(schedule)
                params = jnp.ones(3)
                updates, state = jax.jit(tx.update)(params, tx.init(params))
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in TAKE_SCHEDULES or is_test(site.body.model.path):
            return
        for function in _schedules(site):
            test = _first_test(function)
            if test is not None:
                yield Report(
                    test,
                    f"`{site.name}` calls this function with its count of steps, which is traced "
                    "under `jit`: use `jnp.where`",
                    places=((site.node, "given to the optimizer"),),
                )


def _schedules(site: Call) -> Iterator[Function]:
    """What the optimizer calls: a schedule, or those that `optax.join_schedules` puts together."""
    given, node = site.arg(0, *_RATE), site.arg_node(0, *_RATE)
    function = _called(site.body, given) if given is not None else None
    if function is not None:
        yield function
    made = site.body.call_of(Flowing(site.body, site.at).resolve(node)) if node else None
    if made is None or made.name != "optax.join_schedules" or made.starred:
        return
    match made.arg_node(0, "schedules"):
        case cst.List(elements=parts) | cst.Tuple(elements=parts):
            for part in parts:
                match lookup(site.body.function.scope, dotted(part.value) or ""):
                    case [Function() as one] if len(one.params) == 1:
                        yield one


def _called(body: Body, given: Value) -> Function | None:
    """A function of this file with the step as its one parameter, or the method of an object."""
    if given.via or given.bound or given.bound_names:
        return None
    if given.kind is Kind.OBJECT and given.cls is not None and body.project is not None:
        method = body.project.method(given.cls, "__call__")
        known = method is not None and method[0] == body.model.path and not given.maybe
        function = body.model.functions[method[1]] if known and method is not None else None
        return function if function is not None and len(function.params) == 2 else None
    function = function_of(body, given) if not given.self_ else None
    return function if function is not None and len(function.params) == 1 else None


def _first_test(function: Function) -> cst.CSTNode | None:
    """The first condition that asks for a number made of the step."""
    if function.is_generator or names_in(function.node) & _CAREFUL:
        return None
    stepping = _made_of(function, function.params[-1].name)
    for node in walk(function.node, into_functions=False):
        if isinstance(node, cst.If | cst.IfExp | cst.While) and _asks(node.test, stepping):
            return node.test
        if isinstance(node, cst.Call) and _is_smallest(function, node, stepping):
            return node
    return None


def _is_smallest(function: Function, node: cst.Call, names: frozenset[str]) -> bool:
    """Python's own `min(1.0, step / warmup)`, which compares."""
    word = dotted(node.func) or ""
    if word not in _COMPARING or len(node.args) < 2 or lookup(function.scope, word):
        return False
    return any(not names.isdisjoint(_numbers(arg.value)) for arg in node.args)


def _made_of(function: Function, step: str) -> frozenset[str]:
    """The names that hold a number made of the step, whatever else they hold."""
    names = {step}
    for node in walk(function.node, into_functions=False):
        if isinstance(node, cst.Assign) and not names.isdisjoint(_numbers(node.value)):
            names.update(n.value for t in node.targets for n in target_names(t.target))
    return frozenset(names)


def _numbers(node: cst.CSTNode) -> set[str]:
    """The names in plain arithmetic: what a call or an index gives is not known here."""
    match node:
        case cst.Name(value=name):
            return {name}
        case cst.BinaryOperation(left=left, right=right):
            return _numbers(left) | _numbers(right)
        case cst.UnaryOperation(expression=inner):
            return _numbers(inner)
    return set()


def _asks(test: cst.CSTNode, names: frozenset[str]) -> bool:
    match test:
        case cst.Comparison(left=left, comparisons=parts):
            if any(isinstance(part.operator, _COMPARES) for part in parts):
                return False
            every = [left, *(part.comparator for part in parts)]
            return any(not names.isdisjoint(_numbers(one)) for one in every)
        case cst.BooleanOperation(left=left):
            return _asks(left, names)  # what stands on the right may never be asked
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return _asks(inner, names)
    return not names.isdisjoint(_numbers(test))
