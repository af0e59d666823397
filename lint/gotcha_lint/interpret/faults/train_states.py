"""Calls of methods of Flax's train state that raise a `TypeError`.

`create` makes the step and the state of the optimizer, and takes all else by name, the fields of
the program's own class among it; `apply_gradients` takes `grads` by name. Must.
"""

from __future__ import annotations

from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.constructors import TRAIN_STATE, constructor
from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.origins import Origins

_FIELDS = ("apply_fn", "params", "tx")  # that a call of `create` gives
_MADE = ("opt_state", "step")


def check_train_state(
    machine: Machine, origins: Origins, function: Function, call: Instruction
) -> None:
    _, _, callee, args, keywords, span = call
    method = origins.links.makers(function).get(callee)
    if method is None or method[0] != "attr" or any(star for star, _ in args):
        return
    problem = None
    if method[3] == "create":
        problem = _of_create(
            origins, function, method[2], len(args), [word for word, _ in keywords]
        )
    elif method[3] == "apply_gradients" and args and _is_state(origins, function, method[2]):
        problem = "takes its arguments by name alone: `grads=`"
    if problem is not None and not origins.is_attempted(function, call):
        note(machine, "misfit", function, span, f"`{method[3]}` of a train state {problem}")


def _of_create(
    origins: Origins, function: Function, cls: Register, args: int, given: list[str | None]
) -> str | None:
    own = _own_fields(origins, function, cls)
    if own is None:
        return None
    twice = next((name for name in _MADE if name in given), None)
    if args:
        return "takes its arguments by name alone"
    if twice is not None:
        return f"makes `{twice}` itself, and is given it, too"
    known = {*_FIELDS, *own}
    unknown = next((name for name in given if name is not None and name not in known), None)
    if unknown is not None:
        return f"has no field `{unknown}`"
    required = [*_FIELDS, *(name for name, has_default in own.items() if not has_default)]
    missing = next((name for name in required if name not in given), None)
    return f"needs `{missing}`" if missing is not None and None not in given else None


def _own_fields(origins: Origins, function: Function, cls: Register) -> dict[str, bool] | None:
    """Those that a class of the program adds, and which have a default; None for no train state."""
    if origins.names.of_register(function, cls) == TRAIN_STATE:
        return {}
    links = origins.links
    link = links.of_register(function, cls)
    lineage = links.lineage(link.function) if link is not None and link.kind == "class" else None
    if link is None or lineage is None or links.in_class(link.function, "create") is not None:
        return None
    if not any(TRAIN_STATE in parts.library for _, parts in lineage):
        return None
    fields = constructor(links, link.function)
    if fields is None:
        return None
    return {
        field.name: field.has_default for field in fields if field.name not in (*_FIELDS, *_MADE)
    }


def _is_state(origins: Origins, function: Function, register: Register) -> bool:
    """A parameter that says so, or what `create` has given."""
    return origins.library(function, register) in (TRAIN_STATE, f"{TRAIN_STATE}.create")
