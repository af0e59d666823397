"""Variables of nnx: what is given by name is kept as metadata, and nothing else is done with it."""

from __future__ import annotations

from gotcha_lint.domain.value import Value
from gotcha_lint.interpret.arrays import as_arrays, canonical_dtype, dtypes_of
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.faults.remarks import METADATA, remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import steps_of

_VARIABLES = ("Param", "Variable", "BatchStat", "Cache", "LoRAParam")
_INITIALIZERS = ("init_fn", "initializer", "kernel_init")


@model(*(f"flax.nnx.{name}" for name in _VARIABLES))
def variable(call: Call) -> Value:
    """`nnx.Param(jnp.ones(8), dtype=jnp.bfloat16)` is of float32."""
    given = call.keyword("dtype")
    made = {array.dtype for array in as_arrays(call.argument(0, "value")) or []}
    asked = {canonical_dtype(name) for name in dtypes_of(given)}
    if given is not None and not given.is_none and made and None not in made and asked != made:
        types = " or ".join(sorted(map(str, made)))
        remark(call.engine, METADATA, call.span, call.short, "dtype", types)
    for name in _INITIALIZERS:
        if name in call.keywords and not _reads(call.engine, name):
            remark(call.engine, METADATA, call.span, call.short, name, "")
    return Value((), True, call.marks)


def _reads(machine: Machine, name: str) -> bool:
    """Does any module read an attribute of that name, or write the name as text?"""
    return any(
        (step[0] == "attr" and step[3] == name) or (step[0] == "const" and step[2] == name)
        for path in machine.visible
        for function in machine.modules[path].functions
        for step in steps_of(function)
    )
