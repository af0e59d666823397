"""Built-in functions about types and attributes: isinstance, getattr, super, property, ..."""

from __future__ import annotations

from typing import Any

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    BOTTOM,
    NONE,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Library,
    Mapping,
    Method,
    Number,
    Object,
    Sequence,
    Symbol,
    Tuple,
    Value,
    constant,
    join,
    only,
)
from gotcha_lint.interpret.call import Call, methods, model
from gotcha_lint.interpret.heap import (
    class_attribute,
    class_of,
    contents,
    defines,
)
from gotcha_lint.interpret.promotion import dtypes_of

_ANY_BOOL = Number("bool", 0, 1)


# Types and identity

_SEQUENCES = ("tuple", "list", "set", "frozenset", "dict")
_WIDER = {
    "bool": ("bool", "int", "object"),
    "list": ("list", "object"),
}
_ARRAY_TYPES = ("jax.Array", "jax.numpy.ndarray", "numpy.ndarray")


@model("builtins.isinstance")
def is_instance(call: Call) -> Value:
    if len(call.args) < 2:
        return only(_ANY_BOOL)
    value, results = call.args[0], set[bool | None]()
    for atom in value.atoms:
        results.add(_is_instance_of(call, atom, call.args[1]))
    if value.unknown or not value.atoms or None in results or len(results) != 1:
        return only(_ANY_BOOL, value.marks)
    return constant(results.pop(), call.origin)


def _is_instance_of(call: Call, atom: Atom, classes: Value) -> bool | None:
    content = contents(call.engine, classes)
    if isinstance(content, Tuple):
        answers = [_is_instance_of(call, atom, one) for one in content.items]
        return True if True in answers else None if None in answers else False
    cls = classes.only
    if isinstance(cls, Library):
        return _is_of_library(atom, cls.name)
    if isinstance(cls, Object) and cls.site.kind == "class":
        mine = class_of(atom)
        if mine is not None:
            return True if _inherits(mine, cls.site) else _certain(mine)
        plain = isinstance(atom, (Constant, Number, Array, Tuple, Sequence, Mapping))
        container = isinstance(atom, Object) and atom.site.kind in _SEQUENCES
        return False if plain or container or isinstance(atom, Library) else None
    return None


def _inherits(cls: Site, base: Site) -> bool:
    return cls is base or any(_inherits(own, base) for own in cls.info["bases"])


def _certain(cls: Site) -> bool | None:
    """No, unless a base of the class is not known."""
    return None if "?" in cls.info["library"] else False


def _is_of_library(atom: Atom, name: str) -> bool | None:
    kind = type_name(atom)
    if name.startswith("builtins."):
        asked = name.removeprefix("builtins.")
        if asked == "object":
            return True
        if kind is None:
            return None
        return asked in _WIDER.get(kind, (kind,))
    if name in _ARRAY_TYPES:
        if isinstance(atom, Array):
            host = name == "numpy.ndarray"
            if atom.place == "python":
                return False
            return None if atom.shape == () and host else (atom.place == "host") == host
        return None if kind is None else False
    if name.startswith("types.") and kind is not None:
        return False if kind != "NoneType" else name == "types.NoneType"
    return None


def type_name(atom: Atom) -> str | None:
    """The built-in type of a value; "array" for arrays; None where it is not known."""
    if isinstance(atom, (Constant, Number)):
        return atom.type
    if isinstance(atom, Tuple):
        return "tuple"
    if isinstance(atom, Mapping):
        return "dict"
    if isinstance(atom, Array):
        return "array"
    if isinstance(atom, Object) and atom.site.kind in ("list", "dict", "set"):
        labelled = atom.site.info.get("label")
        return None if labelled else atom.site.kind
    return None


@model("builtins.issubclass")
def is_subclass(call: Call) -> Value:
    a, b = call.argument(0, "class").only, call.argument(1, "of").only
    if isinstance(a, Object) and isinstance(b, Object) and a.site.kind == b.site.kind == "class":
        known = True if _inherits(a.site, b.site) else _certain(a.site)
        if known is not None:
            return constant(known, call.origin)
    return only(_ANY_BOOL, call.marks)


@model("builtins.type")
def type_of(call: Call) -> Value:
    value = call.argument(0, "object")
    if len(call.args) != 1 or value.unknown or not value.atoms:
        return Value((), True, call.marks)
    out = BOTTOM
    for atom in value.atoms:
        cls, name = class_of(atom), type_name(atom)
        if cls is not None:
            out = join(out, only(Object(cls, call.origin)))
        elif name is not None and name not in ("array", "NoneType"):
            out = join(out, only(Library(f"builtins.{name}", call.origin)))
        else:
            out = join(out, Value((), True, value.marks))
    return out


@model("builtins.callable")
def is_callable(call: Call) -> Value:
    value, results = call.argument(0, "object"), set[bool | None]()
    for atom in value.atoms:
        results.add(_is_callable(call, atom))
    if value.unknown or len(results) != 1 or None in results:
        return only(_ANY_BOOL, value.marks)
    return constant(results.pop(), call.origin)


def _is_callable(call: Call, atom: Atom) -> bool | None:
    if isinstance(atom, Method):
        return True
    if isinstance(atom, (Constant, Number, Array, Tuple, Sequence, Mapping)):
        return False
    if isinstance(atom, Object):
        kind = atom.site.kind
        if kind in ("function", "class", "transform"):
            return True
        if kind in ("list", "dict", "set", "module"):
            return False
        if kind == "instance" and defines(call.engine, atom, "__call__"):
            return True
    return None


# Attributes by name


@model("builtins.getattr")
def get_attribute(call: Call) -> Value:
    if len(call.args) < 2:
        return UNKNOWN
    value, name = call.args[0], call.args[1].constant
    if not isinstance(name, str):
        return Value((), True, call.marks)
    known = _has(call, value, name)
    default = call.args[2] if len(call.args) > 2 else None
    if default is not None and known is False:
        return default
    found = call.engine.attribute(value, name, call.span)
    return found if default is None or known else join(found, default)


# NumPy's and JAX's arrays and tracers have these; of others it depends on which one it is.
_OF_ARRAYS = frozenset(
    ("shape", "dtype", "ndim", "size", "T", "item", "tolist", "astype", "reshape", "__array__")
)


@model("builtins.hasattr")
def has_attribute(call: Call) -> Value:
    name = call.argument(1, "name").constant
    value = call.argument(0, "object")
    known = _has(call, value, name) if isinstance(name, str) else None
    return only(_ANY_BOOL, value.marks) if known is None else constant(known, call.origin)


def _has(call: Call, value: Value, name: str) -> bool | None:
    """Has each alternative such an attribute? None where this is not known."""
    answers = {_atom_has(call, atom, name) for atom in value.atoms}
    if value.unknown or len(answers) != 1:
        return None
    return answers.pop()


def _atom_has(call: Call, atom: Atom, name: str) -> bool | None:
    if isinstance(atom, (Constant, Number)):
        types = {"int": int, "float": float, "bool": bool, "str": str, "NoneType": type(None)}
        kind = types.get(atom.type)
        return None if kind is None else hasattr(kind, name)
    if isinstance(atom, Tuple):
        return hasattr(tuple, name)
    if isinstance(atom, Array):
        return True if name in _OF_ARRAYS else None
    if not isinstance(atom, Object):
        return None
    site = atom.site
    if site.kind in ("list", "dict", "set"):
        return hasattr({"list": list, "dict": dict, "set": set}[site.kind], name)
    if site.kind == "instance":
        cls = site.info.get("class")
        if call.engine.read((site, name)) is not None:
            return True
        if cls is not None and class_attribute(call.engine, cls, name) is not None:
            return True
    return None


@model("builtins.setattr")
def set_attribute(call: Call) -> Value:
    if len(call.args) == 3 and isinstance(call.args[1].constant, str):
        for atom in call.args[0].atoms:
            if isinstance(atom, Object):
                place: Any = (atom.site, call.args[1].constant)
            elif isinstance(atom, Symbol):
                place = (atom, call.args[1].constant)
            else:
                continue
            call.engine.write(place, call.args[2], call.span)
    elif len(call.args) == 3:
        _set_any(call)
    return NONE


def _set_any(call: Call) -> None:
    """`setattr(self, name, value)`: each attribute may be that now."""
    for atom in call.args[0].atoms:
        if isinstance(atom, Object) and atom.site.kind == "instance":
            for name in call.engine.fields_of(atom.site):
                held = call.engine.read((atom.site, name))
                if held is not None:
                    call.engine.write((atom.site, name), join(held, UNKNOWN), call.span)


# Classes and decorators


@model("builtins.super")
def super_of(call: Call) -> Value:
    """`super()` in a method: what the bases of its class define, bound to the first argument."""
    machine = call.engine
    activation = machine.activation
    function = activation.function
    if call.args:
        cls, me = call.args[0].only, call.argument(1, "object")
        if isinstance(cls, Object) and cls.site.kind == "class":
            return _super(call, cls.site, me)
        return UNKNOWN
    cls = function.parent
    if cls is None or not cls.is_class or not function.parameters:
        return UNKNOWN
    me = machine.peek((activation.frame, function.parameters[0].name)) or UNKNOWN
    mine = None if me.only is None else class_of(me.only)
    for site in (*_line_of(mine), *machine.met.classes()):
        if site.info.get("function") is cls:
            return _super(call, site, me)
    return UNKNOWN


def _line_of(cls: Site | None) -> list[Site]:
    """A class and all its bases."""
    if cls is None:
        return []
    return [cls, *(site for base in cls.info["bases"] for site in _line_of(base))]


def _super(call: Call, cls: Site, me: Value) -> Value:
    site = call.engine.allocate("super", call.span, cls)
    site.info.update({"bases": cls.info["bases"], "self": me, "class": cls})
    return only(Object(site, call.origin))


_WRAPPERS = {
    "cached_property": "cached_property",
    "property": "property",
    "staticmethod": "static_method",
    "classmethod": "class_method",
}


@model(
    "builtins.property",
    "builtins.staticmethod",
    "builtins.classmethod",
    "functools.cached_property",
)
def wrapped_function(call: Call) -> Value:
    site = call.engine.allocate(_WRAPPERS[call.short], call.span)
    site.info["inner"] = call.argument(0, "fget")
    return only(Object(site, call.origin))


@methods("property")
def property_method(call: Call) -> Value:
    """`@x.setter`, `@x.deleter`: the property with one more function; reading it is the same."""
    return call.receiver if call.name in ("getter", "setter", "deleter") else UNKNOWN


@model("builtins.object")
def plain_object(call: Call) -> Value:
    """A new object that is equal to itself alone: a sentinel."""
    return only(Object(call.engine.allocate("object", call.span), call.origin))


@model("jax.numpy.dtype", "numpy.dtype")
def dtype_of(call: Call) -> Value:
    """`jnp.dtype("bfloat16")`, `jnp.dtype(jnp.bfloat16)`: what a layer or an array is given."""
    given = call.argument(0, "dtype")
    names = dtypes_of(given)
    if given is None or not all(names):
        return Value((), True, call.marks)
    atoms = [Library(f"jax.numpy.{name}", call.origin) for name in names]
    return Value(atoms, False, given.marks, given.choice)
