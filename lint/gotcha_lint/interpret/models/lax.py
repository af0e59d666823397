"""`jax.lax`: control flow, which calls the functions that it is given, and operations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps

from gotcha_lint.domain import affine
from gotcha_lint.domain.freshness import given_by
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import as_tracer, without_tracers
from gotcha_lint.domain.value import (
    NO_MARKS,
    UNKNOWN,
    Array,
    Elements,
    Size,
    Tuple,
    Value,
    as_affine,
    join_all,
    only,
    size_from,
)
from gotcha_lint.interpret.arrays import (
    canonical_dtype,
    dtype_of,
    elementwise,
    first_array,
    shape_from,
    weaken,
)
from gotcha_lint.interpret.call import Call, Model, alias, family, model
from gotcha_lint.interpret.events import EagerControl
from gotcha_lint.interpret.faults.carries import check_carry
from gotcha_lint.interpret.faults.half_precision import as_carried
from gotcha_lint.interpret.faults.jitted import check_stores
from gotcha_lint.interpret.heap import contents, element_of, in_module_method
from gotcha_lint.interpret.identity import identity
from gotcha_lint.interpret.keys import AXIS, again, note_undrawn
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models.carried_keys import after_loop
from gotcha_lint.interpret.models.mapped_trees import leading_size, one_of, stacked
from gotcha_lint.interpret.replicated import after_collective
from gotcha_lint.interpret.result_types import from_table
from gotcha_lint.interpret.start.backend import note_start

alias(
    {
        "flax.nnx.cond": "jax.lax.cond",
        "flax.nnx.fori_loop": "jax.lax.fori_loop",
        "flax.nnx.while_loop": "jax.lax.while_loop",
        "flax.nnx.switch": "jax.lax.switch",
    }
)
_SAME = frozenset(
    (
        "psum",
        "pmean",
        "pmax",
        "pmin",
        "ppermute",
        "pcast",
        "pvary",
        "with_sharding_constraint",
        "dynamic_update_slice",
        "dynamic_update_slice_in_dim",
        "dynamic_update_index_in_dim",
        "optimization_barrier",
        "rev",
        "sort",
        "cumsum",
        "cumprod",
        "cummax",
        "cummin",
        "cumlogsumexp",
    )
)
_ELEMENTWISE = frozenset(
    (
        *("exp", "log", "tanh", "rsqrt", "sqrt", "abs", "neg", "sign", "floor", "ceil", "round"),
        *("add", "sub", "mul", "div", "max", "min", "pow", "rem", "sin", "cos", "logistic"),
        *("square", "erf", "log1p", "expm1", "clamp", "nextafter", "atan2", "integer_pow"),
    )
)
_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "is_finite"))


def note_eager(call: Call, functions: Iterable[Value]) -> None:
    """Outside of a trace, control flow compiles once for each new body."""
    machine = call.engine
    if machine.traced or in_module_method(machine):
        return
    made_of = tuple(part for function in functions for part in identity(machine, function))
    within = machine.activation.function
    machine.note(
        EagerControl(
            call.short, machine.path, call.span, made_of, within, machine.current, machine.calls
        )
    )


def _run(machine: Machine, function: Value, args: tuple[Value, ...], span: Span) -> Value:
    """Calls a function of control flow, which gets tracers."""
    out = machine.call_traced(function, tuple(map(as_tracer, args)), span)
    return out if machine.traced else without_tracers(out)


def dispatching(of: Model) -> Model:
    """Outside of a trace, what control flow gives is computed by a dispatch of its own."""

    @wraps(of)
    def dispatch(call: Call) -> Value:
        out = of(call)
        if call.engine.traced or in_module_method(call.engine):
            return out
        note_start(call.engine, call.span)
        return given_by(out, call.origin)

    return dispatch


def _traced_index(call: Call) -> Value:
    """The counter of `fori_loop(lower, upper, ...)`."""
    last = affine.add(as_affine(call.argument(1, "upper").only), affine.constant(-1))
    elements = None if last is None else Elements(last=last)
    return only(Array("int32", True, (), "device", call.origin, None, elements))


@model("jax.lax.scan")
@dispatching
def scan(call: Call) -> Value:
    """`scan(f, init, xs, length)`: the body's carry, and its outputs along a new axis."""
    machine = call.engine
    body, init, xs = call.argument(0, "f"), call.argument(1, "init"), call.argument(2, "xs")
    note_eager(call, (body,))
    length = call.get(3, "length")
    size = leading_size(machine, xs)
    if size is None and length is not None and not length.is_none:
        size = size_from(length, call.origin)
    start = len(machine.events)
    check_stores(machine, body, "scan", set())
    carry = as_carried(machine, weaken(init), call.span)
    result = _run(machine, body, (carry, one_of(machine, xs, call.span)), call.span)
    content = contents(machine, result)
    carry = content.items[0] if isinstance(content, Tuple) and content.items else UNKNOWN
    check_carry(machine, "scan", init, carry, call.span)
    note_undrawn(machine, start, xs, call.span)
    again(
        machine, start, "scan", call.span,
        lambda: _run(machine, body, (weaken(carry), one_of(machine, xs, call.span)), call.span),
    )  # fmt: skip
    if isinstance(content, Tuple) and len(content.items) == 2:
        carry, outputs = content.items
        carry = after_loop(machine, init, carry, call.span)
        outputs = stacked(machine, outputs, size or Size(), call.span)
        return only(Tuple((carry, outputs), call.origin))
    return Value((), True, result.marks | init.marks | xs.marks)


@model("jax.lax.while_loop")
@dispatching
def while_loop(call: Call) -> Value:
    machine = call.engine
    test, body = call.argument(0, "cond_fun"), call.argument(1, "body_fun")
    init = weaken(call.argument(2, "init_val"))
    note_eager(call, (test, body))
    _run(machine, test, (init,), call.span)
    start = len(machine.events)
    out = _run(machine, body, (as_carried(machine, init, call.span),), call.span)
    check_carry(machine, "while_loop", init, out, call.span)
    again(
        machine, start, "while_loop", call.span,
        lambda: _run(machine, body, (out,), call.span),
    )  # fmt: skip
    return after_loop(machine, init, out, call.span)


@model("jax.lax.fori_loop")
@dispatching
def fori_loop(call: Call) -> Value:
    body, init = call.argument(2, "body_fun"), weaken(call.argument(3, "init_val"))
    note_eager(call, (body,))
    machine, start = call.engine, len(call.engine.events)
    carry = as_carried(machine, init, call.span)
    out = _run(machine, body, (_traced_index(call), carry), call.span)
    check_carry(machine, "fori_loop", init, out, call.span)
    again(
        machine, start, "fori_loop", call.span,
        lambda: _run(machine, body, (_traced_index(call), out), call.span),
    )  # fmt: skip
    return after_loop(machine, init, out, call.span)


@model("jax.lax.cond")
def cond(call: Call) -> Value:
    """`cond(pred, true_fun, false_fun, *operands)`: either result."""
    functions = [call.argument(1, "true_fun"), call.argument(2, "false_fun")]
    operand = call.keyword("operand")
    operands = call.args[3:] or ((operand,) if operand is not None else ())
    return _any_branch(call, functions, operands)


@model("jax.lax.switch")
def switch(call: Call) -> Value:
    """`switch(index, branches, *operands)`: any of the results."""
    content = contents(call.engine, call.argument(1, "branches"))
    if isinstance(content, Tuple):
        return _any_branch(call, content.items, call.args[2:])
    functions = [element_of(content)] if content is not None else [UNKNOWN]
    return _any_branch(call, functions, call.args[2:])


def _any_branch(call: Call, functions: Iterable[Value], operands: Iterable[Value]) -> Value:
    functions = tuple(functions)
    note_eager(call, functions)
    given = tuple(weaken(value) for value in operands)
    machine = call.engine
    around, results = machine.sides, []
    for which, function in enumerate(functions):  # one of them runs
        machine.sides = around | {call.span: which}
        results.append(_run(machine, function, given, call.span))
    machine.sides = around
    return join_all(results) if results else Value((), True, call.marks)


@model("jax.lax.map")
@dispatching
def map_over(call: Call) -> Value:
    body, xs = call.argument(0, "f"), call.argument(1, "xs")
    note_eager(call, (body,))
    machine, start = call.engine, len(call.engine.events)
    result = _run(machine, body, (one_of(machine, xs, call.span),), call.span)
    again(
        machine, start, "map", call.span,
        lambda: _run(machine, body, (one_of(machine, xs, call.span),), call.span),
    )  # fmt: skip
    return stacked(machine, result, leading_size(machine, xs) or Size(), call.span)


@model("jax.lax.associative_scan")
def associative_scan(call: Call) -> Value:
    elements = call.argument(1, "elems")
    _run(call.engine, call.argument(0, "fn"), (elements, elements), call.span)
    return elements


@model("jax.lax.custom_root", "jax.lax.custom_linear_solve")
def solved(call: Call) -> Value:
    """The functions are traced; the result has the tree of the guess or right-hand side."""
    function, other = call.argument(0, "f"), call.argument(1, "initial_guess")
    _run(call.engine, function, (weaken(other),), call.span)
    return other


@model("jax.lax.reduce", "jax.lax.reduce_window")
def reduced(call: Call) -> Value:
    call.engine.equations += 1
    array = first_array(call.argument(0, "operands"))
    return only(Array(array.dtype, False, None, "device", call.origin), call.marks)


@model("jax.lax.axis_index", "jax.lax.axis_size")
def axis_index(call: Call) -> Value:
    call.engine.equations += 1
    marks = frozenset({(AXIS, call.origin)}) if call.short == "axis_index" else NO_MARKS
    return only(Array("int32", False, (), "device", call.origin), marks)


@model("jax.lax.top_k")
def top_k(call: Call) -> Value:
    found = from_table(call, call.name, call.args)
    if found is not None:
        return found
    call.engine.equations += 1
    array, count = first_array(call.argument(0, "operand")), size_from(call.argument(1, "k"))
    shape = (*array.shape[:-1], count) if array.shape else None
    values = only(Array(array.dtype, False, shape, "device", call.origin), call.marks)
    indices = only(Array("int32", False, shape, "device", call.origin), call.marks)
    return only(Tuple((values, indices), call.origin))


@family("jax.lax.")
def operation(call: Call) -> Value:
    """By the table, or where it has no answer by hand."""
    return after_collective(call, _computed(call))


def _computed(call: Call) -> Value:
    found = from_table(call, call.name, call.args)
    if found is not None:
        return found
    call.engine.equations += 1
    name = call.short
    if name in _SAME:
        return call.args[0] if call.args else Value((), True, call.marks)
    if name in _ELEMENTWISE:
        return elementwise(call.engine, call.args, call.span, False)
    if name in _COMPARISONS:
        return elementwise(call.engine, call.args, call.span, False, "bool")
    if name == "select" and len(call.args) == 3:
        return elementwise(call.engine, call.args[1:], call.span, False)
    if name in ("dynamic_slice", "convert_element_type", "reshape", "broadcast"):
        return _shaped(call, name)
    return only(Array(None, False, None, "device", call.origin), call.marks)


def _shaped(call: Call, name: str) -> Value:
    machine, array = call.engine, first_array(call.argument(0, "operand"))
    marks = call.args[0].marks if call.args else NO_MARKS
    shape, dtype = array.shape, array.dtype
    if name == "dynamic_slice":
        shape = shape_from(machine, call.argument(2, "slice_sizes"))
    elif name == "reshape":
        shape = shape_from(machine, call.argument(1, "new_sizes"))
    elif name == "broadcast":
        before = shape_from(machine, call.argument(1, "sizes"))
        shape = None if shape is None or before is None else (*before, *shape)
    else:
        dtype = canonical_dtype(dtype_of(call.argument(1, "new_dtype")))
    return only(Array(dtype, False, shape, "device", call.origin), marks)
