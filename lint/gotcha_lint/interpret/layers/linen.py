"""`model.init` and `model.apply` of Flax's linen: what a call gives, and what its layers need."""

from __future__ import annotations

from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    UNKNOWN,
    Mapping,
    Object,
    Symbol,
    Value,
    only,
)
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.heap import mapping_of
from gotcha_lint.interpret.layers.annotated import is_params_alone
from gotcha_lint.interpret.machine import Machine

NEEDS = "needs"
DROPOUT, BATCH_STATS = "dropout", "batch_stats"
STATISTICS = "statistics"  # are read, whatever the mode
_OPTIONS = {DROPOUT: "rngs", BATCH_STATS: "mutable", STATISTICS: "mutable"}
COLLECTION = "collection"  # of which collection of variables a dict is one
COPIED = "copied"  # by a function that may have left the device
_PARAMS, _OTHER = "params", "another collection"
VARIABLES = "variables"
ONE_COLLECTION, NESTED = "one collection", "nested variables"


def initialised(call: Call) -> Value:
    """The variables of a module: a dict of collections."""
    machine = call.engine
    params = machine.allocate("dict", call.span, COLLECTION)
    params.info[COLLECTION] = _PARAMS
    machine.write((params, "{}"), only(Mapping((), (), UNKNOWN)))
    other = machine.allocate("dict", call.span, _OTHER)
    other.info[COLLECTION] = _OTHER
    machine.write((other, "{}"), only(Mapping((), (), UNKNOWN)))
    made = machine.allocate("dict", call.span)
    own = only(Object(params, call.origin))
    machine.write((made, "{}"), only(Mapping((_PARAMS,), (own,), only(Object(other, call.origin)))))
    return only(Object(made, call.origin))


def are_variables(machine: Machine, value: Value) -> bool:
    """Is it surely what `init` gave, or a collection of it? A copy on the host is none."""
    return any(site.info.get(COLLECTION) for site in _held(machine, value))


def _held(machine: Machine, value: Value) -> tuple[Site, ...]:
    """A dict and the dicts in it."""
    atom = value.only
    if not isinstance(atom, Object) or atom.site.kind != "dict":
        return ()
    mapping = mapping_of(machine, atom)
    if mapping is None:
        return ()
    return atom.site, *(a.site for v in mapping.values for a in v.atoms if isinstance(a, Object))


def are_on_device(machine: Machine, value: Value) -> bool:
    """Is it what `init` gave, and no copy at an unknown place?"""
    return are_variables(machine, value) and not any(
        site.info.get(COPIED) for site in _held(machine, value)
    )


@model(
    "flax.core.freeze",
    "flax.core.unfreeze",
    "flax.core.frozen_dict.freeze",
    "flax.core.frozen_dict.unfreeze",
)
def frozen(call: Call) -> Value:
    """Variables in a dict of another kind, which can be hashed; of others nothing is known."""
    given = call.argument(0, "xs")
    return given if are_variables(call.engine, given) else Value((), True, call.marks)


def apply_layer(call: Call) -> None:
    """Notes where `apply` gets one collection in place of all variables, or these wrapped again."""
    machine, given = call.engine, call.get(0, "variables")
    if given is None or machine.trying or machine.is_starred(call.span):
        return
    what = wrong_variables(machine, given)
    if what:
        replaced_later = (given,) if given.unknown else ()
        note(machine, "apply", what, call.span, replaced_later)
    elif isinstance(given.only, Symbol):
        note(machine, VARIABLES, "", call.span, (given,))


def apply_state(call: Call, method: Symbol) -> None:
    """`state.apply_fn(state.params, x)` of a caller's train state."""
    given = call.get(0, "variables")
    atom = given.only if given is not None else None
    if not isinstance(atom, Symbol) or call.engine.trying:
        return
    if is_params_alone(call.engine, method, atom):
        note(call.engine, "apply", ONE_COLLECTION, call.span)


def wrong_variables(machine: Machine, given: Value) -> str:
    """What `apply` is given in place of all variables; "" for these, and for what is not known.

    What a loop replaces by something unknown is known in its first iteration.
    """
    known = given.atoms if given.marks or not given.unknown else ()
    atom = next(iter(known)) if len(known) == 1 else None
    if not isinstance(atom, Object) or atom.site.kind != "dict":
        return ""
    if atom.site.info.get(COLLECTION):
        return ONE_COLLECTION
    mapping = mapping_of(machine, atom)
    values = dict(zip(mapping.keys, mapping.values, strict=True)) if mapping is not None else {}
    inner = values.get(_PARAMS)
    if inner is None or wrong_variables(machine, inner) == ONE_COLLECTION:
        return ""
    return NESTED if are_variables(machine, inner) else ""


def given_variables(machine: Machine, effect: Effect, values: tuple[Value, ...]) -> Effect | None:
    """`apply` of what a function got from its caller, who knows what it is."""
    if isinstance(values[0].only, Symbol):
        return effect
    what = wrong_variables(machine, values[0])
    return replaced(effect, kind="apply", what=what) if what else None


def met(call: Call, start: int) -> None:
    """Takes what the layers need that ran since `start`, and notes what `apply` does not give."""
    machine = call.engine
    needs = [e for e in machine.events[start:] if isinstance(e, Effect) and e.kind == NEEDS]
    if not needs:
        return
    machine.events[start:] = [event for event in machine.events[start:] if event not in needs]
    if (machine.path, call.span) in machine.spread:
        return  # among unknown options
    by_need = {effect.what: effect for effect in needs}
    if BATCH_STATS in by_need or not _lacks(machine, call.get(0, "variables"), BATCH_STATS):
        by_need.pop(STATISTICS, None)
    for effect in by_need.values():
        given = call.keywords.get(_OPTIONS[effect.what])
        certain = len(effect.guards) == len(machine.guards)
        if certain and (given is None or given.constant is False):
            places = ((effect.path, effect.span),)
            note(machine, "apply", effect.what, call.span, origins=places, maybe=effect.maybe)


def _lacks(machine: Machine, variables: Value | None, collection: str) -> bool:
    """Is it a dict with parameters whose keys are all known, and this is none of them?"""
    atom = variables.only if variables is not None else None
    mapping = mapping_of(machine, atom) if atom is not None else None
    if mapping is None or (mapping.rest is not None and not mapping.rest.is_bottom):
        return False
    return _PARAMS in mapping.keys and collection not in mapping.keys
