"""Checkpoints: what is restored has the structure and the types of the target that is given."""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Mapping, Object, Value, only
from gotcha_lint.facts.checkpoints import ORBAX
from gotcha_lint.facts.optax import SAVES_LATER, WAITS
from gotcha_lint.facts.processes import FEWER
from gotcha_lint.interpret.call import Call, methods, model
from gotcha_lint.interpret.effects import BEGUN, COLLECTIVE, LATER, RESTORED, SAVED, WAITED, note

_TOGETHER = "saves together"
_NAME, _OPTIONS = "checkpointer", "checkpoint options"
_ASKED = frozenset(("enable_async_checkpointing", "async_options", "*", "**"))


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
    own = call.get(1, "checkpointers") if call.short == "CheckpointManager" else None
    options = call.get(2, "options") if call.short == "CheckpointManager" else None
    later = call.name in SAVES_LATER and _leaves_it_so(options) and _is_asynchronous(own)
    site.info[LATER] = later
    asked = FEWER & call.keywords.keys()
    site.info[_TOGETHER] = not asked and _saves_together(options)
    return only(Object(site, call.origin))


@model("orbax.checkpoint.CheckpointManagerOptions")
def manager_options(call: Call) -> Value:
    site = call.engine.allocate("object", call.span, _OPTIONS)
    site.info.update(name=_OPTIONS, given=frozenset(call.keywords))
    return only(Object(site, call.origin))


def _is_asynchronous(checkpointer: Value | None) -> bool:
    """The manager of old that is given its checkpointer waits where that one does."""
    if checkpointer is None or checkpointer.is_none:
        return True
    atom = checkpointer.only
    return isinstance(atom, Object) and bool(atom.site.info.get(LATER))


def _saves_together(options: Value | None) -> bool:
    """All processes call it, unless the options name some."""
    if options is None or options.is_none:
        return True
    atom = options.only
    if not isinstance(atom, Object) or atom.site.info.get("name") != _OPTIONS:
        return False
    return FEWER.isdisjoint(atom.site.info["given"])


def _leaves_it_so(options: Value | None) -> bool:
    """A manager saves in the background unless its options say otherwise."""
    if options is None:
        return True
    atom = options.only
    if not isinstance(atom, Object) or atom.site.info.get("name") != _OPTIONS:
        return False
    return _ASKED.isdisjoint(atom.site.info["given"])


@methods(f"object:{_NAME}")
def checkpointer_method(call: Call) -> Value:
    """`restore(step, items={"state": state})`, `restore(path, args=StandardRestore(state))`."""
    assert isinstance(call.on, Object)
    later = call.on.site.info[LATER]
    if later and (call.short == "save" or call.short in WAITS or call.short == "restore"):
        kind = BEGUN if call.short == "save" else WAITED
        note(call.engine, kind, call.short, call.span, owner=call.on.site)
    if call.short in ("save", "restore"):
        note(call.engine, SAVED if call.short == "save" else RESTORED, ORBAX, call.span)
        if call.on.site.info[_TOGETHER]:
            note(call.engine, COLLECTIVE, call.short, call.span)
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
