from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import names_in, target_names, walk
from gotcha_lint.facts.optax import TAKE_SCHEDULES
from gotcha_lint.queries.expected import is_test
from gotcha_lint.queries.returned import function_of
from gotcha_lint.rule import Example, Report, Rule

_CAREFUL = frozenset({"isinstance", "is_concrete", "disable_jit", "Tracer", "hasattr"})
_COMPARES = (cst.Is, cst.IsNot, cst.In, cst.NotIn)


class SchedulePythonIf(Rule):
    """Gives Optax a learning rate schedule with a Python `if` on its step.

    ## What happens
    The optimizer calls the schedule with its own count of steps, which is traced once the update is
    compiled: `TracerBoolConversionError: Attempted boolean conversion of traced array with shape
    bool[].` Called by hand, or without `jit`, it works.

    ## Instead
    `jnp.where(step < 1000, 0.1, 0.01)`, `optax.piecewise_constant_schedule`, or
    `optax.join_schedules`.

    ## Not reported
    Conditions on anything but the step.
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
        given = site.arg(0, "learning_rate", "step_size_fn")
        function = function_of(site.body, given) if given is not None and not given.via else None
        if given is None or function is None or given.self_ or given.bound or given.bound_names:
            return
        test = _first_test(function)
        if test is not None:
            yield Report(
                test,
                f"`{site.name}` calls this function with its count of steps, which is traced under "
                "`jit`: use `jnp.where`",
                places=((site.node, "given to the optimizer"),),
            )


def _first_test(function: Function) -> cst.CSTNode | None:
    """The first condition that asks for a number made of the step."""
    if len(function.params) != 1 or function.is_generator:
        return None
    if names_in(function.node) & _CAREFUL:
        return None
    stepping = _made_of(function, function.params[0].name)
    for node in walk(function.node, into_functions=False):
        if isinstance(node, cst.If | cst.IfExp | cst.While) and _asks(node.test, stepping):
            return node.test
    return None


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
