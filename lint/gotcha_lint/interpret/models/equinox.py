"""Equinox: the layer that draws random numbers, and copies of modules with other attributes."""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.value import Library, Object, Tuple, Value, only
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.keys import use
from gotcha_lint.interpret.models.flax import replaced
from gotcha_lint.program.data_flow import steps_of

_DROPOUT = "equinox.nn.Dropout"


@model(_DROPOUT)
def dropout(call: Call) -> Value:
    """`eqx.nn.Dropout(0.1)`: a layer, which has no state."""
    rate = call.get(0, "p")
    idle = _infers(call) or (rate is not None and rate.constant == 0)
    return Value((), True, call.marks) if idle else only(Library(f"{_DROPOUT}()", call.origin))


@model(f"{_DROPOUT}()")
def drop(call: Call) -> Value:
    """`dropout(x, key=key)`: draws a mask from the key, unless it is told that it infers."""
    key = call.keyword("key")
    if key is not None and not _infers(call):
        use(call.engine, key, "draw", _DROPOUT, call.span)
    return Value((), True, call.marks)


@model("equinox.tree_at")
def tree_at(call: Call) -> Value:
    """A copy of a module with other attributes: `lambda model: (model.a, model.b)` names them."""
    names, atom = _named(call.argument(0, "where")), call.argument(1, "pytree").only
    given = call.argument(2, "replace")
    if not names or not isinstance(atom, Object) or atom.site.kind != "instance":
        return Value((), True, call.marks)
    content = contents(call.engine, given) if len(names) > 1 else Tuple((given,))
    if not isinstance(content, Tuple) or len(content.items) != len(names):
        return Value((), True, call.marks)
    fields = dict(zip(names, content.items, strict=True))
    return replaced(replace(call, on=atom, args=(), keywords=fields))


def _named(where: Value) -> tuple[str, ...]:
    """The attributes of its parameter that a function gives; none where it gives anything else."""
    atom = where.only
    if not isinstance(atom, Object) or atom.site.kind != "function":
        return ()
    function = atom.site.info["function"]
    own = {p.name for p in function.parameters[:1]}
    steps = {i[1]: i for i in steps_of(function)}
    ends = [i for i in steps_of(function) if i[0] == "return"]
    if len(ends) != 1:
        return ()
    made = steps.get(ends[0][2])
    is_tuple = made is not None and made[:1] == ("build",) and made[2] == "tuple"
    parts = [steps.get(register) for _, register in made[3]] if made and is_tuple else [made]
    names: list[str] = []
    for part in parts:
        base = steps.get(part[2]) if part is not None and part[0] == "attr" else None
        if part is None or base is None or base[0] != "load" or base[2] not in own:
            return ()
        names.append(str(part[3]))
    return tuple(names)


def _infers(call: Call) -> bool:
    told = call.keyword("inference")
    return told is not None and told.constant is True
