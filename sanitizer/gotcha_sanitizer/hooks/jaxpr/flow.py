"""What a traced program does with its arguments, whatever their values are: see `Flow`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from gotcha_sanitizer.hooks.jaxpr import jaxprs, zero_gradients
from gotcha_sanitizer.hooks.jaxpr.flat import Flat, Step, flatten
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.training import Flow

_DRAWS = frozenset({"random_bits", "threefry2x32", "random_gamma", "rng_bit_generator"})
_KEYS = frozenset(  # what becomes of a key and is one still
    {"random_wrap", "random_unwrap", "random_split", "random_fold_in", "slice", "squeeze"}
    | {"reshape", "dynamic_slice", "gather", "broadcast_in_dim", "loop in", "branch out"}
    | {"copy", "copy_p", "concatenate", "transpose"}
)
_ZEROS = frozenset(
    {"broadcast_in_dim", "convert_element_type", "neg", "reshape", "copy", "squeeze"}
)
_COMPARES = frozenset({"lt", "le", "gt", "ge"})
_ENDS = frozenset(  # what makes something else of random numbers than a mask of their shape
    {"argmax", "argmin", "sort", "dot_general", "reduce_sum", "reduce_max", "cumsum", "while"}
)


def flow(jaxpr: Any, now: float, function: str, site: Site | None) -> Flow:
    flat = flatten(jaxpr, custom=False)
    names, _ = jaxprs.labels(jaxpr)
    inputs = dict(zip(flat.inputs, names, strict=True))
    users: defaultdict[int, list[Step]] = defaultdict(list)
    for step in flat.steps:
        for value in set(step.ins):
            users[value].append(step)
    cuts = {
        str(name): fact.message.partition(": ")[2]
        for fact in zero_gradients.look(jaxpr, now, function, site)
        for name in fact.evidence["parameters"]  # type: ignore[attr-defined]
    }
    return Flow(
        at=now,
        function=function,
        site=site,
        trains=any("transpose(" in step.place.scope for step in flat.steps),
        unused=tuple(
            inputs[each]
            for each in _unused(flat)
            if getattr(flat.types[each], "shape", ()) and not _is_key(flat.types[each])
        ),
        kept=tuple(inputs[each] for each in _kept(flat)),
        cut=cuts,
        draws=tuple(name for each, name in inputs.items() if _draws(flat, users, each)),
        dropout=_dropout(flat, users),
    )


def _is_key(aval: Any) -> bool:
    """A step that draws nothing may well be given one. Typed keys have no shape of their own."""
    return (tuple(aval.shape), str(aval.dtype)) == ((2,), "uint32") or "key<" in str(aval.dtype)


def _unused(flat: Flat) -> list[int]:
    used = {value for index in flat.used() for value in flat.steps[index].ins} | {*flat.outputs}
    return [each for each in flat.inputs if each not in used]


def _kept(flat: Flat) -> list[int]:
    """Inputs that are outputs, as they are or with a zero added."""
    zeros: set[int] = set()
    same: dict[int, int] = {value: value for value in flat.inputs}
    for step in flat.steps:
        literal = [getattr(var, "val", None) for var in step.equation.invars]
        is_zero = [
            value in zeros or (each is not None and getattr(each, "shape", ()) == () and each == 0)
            for value, each in zip(step.ins, literal, strict=False)
        ]
        if (step.name in _ZEROS and is_zero and is_zero[0]) or (
            step.name == "mul" and any(is_zero)
        ):
            zeros.update(step.outs)
        elif step.name in ("add", "sub", "add_any") and len(is_zero) == 2:
            if all(is_zero):
                zeros.update(step.outs)
            elif is_zero[1] and step.ins[0] in same:
                same[step.outs[0]] = same[step.ins[0]]
            elif is_zero[0] and step.name != "sub" and step.ins[1] in same:
                same[step.outs[0]] = same[step.ins[1]]
        elif step.name == "convert_element_type" and step.ins and step.ins[0] in same:
            before, after = flat.types[step.ins[0]], flat.types[step.outs[0]]
            if getattr(before, "dtype", None) == getattr(after, "dtype", None):
                same[step.outs[0]] = same[step.ins[0]]
    return [same[out] for out in flat.outputs if out in same]


def _draws(flat: Flat, users: dict[int, list[Step]], start: int) -> bool:
    """Random numbers are drawn from this key, by itself: not folded with what may change."""
    kind = flat.types[start]
    dtype = str(getattr(kind, "dtype", ""))
    if not dtype.startswith("key<") and (dtype, getattr(kind, "shape", ())) != ("uint32", (2,)):
        return False
    known, todo, given = {start}, [start], set(flat.inputs) - {start}
    changing = _reached(users, given)
    while todo:
        for step in users[todo.pop()]:
            if step.name in _DRAWS:
                return True
            folded = step.name == "random_fold_in" and any(i in changing for i in step.ins)
            if step.name in _KEYS and not folded:
                new = [out for out in step.outs if out not in known]
                known.update(new)
                todo += new
    return False


def _reached(users: dict[int, list[Step]], starts: set[int]) -> set[int]:
    """All values that depend on these."""
    found, todo = set(starts), list(starts)
    while todo:
        for step in users[todo.pop()]:
            new = [out for out in step.outs if out not in found]
            found.update(new)
            todo += new
    return found


def _dropout(flat: Flat, users: dict[int, list[Step]]) -> Site | None:
    """Where a comparison of random numbers decides which elements become zero."""
    todo = [(out, False) for s in flat.steps if s.name in _DRAWS for out in s.outs]
    known = set(todo)
    while todo:
        value, compared = todo.pop()
        for step in users[value]:
            if compared and step.name == "select_n" and step.ins[0] == value:
                return _line(step)
            if step.name in _ENDS or step.name == "select_n":
                continue
            new = [(out, compared or step.name in _COMPARES) for out in step.outs]
            todo += [each for each in new if each not in known]
            known.update(new)
    return None


def _line(step: Step) -> Site | None:
    return jaxprs.site(step.equation, *(equation for _, equation in reversed(step.place.calls)))
