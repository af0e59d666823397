from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.random import SEEDS
from gotcha_lint.facts.seeds import BITS, LONG, LONG_ATTRIBUTES, SHORTENS
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Example, Report, Rule, text_of

_FOLD = "jax.random.fold_in"
_WORD, _SIGNED = 2**32, 2**63
_DEEP = 12


class SeedOverflow(Rule):
    """Gives a seed, or a number to fold into a key, that needs more than 32 bits.

    ## What happens
    `jax.random.key` keeps the low 32 bits of a seed: `key(2**40)` is `key(0)`, and of `key(rank <<
    32 | seed)` the rank is gone, so that every rank draws the same numbers, without a message. From
    2**63 on, as with `uuid4().int`, it is `OverflowError: Python int too large to convert to C
    long`. `fold_in` raises for all that is not within 32 bits, and for negative numbers:
    `OverflowError: Python integer 4294967297 out of bounds for uint32`; `hash("name")`,
    `time.time_ns()` and the integer of a digest are.

    ## Instead
    `jax.random.fold_in(jax.random.key(seed), rank)` for two numbers; `zlib.crc32(name.encode())`
    for a name, `number % 2**32` or `& 0xFFFFFFFF` for a large one.

    ## Not reported
    Numbers whose size is not seen in the function; seeds from the clock, whose low bits are as good
    as all; seeds in files that switch 64 bits on, where `key` keeps them all; tests.

    ## In a run
    Nothing, unless it raises.
    """

    severity = "error"
    preview = True
    roots = frozenset({"key", "PRNGKey", "fold_in"})
    examples = (
        Example(
            bad="""
                import jax

                keys = [jax.random.key(rank << 32 | 7) for rank in range(2)]  # ! seed-overflow
                first, second = (jax.random.normal(key) for key in keys)
            """,
            good="""
                import jax

                keys = [jax.random.fold_in(jax.random.key(7), rank) for rank in range(2)]
                first, second = (jax.random.normal(key) for key in keys)
            """,
            shows="bool(first == second)",
        ),
        Example(
            bad="""
                import time

                import jax

                key = jax.random.fold_in(jax.random.key(0), time.time_ns())  # ! seed-overflow
            """,
            good="""
                import time

                import jax

                key = jax.random.fold_in(jax.random.key(0), time.time_ns() % 2**32)
            """,
            raises="OverflowError",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in SEEDS and site.name != _FOLD:
            return
        folds = site.name == _FOLD
        node = site.arg_node(1, "data") if folds else site.arg_node(0, "seed")
        if node is None or is_test(site.body.model.path):
            return
        if expected_to_fail(site.body, site.node):
            return
        flowing = Flowing(site.body, site.at)
        message = _folded(flowing, node) if folds else _seeded(flowing, node)
        if message:
            yield Report(node, message)


def _folded(flowing: Flowing, node: cst.BaseExpression) -> str:
    what = _long(flowing, node, _DEEP)
    number = _number(flowing, node)
    if number is not None and not 0 <= number < _WORD:
        what = f"{number}"
    return f"{what} is not within 32 bits: `fold_in` raises OverflowError" if what else ""


def _seeded(flowing: Flowing, node: cst.BaseExpression) -> str:
    number = _number(flowing, node)
    if number is not None and not -_SIGNED <= number < _SIGNED:
        return "a seed from 2**63 on raises OverflowError"
    what = _long(flowing, node, _DEEP)
    if what.endswith(LONG_ATTRIBUTES):
        return f"{what} has 128 bits: OverflowError"
    lost = _shifted(flowing, node, _DEEP)
    if number is not None and not -_WORD < number < _WORD:
        message = f"a key keeps the low 32 bits of a seed: this is seed {number % _WORD}"
    elif lost is not None:
        message = f"a key keeps the low 32 bits of a seed: `{text_of(lost)}` is lost"
    else:
        return ""
    return "" if _has_x64(flowing.body) else message


def _number(flowing: Flowing, node: cst.CSTNode) -> int | None:
    """An integer that is written out: `2**40`, `1 << 35`, `-1`."""
    found = flowing.resolve(node)
    plain = literal(found)
    if isinstance(plain, int) and not isinstance(plain, bool):
        return plain
    match found:
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            one, other = literal(left), literal(right)
            if isinstance(one, int) and isinstance(other, int) and 0 <= other < 512:
                if isinstance(operator, cst.Power):
                    return one**other
                if isinstance(operator, cst.LeftShift):
                    return one << other
    return None


def _shifted(flowing: Flowing, node: cst.CSTNode, deep: int) -> cst.CSTNode | None:
    """The part of a sum whose bits are all above the 32nd: `rank << 32`, `rank * 2**32`."""
    if deep == 0:
        return None
    match flowing.resolve(node):
        case cst.BinaryOperation(left=left, operator=cst.LeftShift(), right=right) as shift:
            by = _number(flowing, right)
            return shift if by is not None and by >= BITS and literal(left) is None else None
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.BitOr() | cst.BitXor(), right=right
        ):
            return _shifted(flowing, left, deep - 1) or _shifted(flowing, right, deep - 1)
        case cst.BinaryOperation(left=left, operator=cst.Multiply(), right=right) as product:
            factors = [n for n in (_number(flowing, left), _number(flowing, right)) if n]
            return product if len(factors) == 1 and factors[0] % _WORD == 0 else None
    return None


def _long(flowing: Flowing, node: cst.CSTNode, deep: int) -> str:
    """The source of a number that is surely, or nearly so, above 32 bits."""
    found, there = flowing.origin(node)
    if deep == 0:
        return ""
    match found:
        case cst.Attribute(attr=cst.Name(word)) if word in LONG_ATTRIBUTES:
            made, _ = there.origin(found.value)
            call = flowing.body.call_of(made)
            return text_of(found) if call is not None and call.name.startswith("uuid.") else ""
        case cst.BinaryOperation(
            left=left, operator=cst.Add() | cst.BitXor() | cst.BitOr(), right=right
        ):
            return _long(there, left, deep - 1) or _long(there, right, deep - 1)
        case cst.Call():
            return _called(there, found, deep)
    return ""


def _called(flowing: Flowing, node: cst.Call, deep: int) -> str:
    call = flowing.body.call_of(node)
    if call is None or not call.name:
        return ""
    if call.name in SHORTENS and len(node.args) == 1:
        return _long(flowing, node.args[0].value, deep - 1)
    if call.name == "builtins.int" and len(node.args) == 2 and literal(node.args[1].value) == 16:
        text = text_of(node.args[0].value)
        return text_of(node) if text.endswith("hexdigest()") else ""
    if call.name == "builtins.hash":
        return text_of(node) if call.args and _hashes_text(call) else ""
    bits = literal(call.arg_node(0, "k")) if LONG.get(call.name) else None
    if bits is None:
        return text_of(node) if LONG.get(call.name) is False else ""
    return text_of(node) if isinstance(bits, int) and bits > BITS else ""


def _hashes_text(call: Call) -> bool:
    """Small integers hash to themselves; text and tuples do not."""
    node = call.node.args[0].value
    if isinstance(
        node, cst.SimpleString | cst.FormattedString | cst.ConcatenatedString | cst.Tuple
    ):
        return True
    return call.args[0].of in ("str", "tuple", "bytes")


def _has_x64(body: Body) -> bool:
    text = body.model.tree.code
    return "enable_x64" in text or "ENABLE_X64" in text
