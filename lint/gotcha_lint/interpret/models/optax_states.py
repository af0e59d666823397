"""States of optimizers: where they are made, and which of them an update gets."""

from __future__ import annotations

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    OPTIMIZER_STATE,
    Array,
    Constant,
    Number,
    Object,
    Symbol,
    Value,
    only,
)
from gotcha_lint.facts.optax import CHAINS, STATELESS
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note

STATE_MADE, STATE_USED = "state made", "state used"
_DEPTH = 4  # of chains in chains


_COUNTERS = ("count", "gradient_step", "mini_step")


def new_state(call: Call) -> Value:
    """The state of an optimizer: nothing is known of it but that its counters are int32."""
    machine = call.engine
    site = machine.allocate("object", call.span, OPTIMIZER_STATE)
    site.info["name"] = OPTIMIZER_STATE
    for name in _COUNTERS:
        machine.write((site, name), only(Array("int32", False, (), "device", call.origin)))
    return only(Object(site, call.origin))


def of_train_state(call: Call, method: Symbol) -> Value | None:
    """`state.tx.init(params)` and `state.tx.update(...)` of a caller's train state."""
    if method.path[-2:] == (".tx", ".init"):
        state = new_state(call)
        if isinstance(atom := state.only, Object):
            note(call.engine, STATE_MADE, "", call.span, owner=atom.site)
        return state
    if method.path[-2:] == (".tx", ".update"):
        note_used(call, call.argument(1, "state"))
    return None


def note_made(call: Call, site: Site, what: str = "") -> None:
    """Plain gradient descent has nothing to lose, unless it is given momentum or a schedule."""
    optimizer = call.argument(1, "tx") if what else call.receiver
    if not _is_stateless(optimizer, 0):
        note(call.engine, STATE_MADE, what, call.span, owner=site)


def note_used(call: Call, state: Value) -> None:
    if state.atoms:
        note(call.engine, STATE_USED, "", call.span, (state,))


def _is_stateless(optimizer: Value, depth: int) -> bool:
    atom = optimizer.only
    if not isinstance(atom, Object) or atom.site.kind != "optimizer" or depth > _DEPTH:
        return False
    info = atom.site.info
    if info["name"] in CHAINS:
        return all(_is_stateless(part, depth + 1) for part in info["parts"])
    given = [*info["parts"], *info["options"].values()]
    numbers = all(isinstance(part.only, (Constant, Number)) for part in given)
    plain = "momentum" not in info["options"] and len(info["parts"]) <= 1
    return info["name"] in STATELESS and numbers and plain
