"""Decorators and functions that say what a class is for JAX: dataclasses, registered trees."""

from __future__ import annotations

from gotcha_lint.domain.value import (
    NONE,
    UNKNOWN,
    Constant,
    Library,
    Mapping,
    Object,
    Tuple,
    Value,
    only,
)
from gotcha_lint.interpret.attributes import set_attribute
from gotcha_lint.interpret.call import Call, alias, model
from gotcha_lint.interpret.containers.building import new_dict
from gotcha_lint.interpret.heap import class_of, contents_of

_DEPTH = 3  # of dataclasses in dataclasses

alias(
    {
        "chex.dataclass": "flax.struct.dataclass",
        "jax.tree_util.register_pytree_node_class": "flax.struct.dataclass",
        "jax.tree_util.register_dataclass": "flax.struct.dataclass",
        "jax_dataclasses.pytree_dataclass": "flax.struct.dataclass",
        "tree_math.struct": "flax.struct.dataclass",
        "flax.nnx.dataclass": "flax.struct.dataclass",
        "attr.s": "dataclasses.dataclass",
        "attr.dataclass": "dataclasses.dataclass",
        "attrs.define": "dataclasses.dataclass",
        "attrs.frozen": "#frozen",
    }
)


def _mark(value: Value, words: list[str]) -> Value:
    for atom in value.atoms:
        if isinstance(atom, Object) and atom.site.kind == "class":
            atom.site.info["decorators"].extend(words)
    return value


@model("dataclasses.dataclass", "flax.struct.dataclass", "#frozen")
def dataclass(call: Call) -> Value:
    """`@dataclass`, `@dataclass(frozen=True)`, `@struct.dataclass`."""
    frozen = call.keyword("frozen")
    is_frozen = call.name == "#frozen" or (frozen is not None and frozen.constant is True)
    if not call.args:
        name = "#frozen" if is_frozen and call.name != "flax.struct.dataclass" else call.name
        site = call.engine.allocate("transform", call.span, "partial")
        site.info.update(
            word="partial", inner=only(Library(name)), args=(), keywords=dict(call.keywords)
        )
        return only(Object(site, call.origin))
    words = ["struct"] if call.name == "flax.struct.dataclass" else ["dataclass"]
    _note_static_fields(call)
    return _mark(call.args[0], words + (["frozen"] if is_frozen else _hash_of(call)))


def _hash_of(call: Call) -> list[str]:
    """What `eq=False` and `unsafe_hash=True` say; `?`: what is not known."""
    equal, unsafe = call.keyword("eq"), call.keyword("unsafe_hash")
    if unsafe is not None and unsafe.constant is not False:
        return ["frozen" if unsafe.constant is True else "?"]
    return [] if equal is None else ["identity" if equal.constant is False else "?"]


def _note_static_fields(call: Call) -> None:
    """`meta_fields` of `register_dataclass` are no leaves."""
    given = call.keyword("meta_fields")
    if given is None:
        return
    names: list[str] = []
    for atom in given.atoms:
        content = contents_of(call.engine, atom)
        if isinstance(content, Tuple):
            for item in content.items:
                known = item.only
                if isinstance(known, Constant) and isinstance(known.value, str):
                    names.append(known.value)
    for atom in call.args[0].atoms:
        if isinstance(atom, Object) and atom.site.kind == "class":
            atom.site.info["statics"].extend(names)


@model(
    "jax.tree_util.register_pytree_node",
    "jax.tree_util.register_pytree_with_keys",
    "jax.tree_util.register_pytree_with_keys_class",
    "jax.tree_util.register_static",
)
def register(call: Call) -> Value:
    if call.args:
        _mark(call.args[0], ["struct"])
    return call.args[0] if call.short.endswith(("class", "static")) and call.args else NONE


@model("flax.struct.field", "dataclasses.field", "attr.ib", "attrs.field")
def field(call: Call) -> Value:
    """The default of a field; `pytree_node=False` makes it static."""
    static = call.keyword("pytree_node")
    default = call.keyword("default")
    if static is not None and static.constant is False:
        for cls in call.engine.classes[-1:]:
            cls.info["static_lines"].add(call.span[0])
    factory = call.keyword("default_factory")
    if factory is not None:
        made = call.engine.call(factory, (), {}, call.span)
        for atom in made.atoms:
            if isinstance(atom, Object):
                atom.site.info["of each object"] = True  # of its class, not one for all
        return made
    return UNKNOWN if default is None else default


@model("dataclasses.asdict", "dataclasses.astuple", "attr.asdict", "attrs.asdict")
def fields_of(call: Call) -> Value:
    """The fields of a dataclass by name, or in a row; those of the dataclasses in it, too."""
    value = call.args[0] if call.args else call.argument(0, "obj")
    return _parted(call, value, 0) or UNKNOWN


def _parted(call: Call, value: Value, depth: int) -> Value | None:
    """None for what is no object of a dataclass."""
    atom = value.only
    cls = class_of(atom) if isinstance(atom, Object) and atom.site.kind == "instance" else None
    if cls is None or not {"dataclass", "struct"} & set(cls.info["decorators"]) or depth > _DEPTH:
        return None
    names = tuple(dict.fromkeys(name for name, _ in cls.info["fields"]))
    held = [call.engine.attribute(value, name, call.span) for name in names]
    values = tuple(_parted(call, each, depth + 1) or each for each in held)
    if call.short == "astuple":
        return only(Tuple(values, call.origin), value.marks)
    mapping = Mapping(names, values, None, call.origin)
    return new_dict(call.engine, mapping, call.span, f"asdict {depth}").marked(value.marks)


@model("builtins.object.__setattr__", "builtins.object.__new__")
def object_method(call: Call) -> Value:
    """`object.__setattr__(self, name, value)`, as frozen classes write their own fields."""
    if call.short == "__setattr__" and len(call.args) == 3:
        name = call.args[1].constant
        if isinstance(name, str):
            set_attribute(call.engine, call.args[0], name, call.args[2], call.span)
        return NONE
    return UNKNOWN
