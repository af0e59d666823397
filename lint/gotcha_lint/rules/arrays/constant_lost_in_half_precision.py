"""Numbers of half precision: which arrays have it, and what becomes of a number in it."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Body, Call, Operate
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.halves import FILLS, HALVES, KEEPS, MAKERS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.constants import constant
from gotcha_lint.rule import Example, Report, Rule, text_of

_PLAIN = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)


class ConstantLostInHalfPrecision(Rule):
    """Puts a number into bfloat16 or float16, where it becomes 1 or 0.

    ## What happens
    Nothing fails. 0.999 is 1 in bfloat16, which has 8 bits for it, and 0.9999 is 1 in float16 too:
    `decay * average` forgets nothing, `1 - decay` is 0. The same happens to a Python number that is
    computed with an array of half precision: it takes the array's type, in `optax.ema(0.999,
    accumulator_dtype=jnp.bfloat16)` too, whose average of ones stays at 0.5. 1e-8 is 0 in float16,
    so it protects no division from zero.

    ## Instead
    Keep averages and what they are computed with in float32; in float16 an epsilon of 1e-6 or more.

    ## Not reported
    Numbers and types that are not seen in the function; what becomes another number than 1 or 0;
    tests.

    ## In a run
    Nothing: the numbers are finite. Where a zero guards a division it is `non-finite-value`.
    """

    severity = "error"
    roots = frozenset({"bfloat16", "float16"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                decay = jnp.asarray(0.999, jnp.bfloat16)  # ! constant-lost-in-half-precision
                average = decay * jnp.ones(3)
            """,
            good="""
                import jax.numpy as jnp

                decay = jnp.asarray(0.999, jnp.float32)
                average = decay * jnp.ones(3)
            """,
            shows="float(average[0]) == 1.0",
        ),
        Example(
            bad="""
                import jax.numpy as jnp

                average = jnp.ones(3)
                for step in range(100):
                    old = average.astype(jnp.bfloat16)
                    average = 0.999 * old  # ! constant-lost-in-half-precision
            """,
            good="""
                import jax.numpy as jnp

                average = jnp.ones(3)
                for step in range(100):
                    old = average.astype(jnp.float32)
                    average = 0.999 * old
            """,
            shows="float(average[0]) == 1.0",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path):
            return
        for call in site.of(Call):
            node, half = _filled(call)
            number = _number(Flowing(site, call.at), node) if node is not None else None
            if node is not None and number is not None:
                yield from _report(call.node, number, half)
        for one in site.of(Operate):
            if isinstance(one.node, cst.BinaryOperation) and isinstance(one.node.operator, _PLAIN):
                yield from _operated(one, one.node)


def _operated(site: Operate, node: cst.BinaryOperation) -> Iterator[Report]:
    flowing = Flowing(site.body, site.at)
    for scalar, other in ((node.left, node.right), (node.right, node.left)):
        number = _number(flowing, scalar)
        half = _half_of(flowing, other) if number is not None and _lost(number) else ""
        if half and number is not None:
            yield from _report(node, number, half, f" beside `{text_of(other)}`")


def _report(node: cst.CSTNode, number: float, half: str, beside: str = "") -> Iterator[Report]:
    became = _rounded(number, half)
    if became in (0.0, 1.0) and became != number:
        yield Report(node, f"{number!r}{beside} is {became:.0f} in {half}; keep it in float32")


def _lost(number: float) -> bool:
    """In either of the types: asked before types are looked for."""
    return any(_rounded(number, half) in (0.0, 1.0) != number for half in ("float16", "bfloat16"))


def _number(flowing: Flowing, node: cst.CSTNode) -> float | None:
    """A float that is written out, here or where the name is assigned."""
    found = flowing.resolve(node)
    number = literal(found)
    if number is None and isinstance(found, cst.Name) and flowing.body.function.number:
        number = literal(constant(flowing.body, found.value))
    return number if isinstance(number, float) else None


_LIBRARIES = frozenset({"jax.numpy", "numpy", "ml_dtypes"})


def _half_of(flowing: Flowing, node: cst.CSTNode) -> str:
    """`bfloat16` or `float16`, if the value is surely an array of it."""
    made, there = flowing.origin(node)
    call = there.body.call_of(made)
    if call is None or call.starred or call.decorator:
        return ""
    return _made(call)


def _filled(call: Call) -> tuple[cst.BaseExpression | None, str]:
    """The number that a call turns into half precision, and which one."""
    name = _type_name(call.name)
    if name:
        return call.arg_node(0), name
    if call.name in FILLS:
        kind = _made(call)
        place, word = FILLS[call.name]
        return (call.arg_node(place, word), kind) if kind else (None, "")
    if call.name in KEEPS:
        place, word, at, dtype = KEEPS[call.name]
        kind = _kind(call.arg(at, dtype), call.arg_node(at, dtype))
        return (call.arg_node(place, word), kind) if kind else (None, "")
    return None, ""


def _made(call: Call) -> str:
    name = _type_name(call.name)
    if name:
        return name
    if call.name.rpartition(".")[2] == "astype":
        return _kind(call.arg(0, "dtype"), call.arg_node(0, "dtype"))
    place = MAKERS.get(call.name)
    return _kind(call.arg(place, "dtype"), call.arg_node(place, "dtype")) if place else ""


def _kind(value: Value | None, node: cst.CSTNode | None) -> str:
    if value is not None and value.kind is Kind.NAMED:
        return _type_name(value.of)
    text = literal(node)
    return text if isinstance(text, str) and text in HALVES else ""


def _type_name(name: str) -> str:
    library, _, last = name.rpartition(".")
    return last if library in _LIBRARIES and last in HALVES else ""


def _rounded(number: float, half: str) -> float:
    """The number as it is in half precision."""
    if half == "float16":
        try:
            return struct.unpack("<e", struct.pack("<e", number))[0]
        except OverflowError:
            return math.copysign(math.inf, number)
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    bits += 0x7FFF + (bits >> 16 & 1)  # to the nearest, ties to even
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
