"""Checkpoints: what is restored has the structure and the types of the target that is given."""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Mapping, Object, Value, only
from gotcha_lint.facts.checkpoints import ORBAX
from gotcha_lint.interpret.call import Call, methods, model
from gotcha_lint.interpret.effects import RESTORED, SAVED, note

_NAME = "checkpointer"


@model(
    "orbax.checkpoint.CheckpointManager",
    "orbax.checkpoint.Checkpointer",
    "orbax.checkpoint.PyTreeCheckpointer",
    "orbax.checkpoint.StandardCheckpointer",
    "orbax.checkpoint.AsyncCheckpointer",
)
def checkpointer(call: Call) -> Value:
    site = call.engine.allocate("object", call.span, _NAME)
    site.info["name"] = _NAME
    return only(Object(site, call.origin))


@methods(f"object:{_NAME}")
def checkpointer_method(call: Call) -> Value:
    """`restore(step, items={"state": state})`, `restore(path, args=StandardRestore(state))`."""
    if call.short in ("save", "restore"):
        note(call.engine, SAVED if call.short == "save" else RESTORED, ORBAX, call.span)
    if call.short != "restore":
        return Value((), True, call.marks)
    for name in ("items", "item", "target", "args"):
        given = call.keyword(name)
        if given is not None and not given.is_none:
            return given
    return call.args[1] if len(call.args) > 1 else UNKNOWN


@model(
    "orbax.checkpoint.args.StandardRestore",
    "orbax.checkpoint.args.PyTreeRestore",
    "orbax.checkpoint.args.JsonRestore",
)
def restored_like(call: Call) -> Value:
    return call.argument(0, "item")


@model("orbax.checkpoint.args.Composite")
def composite(call: Call) -> Value:
    names = tuple(call.keywords)
    return only(Mapping(names, tuple(call.keywords.values()), None, call.origin))


@model(
    "flax.training.checkpoints.restore_checkpoint",
    "equinox.tree_deserialise_leaves",
)
def from_file(call: Call) -> Value:
    target = call.get(1, "target") or call.keyword("like")
    return UNKNOWN if target is None or target.is_none else target


@model("flax.serialization.from_bytes", "flax.serialization.from_state_dict")
def deserialised(call: Call) -> Value:
    return call.argument(0, "target")
