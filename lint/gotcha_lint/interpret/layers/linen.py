"""`model.init` and `model.apply` of Flax's linen: what a call gives, and what its layers need."""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Mapping, Object, Value, only
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.heap import mapping_of
from gotcha_lint.interpret.machine import Machine

NEEDS = "needs"
DROPOUT, BATCH_STATS = "dropout", "batch_stats"
_OPTIONS = {DROPOUT: "rngs", BATCH_STATS: "mutable"}
_COLLECTION = "collection"


def initialised(call: Call) -> Value:
    """The variables of a module: a dict of collections."""
    machine = call.engine
    params = machine.allocate("dict", call.span, _COLLECTION)
    params.info[_COLLECTION] = "params"
    machine.write((params, "{}"), only(Mapping((), (), UNKNOWN)))
    made = machine.allocate("dict", call.span)
    own = only(Object(params, call.origin))
    machine.write((made, "{}"), only(Mapping(("params",), (own,), UNKNOWN)))
    return only(Object(made, call.origin))


def are_variables(machine: Machine, value: Value) -> bool:
    """Is it surely what `init` gave, or a collection of it? A copy on the host is none."""
    atom = value.only
    if not isinstance(atom, Object) or atom.site.kind != "dict":
        return False
    mapping = mapping_of(machine, atom)
    if mapping is None:
        return False
    held = (atom.site, *(a.site for v in mapping.values for a in v.atoms if isinstance(a, Object)))
    return any(_COLLECTION in site.info for site in held)


def apply_layer(call: Call) -> None:
    """Notes where `apply` gets one collection in place of all variables."""
    given = call.get(0, "variables")
    atom = given.only if given is not None else None
    if isinstance(atom, Object) and atom.site.info.get(_COLLECTION) == "params":
        note(call.engine, "apply", "params", call.span)


def met(call: Call, start: int) -> None:
    """Takes what the layers need that ran since `start`, and notes what `apply` does not give."""
    machine = call.engine
    needs = [e for e in machine.events[start:] if isinstance(e, Effect) and e.kind == NEEDS]
    if not needs:
        return
    machine.events[start:] = [event for event in machine.events[start:] if event not in needs]
    if (machine.path, call.span) in machine.spread:
        return  # among options that nobody knows
    for effect in {effect.what: effect for effect in needs}.values():
        given = call.keywords.get(_OPTIONS[effect.what])
        certain = len(effect.guards) == len(machine.guards)
        if certain and (given is None or given.constant is False):
            places = ((effect.path, effect.span),)
            note(machine, "apply", effect.what, call.span, origins=places, maybe=effect.maybe)
