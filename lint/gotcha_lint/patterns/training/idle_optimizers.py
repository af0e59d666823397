"""Train states with an optimizer, in files that update nothing (floor `patterns`).

It under-approximates: a state that is returned, kept in an object or given to a function of another
file may be trained there, and one that is restored has to have the optimizer of the checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import names_used, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.origins import Origins

_CREATES = "flax.training.train_state.TrainState.create"
_STATELESS = frozenset(("optax.identity", "optax.set_to_zero", "optax.sgd"))
_TRAINS = frozenset(
    ("apply_gradients", "apply_updates", "opt_state", "grad", "value_and_grad", "from_bytes",
     "from_state_dict", "to_bytes", "to_state_dict")
)  # fmt: skip
_KEEPS = ("restore", "checkpoint", "ckpt", "orbax", "train_step", "update_step")
_HANDED_ON = ("jax.", "flax.jax_utils.")


def idle_optimizers(origins: Origins, module: Module) -> Iterator[tuple[Function, Span, str]]:
    """Where the state is created, and the optimizer that it gets."""
    bodies = origins.links.bodies(module)
    found = [
        (body, i)
        for body in bodies
        for i in steps_of(body)
        if i[0] == "call" and origins.names.of_call(body, i) == _CREATES
    ]
    if not found or any(map(_may_train, bodies)):
        return
    for body, call in found:
        given = dict(call[4]).get("tx")
        optimizer = origins.library(body, given) if given is not None else ""
        known = optimizer.startswith("optax.") and optimizer not in _STATELESS
        if known and _stays(origins, body, call, bodies):
            yield body, call[-1], optimizer


def _may_train(body: Function) -> bool:
    words = {name.lower() for name in names_used(body)}
    return not _TRAINS.isdisjoint(words) or any(part in word for word in words for part in _KEEPS)


def _stays(origins: Origins, body: Function, call: Instruction, bodies: list[Function]) -> bool:
    """Is the state only read, or given to functions of this file and to those of JAX?"""
    held: set[Register] = {call[1]}
    names: set[str] = set()
    steps = [(owner, i) for owner in bodies for i in steps_of(owner)]
    for i in steps_of(body):
        if i[0] == "store" and i[4] in held:
            names.add(i[2])
        elif i[0] == "load":
            held |= {i[1]} if i[2] in names else set()
        elif i[0] == "call" and used_registers(i) & held and _is_handed_on(origins, body, i):
            held.add(i[1])
        elif i[0] not in ("store", "attr", "discard") and used_registers(i) & held:
            if i[0] != "call" or not _is_own(origins, body, i):
                return False
        elif i[0] in ("return", "yield") and i[2] in held:
            return False
    inner = any(
        i[0] == "load" and i[2] in names and _reaches_out(owner, i, body)
        for owner, i in steps
        if owner is not body
    )
    return bool(names) and not inner


def _reaches_out(owner: Function, load: Instruction, body: Function) -> bool:
    """Does an inner function read a name of the one around?"""
    if body.is_module:
        return load[3] == -1
    around: Function | None = owner
    while around is not None and around is not body:
        around = around.parent
    return around is body and load[3] > 0


def _is_handed_on(origins: Origins, body: Function, call: Instruction) -> bool:
    return origins.names.of_call(body, call).startswith(_HANDED_ON)


def _is_own(origins: Origins, body: Function, call: Instruction) -> bool:
    """A function of this file, or what `jit` and `pmap` make of one."""
    link = origins.links.of_register(body, call[2])
    if link is not None:
        return link.kind == "function" and link.function.path == body.path
    made = origins.reader(body).made(call[2])
    if made is None or made[0] != "call" or not made[3] or not _is_handed_on(origins, body, made):
        return False
    link = origins.links.of_register(body, made[3][0][1])
    return link is not None and link.kind == "function" and link.function.path == body.path
