"""Flax: linen modules are values with fields; train states are trees."""

from __future__ import annotations

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import marked_deep
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    NONE,
    UNKNOWN,
    Array,
    Method,
    Object,
    Tuple,
    Value,
    only,
)
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.interpret.arrays import dtypes_of, unknown_array
from gotcha_lint.interpret.call import Call, methods, model
from gotcha_lint.interpret.effects import note_update
from gotcha_lint.interpret.faults.discards import mark_version
from gotcha_lint.interpret.faults.flags import check_left_out
from gotcha_lint.interpret.faults.half_precision import check_weights
from gotcha_lint.interpret.faults.remarks import note_eager_init
from gotcha_lint.interpret.faults.signatures import check_apply
from gotcha_lint.interpret.heap import class_attribute, deep_marks
from gotcha_lint.interpret.keys import use_for_weights, use_streams
from gotcha_lint.interpret.layers.eager_loops import OF_A_MODEL
from gotcha_lint.interpret.layers.linen import apply_layer, initialised, met
from gotcha_lint.interpret.layers.modes import switch
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models.optax import is_false
from gotcha_lint.interpret.models.optax_states import new_state
from gotcha_lint.interpret.start.startup import note_made

_OF_APPLY = ("rngs", "mutable", "variables", "method")
STATICS = ("apply_fn", "tx")  # of a train state: compared, not traced


@model(
    "flax.training.train_state.TrainState.create",
    "flax.training.train_state.TrainState",
)
def train_state(call: Call) -> Value:
    """The step counter starts as a Python 0: a weak type, where later steps are the same."""
    site = call.engine.allocate("instance", call.span, "TrainState")
    site.info.update({"class": None, "name": "TrainState", "statics": STATICS})
    return _new_state(call, site)


@methods("class")
def own_train_state(call: Call) -> Value:
    """`create` of a class that extends the train state: its own fields are keywords, too."""
    if call.short != "create" or not isinstance(call.on, Object):
        return UNKNOWN
    cls = call.on.site
    site = call.engine.allocate("instance", call.span, cls)
    site.info.update({"class": cls, "name": cls.info["name"], "statics": STATICS})
    return _new_state(call, site)


def _new_state(call: Call, site: Site) -> Value:
    machine = call.engine
    for name, value in call.keywords.items():
        machine.write((site, name), value)
    machine.write((site, "step"), only(Array("int32", True, (), "device", call.origin)))
    machine.write((site, "opt_state"), new_state(call))
    note_made(machine, "create", call.span)
    check_weights(call, call.keyword("params"))
    return only(Object(site, call.origin))


@methods("instance")
def instance_method(call: Call) -> Value:
    """Methods that a base class of a library gives: `replace`, `apply`, `init`, ..."""
    assert isinstance(call.on, Object)
    site = call.on.site
    machine = call.engine
    cls = site.info.get("class")
    if call.short in ("replace", "_replace"):
        return replaced(call)
    if call.short == "apply_gradients":
        note_update(machine, "optimizer", call.span)
        return Value((call.on,))
    use_streams(machine, call.short, call.keywords, call.span)
    if call.short == "apply" and cls is not None:
        apply_layer(call)
        return _apply(call)
    if call.short in ("init", "lazy_init", "init_with_output") and cls is not None:
        use_for_weights(machine, call.argument(0, "rngs"), call.span, cls.info["name"])
        found = _applied(machine, call.on, call.keyword("method"))
        if found is not None:
            check_apply(machine, found, call, "rngs")
        note_made(machine, call.short, call.span)
        if call.short != "lazy_init":
            note_eager_init(machine, cls.info["function"], call.span)
        return initialised(call)
    if call.short in ("train", "eval") and not call.args:
        switch(machine, site, call.short == "train")
        return NONE
    if call.short in ("param", "variable"):
        types = dtypes_of(call.get(3, "dtype")) if call.short == "param" else ()
        if not HALVES.isdisjoint(types):
            atoms = [Array(each, False, None, "device", call.origin) for each in types]
            return Value(atoms, False, call.marks)
        return unknown_array("device", call.origin, call.marks)
    return Value((), True, call.marks | call.receiver.marks)


def replaced(call: Call) -> Value:
    """A copy of a struct with other fields."""
    assert isinstance(call.on, Object)
    machine, old = call.engine, call.on.site
    site = machine.allocate("instance", call.span, old.info.get("class"))
    site.info.update({k: old.info.get(k) for k in ("class", "name")})
    mark_version(site)
    site.info["statics"] = old.info.get("statics", ())
    cls = old.info.get("class")
    own = [n for n, _ in cls.info["fields"]] if cls is not None else []
    names = own if own and not old.info.get("statics") else machine.fields_of(old)
    for name in dict.fromkeys((*names, *call.keywords)):
        value = call.keywords.get(name)
        if value is None:
            value = machine.read((old, name)) or UNKNOWN
        machine.write((site, name), value)
    return only(Object(site, call.origin))


def _applied(machine: Machine, model: Object, method: Value | None) -> Value | None:
    """What `apply` calls: `method=Model.encode`, a name, or `__call__`; None where unknown."""
    cls = model.site.info["class"]
    if method is None or method.is_none:
        return class_attribute(machine, cls, "__call__")
    atom = method.only
    if isinstance(atom, Object) and atom.site.kind == "function":
        return method
    name = atom.name if isinstance(atom, Method) else method.constant
    return class_attribute(machine, cls, name) if isinstance(name, str) else None


def _apply(call: Call) -> Value:
    """`model.apply(variables, x)` runs the module's `__call__`, or its `method`."""
    assert isinstance(call.on, Object)
    machine = call.engine
    started = machine.dispatches
    found = _applied(machine, call.on, call.keyword("method"))
    if found is None:
        machine.dispatch(OF_A_MODEL)
        return UNKNOWN
    check_apply(machine, found, call, "variables")
    own = {k: v for k, v in call.keywords.items() if k not in _OF_APPLY}
    if not (machine.is_starred(call.span) or machine.trying):
        check_left_out(machine, found, len(call.args), own, call.span)
    me = Value((call.on,))
    start = len(machine.events)
    out = machine.call(found, (me, *call.args[1:]), own, call.span)
    met(call, start)
    machine.dispatch(max(started + OF_A_MODEL - machine.dispatches, 0))
    if machine.differentiated and call.args:  # its weights are parts of the variables
        out = marked_deep(out, flows_in(deep_marks(machine, call.args[:1])))
    mutable = call.keyword("mutable")
    if mutable is not None and not is_false(mutable):
        return only(Tuple((out, UNKNOWN)))
    return out
