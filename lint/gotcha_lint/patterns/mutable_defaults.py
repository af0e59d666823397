"""Defaults of fields that a dataclass refuses (floor `patterns`): Python 3.11 wants them hashable.

A list, a dict, a set, an array, or an object of a dataclass that compares by value and is not
frozen. It under-approximates: what other calls give is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links

_BY_DECORATOR = frozenset(
    ("dataclasses.dataclass", "flax.struct.dataclass", "chex.dataclass", "flax.nnx.dataclass")
)
_BY_BASE = frozenset(("flax.linen.Module", "flax.struct.PyTreeNode", "equinox.Module"))
_NO_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")
_ARRAYS = frozenset(
    f"{module}.{name}"
    for module in ("numpy", "jax.numpy")
    for name in (
        "array", "asarray", "zeros", "ones", "full", "empty", "arange", "linspace", "eye",
        "identity", "zeros_like", "ones_like", "full_like", "concatenate", "stack",
    )
) | {"jax.random.key", "jax.random.PRNGKey"}  # fmt: skip
_BUILTIN = frozenset(("builtins.list", "builtins.dict", "builtins.set"))


@dataclass(frozen=True)
class MutableDefault:
    """`field` of a class, its default, and `what` that is, in words."""

    field: str
    span: Span
    what: str


def mutable_defaults(links: Links, body: Function) -> Iterator[MutableDefault]:
    """Those of one class, whose body this is."""
    if not body.is_class or not is_dataclass(links, body):
        return
    makers = links.makers(body)
    for i in steps_of(body):
        if i[0] != "field" or not i[3] or any(word in i[4] for word in _NO_FIELDS):
            continue
        registers = links.stores(body).get(i[2], [])
        made = makers.get(registers[0]) if len(registers) == 1 else None
        what = None if made is None else _mutable(links, body, made)
        if made is not None and what is not None:
            yield MutableDefault(i[2], made[-1], what)


def is_dataclass(links: Links, body: Function) -> bool:
    """By its decorator, or by a class that it extends."""
    if any(name in _BY_DECORATOR for name, _ in decorators_of(links, body)):
        return True
    lineage = links.lineage(body) or []
    return any(name in _BY_BASE for _, parts in lineage for name in parts.library)


def _mutable(links: Links, body: Function, made: Instruction) -> str | None:
    if made[0] in ("build", "dict"):
        kind = "dict" if made[0] == "dict" else made[2]
        return None if kind == "tuple" else f"a {kind}"
    if made[0] != "call":
        return None
    name = links.dotted(body, made[2])
    if name in _BUILTIN:
        return f"a {name.rpartition('.')[2]}"
    if name in _ARRAYS:
        return "an array"
    link = links.of_register(body, made[2])
    if link is None or link.kind != "class":
        return None
    return f"an object of `{link.function.name}`" if _is_unhashable(links, link.function) else None


def _is_unhashable(links: Links, body: Function) -> bool:
    """A dataclass of the program with `eq` and without `frozen`, which takes its hash away."""
    if "__hash__" in links.stores(body):
        return False
    for name, options in decorators_of(links, body):
        if name != "dataclasses.dataclass":
            continue
        falsy = all(options.get(word, False) is False for word in ("frozen", "unsafe_hash"))
        return falsy and options.get("eq", True) is True
    return False


def decorators_of(links: Links, body: Function) -> Iterator[tuple[str, dict[str, object]]]:
    """The full names of the decorators of a class, and their options; an unknown one is None."""
    owner = body.parent or links.finder.modules[body.path].top
    makers = links.makers(owner)
    held = next((i[1] for i in steps_of(owner) if i[0] == "class" and i[2] is body), None)
    for i in steps_of(owner):
        if i[0] == "call" and len(i[3]) == 1 and i[3][0] == (False, held) and not i[4]:
            made = makers.get(i[2])
            if made is not None and made[0] == "call":
                options = {str(word): _constant(makers, at) for word, at in made[4]}
                yield links.dotted(owner, made[2]), options
            else:
                yield links.dotted(owner, i[2]), {}
            held = i[1]


def _constant(makers: dict[Register, Instruction], register: Register) -> object:
    made = makers.get(register)
    return made[2] if made is not None and made[0] == "const" else None
