"""Types where a default was given: `def f(sizes=List[int])` (floor `patterns`).

It under-approximates: a parameter whose name says that it is for a type is left out, and so is one
with an annotation, whose writer knows what an annotation is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.mutable_defaults import is_dataclass
from gotcha_lint.patterns.training.layer_arguments import tokens_of
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Span
from gotcha_lint.program.links import Links

_GENERIC = frozenset(
    ("builtins.list", "builtins.tuple", "builtins.dict", "builtins.set", "builtins.frozenset",
     "builtins.type", "collections.abc.Sequence", "collections.abc.Callable",
     "collections.abc.Iterable", "collections.abc.Mapping")
)  # fmt: skip
_ARRAYS = frozenset(("jax.Array", "jax.numpy.ndarray", "numpy.ndarray", "chex.Array"))
_OF_TYPES = frozenset(
    ("type", "types", "typ", "tp", "cls", "class", "klass", "kind", "hint", "annotation", "dtype",
     "schema", "spec", "returns", "out", "convert", "converter", "cast", "parser")
)  # fmt: skip


@dataclass(frozen=True)
class TypeDefault:
    """`kind`: "parameter" or "field"; `owner`: the function or the class."""

    kind: str
    name: str
    owner: str
    span: Span


def type_defaults(links: Links, function: Function) -> Iterator[TypeDefault]:
    """Of the functions that one body defines; of a class, of its fields, too."""
    makers = links.makers(function)
    fields = {i[2] for i in steps_of(function) if i[0] == "field"}
    of_class = function.is_class and is_dataclass(links, function)
    for i in steps_of(function):
        if i[0] == "closure":
            annotated = {p.name for p in i[2].parameters if p.annotation}
            given = [("parameter", *one, i[2].name) for one in i[3] if one[0] not in annotated]
        elif i[0] == "store" and of_class and i[3] == 0 and i[2] not in fields:
            given = [("field", i[2], i[4], function.name)] if i[2][:1].islower() else []
        else:
            continue
        for kind, name, register, owner in given:
            made = makers.get(register)
            if made is None or _OF_TYPES & tokens_of(name) or not _is_type(links, function, made):
                continue
            yield TypeDefault(kind, name, owner, made[-1])


def _is_type(links: Links, function: Function, made: Instruction) -> bool:
    name = links.dotted(function, made[1])
    if made[0] == "item":
        return name.startswith("typing.") or name in _GENERIC
    return made[0] in ("load", "attr") and (name.startswith("typing.") or name in _ARRAYS)
