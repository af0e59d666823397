"""Means over all positions of values that a mask has set to zero at some (floor `patterns`).

What a mask is, is read from names (`loss_mask`, `batch["valid"]`), from comparisons with what pads
(`tokens != pad_id`), and from comparisons of positions with a length. A product with it stays
masked under what keeps zero: another product, a square, a difference of two such. It
under-approximates: where a name or an operation is not understood there is no finding, and
neither where the mean is scaled by a sum or mean of a mask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.reader import Reader, memoised

_DEPTH = 24  # steps from a value to the mask
_MEANS = frozenset(("mean", "median", "quantile", "percentile", "average"))
_WORDS = frozenset(("mask", "masks", "valid", "padmask"))
_ENDS = frozenset(("done", "dones", "terminal", "terminals"))  # an episode ends, and so masks
_OTHERS = frozenset(  # words of names that say something about a mask, and are none
    ("ratio", "prob", "probs", "rate", "token", "tokens", "id", "ids", "value", "idx", "index",
     "fn", "size", "shape", "len", "length", "key", "rng",
     "loss", "losses", "coef", "weight", "scale",
     "logits", "bias", "dropout", "dim", "count", "sum", "mean", "acc", "accuracy")
)  # fmt: skip
_COUNTS = frozenset(("num", "n", "is", "has", "use", "no"))
_PADS = frozenset(("pad", "padding", "ignore", "ignored"))
_LENGTHS = frozenset(("length", "lengths", "len", "lens"))
_IGNORED = (-100, -1)  # labels that do not count
_SHAPING = frozenset(
    ("astype", "reshape", "expand_dims", "squeeze", "asarray", "array", "broadcast_to", "float32",
     "ravel", "flatten", "transpose", "swapaxes", "stop_gradient", "logical_not", "repeat")
)  # fmt: skip
_KEEP_ZERO = frozenset(("square", "abs", "absolute", "negative", "stop_gradient", "astype"))
_DRAWS = frozenset(("bernoulli", "uniform", "choice", "binomial", "randint", "permutation"))
_SUMS = frozenset(("sum", "mean", "count_nonzero"))
_SIZES = frozenset(("len", "size"))


@dataclass(frozen=True)
class MaskedMean:
    """`name`: of the operation; `product`: where the mask comes in; `mask`: as it is called."""

    name: str
    span: Span
    product: Span
    mask: str
    certain: bool


@dataclass(frozen=True)
class _Mask:
    name: str
    certain: bool
    spread: bool = False  # along a last axis of its own, as in `mask[:, None]`


@dataclass(frozen=True)
class _Masked:
    mask: _Mask
    product: Span


def masked_means(function: Function) -> Iterator[MaskedMean]:
    """The means of a function, those of inner functions apart."""
    code = steps_of(function)
    if _MEANS.isdisjoint(_callees(code)):
        return
    reader = _Reader(function)
    for call in code:
        if call[0] != "call":
            continue
        name = reader.function_of(call)
        operand = reader.operand(call) if name in _MEANS else None
        if operand is None or not _over_all(reader, call, name):
            continue
        found = reader.masked(operand, 0)
        if found is not None and not reader.is_scaled(call[1]):
            mask = found.mask
            certain = mask.certain and not reader.averages(mask.name)
            yield MaskedMean(name, call[-1], found.product, mask.name, certain)


def _callees(code: tuple[Instruction, ...]) -> Iterator[str]:
    for i in code:
        if i[0] == "attr":
            yield i[3]
        elif i[0] == "load":
            yield i[2]


def _over_all(reader: _Reader, call: Instruction, name: str) -> bool:
    """Without an axis, weights, and a mask of its own."""
    given = {key for key, _ in call[4]}
    if not given <= {"dtype", "q", "a"}:
        return False
    count = len(call[3]) + (1 if reader.is_method(call) else 0)
    return count <= (2 if name in ("quantile", "percentile") else 1)


class _Reader(Reader):
    """What of it is a mask, what was masked, and what counts.

    What is known of an instruction is kept: a value may be used at many places.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self._masks: dict[tuple[Register, str], _Mask | None] = {}
        self._masked: dict[Register, _Masked | None] = {}
        self._counts: dict[Register, bool] = {}

    # masks

    def mask(self, register: Register, depth: int) -> _Mask | None:
        i = self.made(register)
        if i is None or depth > _DEPTH:
            return None
        named = self._named(register)
        key = i[1], "" if named is None else named.name
        return memoised(self._masks, key, None, lambda: self._mask_as(i, named, depth))

    def _mask_as(self, i: Instruction, named: _Mask | None, depth: int) -> _Mask | None:
        found = self._mask_of(i, depth)
        if found is not None:
            return found if named is None else replace(found, name=named.name)
        called = i[0] == "call" and self.function_of(i) not in _DRAWS
        is_test = i[0] == "compare" and self._is_of_labels(i)
        return named if called or is_test else None

    def _named(self, register: Register) -> _Mask | None:
        i = self.makers.get(register)
        return _of_name(i[2]) if i is not None and i[0] == "load" else None

    def _mask_of(self, i: Instruction, depth: int) -> _Mask | None:
        operation = i[0]
        if operation == "load":
            return _of_name(i[2])
        if operation == "attr":
            return _of_name(i[3])
        if operation == "item":
            return self._part(i, depth)
        if operation == "compare":
            return self._compared(i)
        if operation == "unop":
            return self.mask(i[3], depth + 1) if i[2] in ("Invert", "Not") else None
        if operation == "binop":
            return self._combined(i, depth)
        if operation == "call":
            return self._shaped(i, depth)
        return None

    def _part(self, i: Instruction, depth: int) -> _Mask | None:
        key = self.makers.get(i[3])
        if key is not None and key[0] == "const" and isinstance(key[2], str):
            return _of_name(key[2])
        base = self.mask(i[2], depth + 1)
        parts = [key]
        if key is not None and key[0] == "build":
            parts = [self.makers.get(part) for _, part in key[3]]
        if base is None or not all(part is not None for part in parts):
            return base
        last = parts[-1]
        spread = last is not None and (
            (last[0] == "const" and last[2] is None) or (last[0] == "attr" and last[3] == "newaxis")
        )
        return _Mask(base.name, base.certain, base.spread or spread)

    def _compared(self, i: Instruction) -> _Mask | None:
        _, _, operator, left, right, _ = i
        for side, other in ((left, right), (right, left)):
            by, made = self.makers.get(side), self.made(other)
            if by is None or made is None:
                continue
            while by is not None and by[0] == "item":  # `lengths[:, None]`
                by = self.makers.get(by[2])
            words = set(_words(_name(by)))
            if (
                by is not None
                and operator in ("Eq", "NotEq")
                and (words & _PADS or self._number(by) in _IGNORED)
            ):
                bound = _name(by) or str(self._number(by))
                return _Mask(f"{_name(made) or 'labels'} {_SIGNS[operator]} {bound}", True)
            if made[0] == "call" and self.function_of(made) == "arange":
                return _Mask("positions", True) if words & _LENGTHS else None
        return None

    def _is_of_labels(self, i: Instruction) -> bool:
        """`labels >= 0`: what is given is compared with a number."""
        made, by = self.made(i[3]), self.makers.get(i[4])
        given = made is not None and made[0] in ("load", "attr", "item")
        return given and by is not None and type(self._number(by)) is int

    def _number(self, i: Instruction) -> object:
        if i[0] == "unop" and i[2] == "USub":
            inner = self.makers.get(i[3])
            number = inner[2] if inner is not None and inner[0] == "const" else None
            return -number if isinstance(number, int) else None
        return i[2] if i[0] == "const" and type(i[2]) is int else None

    def _combined(self, i: Instruction, depth: int) -> _Mask | None:
        _, _, operator, left, right, _ = i
        one = self.makers.get(left)
        if operator == "Sub" and one is not None and one[0] == "const" and one[2] == 1:
            inner = self.mask(right, depth + 1)
            if inner is not None:
                return inner
            end = self._end(right, depth)
            return None if end is None else _Mask(end[0], False, end[1])
        if operator in ("Mult", "BitAnd"):
            first, second = self.mask(left, depth + 1), self.mask(right, depth + 1)
            if first is not None and (second is not None or self._is_test(right)):
                return first
            if second is not None and self._is_test(left):
                return second
        return None

    def _is_test(self, register: Register) -> bool:
        i = self.made(register)
        return i is not None and i[0] == "compare"

    def _end(self, register: Register, depth: int) -> tuple[str, bool] | None:
        """`done[:, None]`, and whether it is spread along a last axis."""
        i = self.made(register)
        if i is None or depth > _DEPTH:
            return None
        if i[0] == "item":
            inner = self._end(i[2], depth + 1)
            part = self._part((*i[:2], -1, i[3], i[-1]), _DEPTH) if inner is None else None
            if inner is None:
                return None if part is None else (part.name, part.spread)
            key = self.makers.get(i[3])
            parts = [p for _, p in key[3]] if key is not None and key[0] == "build" else [i[3]]
            last = self.makers.get(parts[-1]) if parts else None
            return inner[0], last is not None and last[0] == "const" and last[2] is None
        if i[0] == "call" and self.function_of(i) in _SHAPING:
            operand = self.operand(i)
            return None if operand is None else self._end(operand, depth + 1)
        name = _name(i)
        return (name, False) if _ENDS & set(_words(name)) else None

    def _shaped(self, i: Instruction, depth: int) -> _Mask | None:
        name, operand = self.function_of(i), self.operand(i)
        if operand is None:
            return None
        if name in _SHAPING:
            inner = self.mask(operand, depth + 1)
            if inner is not None and name == "expand_dims":
                return _Mask(inner.name, inner.certain, True)
            return inner
        if name in ("logical_and", "multiply") and len(i[3]) == 2:
            both = [self.mask(register, depth + 1) for _, register in i[3]]
            return both[0] if all(both) else None
        if name == "where" and len(i[3]) == 3:
            numbers = [self.makers.get(register) for _, register in i[3][1:]]
            values = {n[2] for n in numbers if n is not None and n[0] == "const"}
            return self.mask(operand, depth + 1) if values == {0, 1} else None
        return None

    # values that were masked

    def masked(self, register: Register, depth: int) -> _Masked | None:
        i = self.made(register)
        if i is None or depth > _DEPTH or self.mask(register, depth) is not None:
            return None
        return memoised(self._masked, i[1], None, lambda: self._masked_by(i, depth))

    def _masked_by(self, i: Instruction, depth: int) -> _Masked | None:
        if i[0] == "binop":
            return self._masked_operator(i, depth)
        if i[0] == "unop" and i[2] == "USub":
            return self.masked(i[3], depth + 1)
        return self._masked_call(i, depth) if i[0] == "call" else None

    def _masked_operator(self, i: Instruction, depth: int) -> _Masked | None:
        _, _, operator, left, right, span = i
        if operator == "Mult":
            return self._product(left, right, span, depth)
        if operator == "Pow":
            by = self.makers.get(right)
            positive = by is not None and by[0] == "const" and by[2] in (2, 4)
            return self.masked(left, depth + 1) if positive else None
        if operator in ("Add", "Sub"):
            first, second = self.masked(left, depth + 1), self.masked(right, depth + 1)
            same = first is not None and second is not None and first.mask == second.mask
            return first if same else None
        if operator == "Div":
            return None if self.counts(right, 0) else self.masked(left, depth + 1)
        return None

    def _product(self, left: Register, right: Register, span: Span, depth: int) -> _Masked | None:
        for value, other in ((left, right), (right, left)):
            mask = self.mask(other, depth + 1)
            if mask is not None and self._is_array(value, depth):
                return _Masked(mask, span)
        for value, other in ((left, right), (right, left)):
            found = self.masked(value, depth + 1)
            if found is not None and not self.counts(other, 0):
                return found
        return None

    def _is_array(self, register: Register, depth: int) -> bool:
        """Not a number, and not the mean of something."""
        i = self.made(register)
        if i is None or i[0] == "const" or self.counts(register, 0):
            return False
        if i[0] == "load" and i[3] < 0:
            return False
        return i[0] != "call" or not self._is_scalar(i)

    def _is_scalar(self, call: Instruction) -> bool:
        """`jnp.mean(x)`, or a lambda of the function that ends in one."""
        name = self.function_of(call)
        if name in _SUMS | _MEANS | {"std", "var", "max", "min", "prod", "float"}:
            return _over_all(self, call, name)
        callee = self.made(call[2])
        if callee is None or callee[0] != "closure" or callee[2].name != "<lambda>":
            return False
        inner = _Reader(callee[2])
        results = [i for i in steps_of(callee[2]) if i[0] == "return" and i[2] is not None]
        return bool(results) and all(inner.counts(i[2], 0) for i in results)

    def _masked_call(self, i: Instruction, depth: int) -> _Masked | None:
        name, operand = self.function_of(i), self.operand(i)
        if operand is None:
            return None
        if name in _KEEP_ZERO:
            return self.masked(operand, depth + 1)
        if name == "sum":
            found = self.masked(operand, depth + 1)
            return found if found is not None and found.mask.spread and self._last(i) else None
        if name == "multiply" and len(i[3]) == 2:
            return self._product(i[3][0][1], i[3][1][1], i[-1], depth)
        if name == "where" and len(i[3]) == 3:
            return self._chosen(i, depth)
        return None

    def _chosen(self, i: Instruction, depth: int) -> _Masked | None:
        """`where(mask, x, 0)`"""
        test, *branches = (register for _, register in i[3])
        mask = self.mask(test, depth + 1)
        made = [self.makers.get(register) for register in branches]
        zero = [m is not None and m[0] == "const" and m[2] == 0 for m in made]
        if mask is None or sum(zero) != 1:
            return None
        value = branches[0 if zero[1] else 1]
        return _Masked(mask, i[-1]) if self._is_array(value, depth) else None

    def _last(self, call: Instruction) -> bool:
        """Does it sum over the last axis alone?"""
        given = [register for key, register in call[4] if key == "axis"]
        positions = call[3] if self.is_method(call) else call[3][1:]
        given += [register for _, register in positions]
        made = self.makers.get(given[0]) if len(given) == 1 else None
        return made is not None and self._number(made) in (-1, 1)

    # counts

    def counts(self, register: Register, depth: int) -> bool:
        """Is there a sum, a mean, or a size in it?"""
        i = self.made(register)
        if i is None or depth > _DEPTH:
            return False
        return memoised(self._counts, i[1], False, lambda: self._is_count(i, depth))

    def _is_count(self, i: Instruction, depth: int) -> bool:
        if i[0] == "call":
            if self.function_of(i) in _SUMS | _SIZES:
                return True
            inner = [r for _, r in (*i[3], *i[4])]
            inner += [self.makers[i[2]][2]] if self.is_method(i) else []
            return any(self.counts(r, depth + 1) for r in inner)
        if i[0] == "binop":
            return self.counts(i[3], depth + 1) or self.counts(i[4], depth + 1)
        if i[0] == "attr":
            return i[3] in _SIZES
        return i[0] == "unop" and self.counts(i[3], depth + 1)

    def averages(self, mask: str) -> bool:
        """Is the mean of the mask taken, too? Others may divide by it."""
        for i in steps_of(self.function):
            if i[0] == "call" and self.function_of(i) == "mean":
                operand = self.operand(i)
                found = None if operand is None else self.mask(operand, 0)
                if found is not None and found.name == mask:
                    return True
        return False

    def is_scaled(self, mean: Register) -> bool:
        """Is the mean divided by a mean, or multiplied with a share of what counts?"""
        seen: dict[Register, bool] = {}
        for i in steps_of(self.function):
            if i[0] != "binop" or i[2] not in ("Mult", "Div"):
                continue
            for side, other in ((i[3], i[4]), (i[4], i[3])):
                if self._holds(side, mean, seen) and self.counts(other, 0):
                    return True
        return False

    def _holds(self, register: Register, wanted: Register, seen: dict[Register, bool]) -> bool:
        i = self.made(register)
        if i is None:
            return False
        if i[1] not in seen:
            seen[i[1]] = i[1] == wanted
            parts = i[3:5] if i[0] == "binop" else i[3:4] if i[0] == "unop" else ()
            seen[i[1]] = seen[i[1]] or any(self._holds(part, wanted, seen) for part in parts)
        return seen[i[1]]


_SIGNS = {"Eq": "==", "NotEq": "!="}


def _name(i: Instruction | None) -> str:
    if i is None:
        return ""
    if i[0] == "load":
        return i[2]
    if i[0] == "attr":
        return i[3]
    return str(i[2]) if i[0] == "const" else ""


def _words(name: str) -> list[str]:
    return [w.lower() for w in re.split(r"_+|(?<=[a-z])(?=[A-Z])", name) if w]


def _of_name(name: str) -> _Mask | None:
    """`loss_mask` and `mask_origin` are masks, `mask_ratio` and `num_masks` are none."""
    words = _words(name)
    at = next((n for n, word in enumerate(words) if word in _WORDS), None)
    if at is None or _COUNTS & set(words[:at]) or _OTHERS & set(words[at + 1 :]):
        return None
    return _Mask(name, True)
