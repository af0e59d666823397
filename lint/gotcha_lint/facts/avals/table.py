"""The table of result types: a row for each function, and how a row answers a call."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gotcha_lint.facts.avals import elements, layout, made, products
from gotcha_lint.facts.avals.call import RULES, Call, is_size, spread
from gotcha_lint.facts.avals.types import USUAL_WEAK, Typed, category, explicit_type, join, type_of
from gotcha_lint.facts.avals.values import Aval, Refused, Scalar, Stop, Unknown, refuse, unknown

RULE_FILES = (elements, layout, made, products)  # they register their rules on import
DATA = Path(__file__).with_name("avals.json.gz")
Answer = Aval | tuple[Aval, ...] | Unknown | Refused

_ARRAYS_ONLY = frozenset(
    (
        *("flat_or_same", "reshape", "pattern", "quantile", "take", "take_along", "split"),
        *("squeeze", "differences", "fft", "repeat"),
    )
)  # rules whose functions refuse a Python number as the array


_ODD = (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError)


class Table:
    """`data`: `made_from` (releases), `types` (maps of types), `functions` (rows), `unknown`."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.maps: dict[str, dict[str, str]] = data["types"]
        self.rows: dict[str, Any] = data["functions"]

    def row(self, name: str) -> dict[str, Any] | None:
        """The row of a function, or that of the function that it is another name of."""
        found = self.rows.get(name)
        while isinstance(found, str):
            found = self.rows.get(found)
        return found

    def result(
        self, name: str, args: Sequence[Any] = (), keywords: Mapping[str, Any] | None = None
    ) -> Answer:
        """What `name(*args, **keywords)` gives: one aval, or a tuple where it gives several."""
        row = self.row(name)
        if row is None:
            return Unknown("no rule")
        try:
            given = bind(row, args, keywords or {})
        except Stop as stop:
            return stop.verdict
        return self.bound(row, given)

    def bound(self, row: dict[str, Any], given: dict[str, Any]) -> Answer:
        """The same for arguments by name, those of a star parameter as one tuple."""
        try:
            return self.answer(row, given)
        except Stop as stop:
            return stop.verdict
        except _ODD as error:  # an argument of a kind that the rule does not expect
            return Unknown(f"argument: {error}")

    def answer(self, row: dict[str, Any], given: dict[str, Any]) -> Answer:
        """The same; ends with `Stop` where the answer is no aval."""
        call = Call(row, given)
        rule, *parameters = row["shape"]
        operands = row["ops"]
        if rule in _ARRAYS_ONLY:
            first = [given.get(name) for name in operands[:1]]
            if any(not isinstance(value, (Aval, list, tuple)) for value in first):
                unknown("a Python number")
        found = RULES[rule](call, *parameters)
        shapes = found if isinstance(found, list) else [found]
        if any(name in given for name in operands):
            call.operands()
        named = _named_type(row, call)
        _other_options(row, call)
        hows = row["type"]
        hows = hows if len(hows) == len(shapes) else [hows[0]] * len(shapes)
        out: list[Aval] = []
        for shape, how in zip(shapes, hows, strict=True):
            if not all(is_size(size) for size in shape):
                unknown("a size is no whole number")
            dtype, weak = (named, False) if named else self._type(row, call, how)
            out.append(Aval(shape, dtype, weak))
        return tuple(out) if isinstance(found, list) else out[0]

    def _type(self, row: dict[str, Any], call: Call, how: list[Any]) -> Typed:
        which, mode, table, *before = how
        if mode == "fixed":
            if row["ops"] and row.get("limits"):
                _check_limits(row, call)
            return table.rstrip("*"), table.endswith("*")
        values: list[Any] = []
        for position, name in enumerate(row["ops"]):
            if position in which and call.given.get(name) is not None:
                values += spread(name, call.given[name])
        if not values:
            unknown("operand missing")
        types = [type_of(value) for value in values]
        _check_limits(row, call)
        if before:
            pairs = zip(before[0], types, strict=False)
            types = [prepared(name, typed) for name, typed in pairs]
        found = _joined(mode, values, types)
        if table is None:
            return found
        return self._mapped(row, table, found)

    def _mapped(self, row: dict[str, Any], table: str, found: Typed) -> Typed:
        mapped = self.maps[table].get(found[0] + "*" * bool(found[1]))
        if mapped is None:
            unknown(f"type {found}")
        if mapped == "-":
            if len(row["ops"]) == 1 and "dtype" not in row:
                refuse("type not accepted")
            unknown("type not accepted?")  # it may have been another operand's fault
        return mapped.rstrip("*"), mapped.endswith("*")


def bind(row: dict[str, Any], args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by the names of the parameters."""
    given: dict[str, Any] = {}
    names, rest = list(row["sig"]), list(args)
    while names and rest:
        name = names.pop(0)
        if name.startswith("*"):
            given[name[1:]], rest = rest, []
        else:
            given[name] = rest.pop(0)
    if rest:
        refuse("too many arguments")
    for name, value in keywords.items():
        if name in given or (name not in row["kw"] and name not in row["sig"]):
            refuse(f"argument {name}")
        given[name] = value
    return given


def _named_type(row: dict[str, Any], call: Call) -> str | None:
    """The type of an argument `dtype=`."""
    if "dtype" not in row or call.given.get(row["dtype"]) is None:
        return None
    call.read.add(row["dtype"])
    return explicit_type(call.given[row["dtype"]])


def _other_options(row: dict[str, Any], call: Call) -> None:
    """An option that no rule has read makes the answer unknown, unless it changes nothing."""
    defaults, inert = row.get("def", {}), row.get("inert", ())
    for name, value in call.given.items():
        if name in call.read or name in inert or value is None:
            continue
        value = value.value if isinstance(value, Scalar) else value
        if name not in defaults or value != defaults[name]:
            unknown(f"argument {name}")


def _joined(mode: str, values: list[Any], types: list[Typed]) -> Typed:
    """One type of several: by promotion, or where they must be equal."""
    if mode == "strict":
        if len({dtype for dtype, _ in types}) > 1:
            refuse("types differ")
        return types[0][0], all(weak for _, weak in types)
    if mode != "strict_numbers":
        return join(types)
    pairs = zip(values, types, strict=True)
    arrays = [typed for value, typed in pairs if isinstance(value, Aval)]
    if len({dtype for dtype, _ in arrays}) > 1:
        refuse("types differ")
    joined = join(types)
    found = (arrays[0][0], all(weak for _, weak in arrays)) if arrays else joined
    if joined[0] != found[0]:
        refuse("number does not fit")
    return found


def _check_limits(row: dict[str, Any], call: Call) -> None:
    """What the row was learned without stays unknown."""
    limits = row.get("limits")
    if not limits:
        return
    values = [value for value in call.operands() if value is not None]
    types = [type_of(value) for value in values]
    arrays = [value for value in values if isinstance(value, Aval)]
    if "equal" in limits and len(set(types)) > 1:
        unknown("operands of several types")
    if "numbers" in limits and len(arrays) < len(values):
        unknown("a Python number")
    if "odd" in limits and any(weak and dtype not in USUAL_WEAK for dtype, weak in types):
        unknown("a weak type of unusual width")
    if "weak" in limits and any(array.weak for array in arrays):
        unknown("a weakly typed array")
    if "joined weak" in limits and join(types)[1]:
        unknown("a weakly typed result")
    if "complex" in limits and any(dtype == "complex64" for dtype, _ in types):
        unknown("complex operands")


def prepared(name: str, typed: Typed) -> Typed:
    """An operand before the promotion: made inexact, or strong."""
    dtype, weak = typed
    if "inexact" in name and category(dtype) in ("bool", "i*"):
        dtype = "float32"
    return dtype, weak and "strong" not in name


def load(path: Path = DATA) -> Table:
    """A table from its file, compressed or not."""
    raw = path.read_bytes()
    return Table(json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw))


@cache
def table() -> Table:
    """The table that comes with this release; read when it is first asked for."""
    return load()
