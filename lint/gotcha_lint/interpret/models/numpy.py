"""NumPy: arrays on the host."""

from __future__ import annotations

import math
from dataclasses import replace

from gotcha_lint.domain.value import Array, Constant, Value, only
from gotcha_lint.interpret.call import Call, alias, family, model
from gotcha_lint.interpret.host import on_host, read
from gotcha_lint.interpret.models.array_functions import array_call

alias(
    {
        "numpy.float_": "numpy.float64",
        "numpy.int_": "numpy.int64",
        "numpy.double": "numpy.float64",
        "numpy.single": "numpy.float32",
        "numpy.half": "numpy.float16",
        "numpy.bool_": "numpy.bool",
        "numpy.concat": "numpy.concatenate",
    }
)
_EXACT = frozenset(("ceil", "floor", "sqrt", "log2", "log", "log10", "exp"))


@family("numpy.")
def host_array(call: Call) -> Value:
    known = _of_number(call)
    if known is not None:
        return known
    whole = call.short in ("asarray", "array")
    seen = read(call.engine, call.args, call.span, f"np.{call.short}", symbols=whole)
    if not seen:
        return array_call(call, True)
    args = tuple(on_host(call.engine, value, seen, call.span) for value in call.args)
    return array_call(replace(call, args=args), True)


def _of_number(call: Call) -> Value | None:
    """`np.ceil(n / b)` of numbers that are known is a number that is known."""
    if call.short not in _EXACT or len(call.args) != 1 or call.keywords:
        return None
    number = call.args[0].constant
    if type(number) not in (int, float):
        return None
    try:
        result = float(getattr(math, call.short)(number))
    except (ValueError, OverflowError):
        return None
    return only(Constant(result, "float", call.origin), call.args[0].marks)


@model("numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile", "numpy.frombuffer")
def loaded(call: Call) -> Value:
    """What a file holds is not known."""
    return only(Array(None, False, None, "host", call.origin), call.marks)


@model("numpy.save", "numpy.savez", "numpy.savez_compressed", "numpy.set_printoptions")
def nothing(call: Call) -> Value:
    return only(Constant(None, "NoneType"))
