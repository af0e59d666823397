"""Optax: optimizers are objects; their states keep the tree of the parameters."""

from __future__ import annotations

from gotcha_lint.domain.freshness import SCHEDULE
from gotcha_lint.domain.value import (
    UNKNOWN,
    Array,
    Constant,
    Library,
    Object,
    Tuple,
    Value,
    only,
)
from gotcha_lint.facts.optax import CHAINS, NEED_PARAMS, OPTIMIZERS
from gotcha_lint.interpret.arrays import as_arrays
from gotcha_lint.interpret.call import Call, alias, family, methods, model
from gotcha_lint.interpret.effects import note, note_update
from gotcha_lint.interpret.faults.half_precision import check_weights
from gotcha_lint.interpret.faults.optimizer_arguments import (
    check_made,
    check_update,
    is_without_params,
    note_paramless,
)
from gotcha_lint.interpret.faults.schedule_tests import check_schedule, note_joined
from gotcha_lint.interpret.models.optax_chains import note_chain, schedule
from gotcha_lint.interpret.models.optax_states import new_state, note_made, note_used
from gotcha_lint.interpret.schedules import is_computed

alias({"flax.nnx.Optimizer": "optax.#nnx", "flax.nnx.ModelAndOptimizer": "optax.#nnx_with_model"})
_OF_NNX = ("#nnx", "#nnx_with_model")
_WORDS_OF_SCHEDULES = ("schedule", "decay", "warmup", "cosine", "piecewise", "join_schedules")
_UNKNOWN_ARRAY = Array(None, False, None)


@model(
    "optax.apply_updates",
    "optax.incremental_update",
    "optax.periodic_update",
    "equinox.apply_updates",
)
def apply_updates(call: Call) -> Value:
    """The updated parameters have the tree and the types of the parameters."""
    index = 0 if call.short == "apply_updates" else 1
    return call.argument(index, "params" if index == 0 else "old_tensors")


@model(
    "optax.global_norm",
    "optax.tree.norm",
    "optax.tree_utils.tree_norm",
    "optax.tree_utils.tree_l2_norm",
)
def global_norm(call: Call) -> Value:
    return only(Array("float32", False, (), "device", call.origin), call.marks)


@family("optax.", "optax.losses.")
def optimizer_or_loss(call: Call) -> Value:
    name = call.short
    if "loss" in name or "entropy" in name or name == "squared_error":
        return _loss(call)
    if not name[:1].islower() and name not in _OF_NNX:
        return UNKNOWN
    if call.name not in OPTIMIZERS and any(word in name for word in _WORDS_OF_SCHEDULES):
        if name == "join_schedules":
            note_joined(call)
        made = schedule(call)
        return made.marked(SCHEDULE) if is_computed(call.name) else made
    site = call.engine.allocate("optimizer", call.span, call.name)
    site.info["name"] = call.name
    site.info["parts"] = call.args
    check_schedule(call)
    site.info["options"] = dict(call.keywords)
    if name in _OF_NNX:
        site.info["data"] = call.argument(1, "tx")
        note_made(call, site, "nnx")
        wanted = call.keyword("wrt")
        if name == "#nnx":
            check_made(call, wanted)
        kind = wanted.only if wanted is not None else None
        if wanted is None or (isinstance(kind, Library) and kind.name == "flax.nnx.Param"):
            check_weights(call, call.get(0, "model"))
    if call.name in CHAINS:
        note_chain(call)
    return only(Object(site, call.origin), call.marks)


def _loss(call: Call) -> Value:
    machine = call.engine
    machine.equations += 3
    arrays = as_arrays(call.argument(0, "logits")) or [_UNKNOWN_ARRAY]
    first = arrays[0]
    shape = first.shape
    if shape is not None and "entropy" in call.short and "sigmoid" not in call.short:
        shape = shape[:-1]
    return only(Array(first.dtype, False, shape, "device", call.origin), call.marks)


@methods("optimizer")
def optimizer_method(call: Call) -> Value:
    """`tx.init(params)`, `tx.update(grads, state, params)`."""
    assert isinstance(call.on, Object)
    if call.short == "update":
        check_update(call)
    if call.short == "update" and call.args:
        note_update(call.engine, "optimizer", call.span)
        _note_in_place(call)
        _note_without_params(call)
        state = call.argument(1, "state")
        note_used(call, call.receiver if "data" in call.on.site.info else state)
        return only(Tuple((call.args[0], state)))
    if call.short == "init":
        check_weights(call, call.get(0, "params"))
        state = new_state(call)
        if isinstance(atom := state.only, Object):
            note_made(call, atom.site)
        return state
    return Value((), True, call.marks)


def _note_in_place(call: Call) -> None:
    """`optimizer.update(grads)` of nnx writes to the model; `solve` asks which trace that is in."""
    atom = call.on
    if isinstance(atom, Object) and "data" in atom.site.info:
        model = call.args[: len(call.args) - 1] or tuple(atom.site.info["parts"][:1])
        note(call.engine, "in place", "update", call.span, (call.receiver, *model), owner=atom.site)


def _note_without_params(call: Call) -> None:
    """Some transformations need the parameters, too."""
    if is_without_params(call):
        needing = _needing(call.receiver, 0)
        if needing is not None:
            note_paramless(call.engine, str(needing.site.info["name"]), needing.origin, call.span)


def _needing(optimizer: Value, depth: int) -> Object | None:
    """The part of an optimizer that needs parameters."""
    atom = optimizer.only
    if not isinstance(atom, Object) or atom.site.kind != "optimizer" or depth > _PARTS:
        return None
    if atom.site.info["name"] in NEED_PARAMS:
        return atom
    if atom.site.info["name"] != "optax.chain":
        return None
    found = (_needing(part, depth + 1) for part in atom.site.info["parts"])
    return next((part for part in found if part is not None), None)


_PARTS = 4  # chains in chains


def is_false(value: Value | None) -> bool:
    atom = value.only if value is not None else None
    return isinstance(atom, Constant) and atom.value is False
