"""Attributes of objects, classes, modules and symbols; how classes are made."""

from __future__ import annotations

from collections.abc import Hashable

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import made_in, without_dispatches, without_histories
from gotcha_lint.domain.sites import Frame, Site, Span
from gotcha_lint.domain.tracers import METHODS_OF_ARRAYS, OF_ARRAY, TRACERS, holds_tracers, is_array
from gotcha_lint.domain.value import (
    BOTTOM,
    NO_MARKS,
    UNKNOWN,
    Array,
    Atom,
    Library,
    Marks,
    Method,
    Object,
    Symbol,
    Value,
    is_tree_of_leaf,
    join,
    only,
)
from gotcha_lint.facts.draws import GENERATOR, GENERATORS
from gotcha_lint.facts.loaders import LOADERS
from gotcha_lint.interpret.array_attributes import array_attribute
from gotcha_lint.interpret.batches import is_ragged
from gotcha_lint.interpret.copies import COPYING, is_copy, original
from gotcha_lint.interpret.derivative import OF_ARRAYS_ALONE, as_array, at_key, is_opaque
from gotcha_lint.interpret.faults.checkpoints import check_saved
from gotcha_lint.interpret.faults.divisors import check_none
from gotcha_lint.interpret.faults.remarks import note_asked, remark
from gotcha_lint.interpret.heap import class_attribute
from gotcha_lint.interpret.host import METHODS as READS
from gotcha_lint.interpret.imports import library_attribute, module_attribute
from gotcha_lint.interpret.layers.eager_loops import without_layers
from gotcha_lint.interpret.machine import Instruction, Machine, Registers
from gotcha_lint.interpret.state import Activation
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function

# Known before the array is computed; no derivative flows through
_WITHOUT_VALUES = frozenset(("shape", "ndim", "size", "dtype", "nbytes", "itemsize", "sharding"))
_OF_VARIABLES = ("value", "raw_value")  # of linen and nnx, which hold an array
_OF_CONTAINERS_ALONE = frozenset(
    name for kind in (dict, list, set, str) for name in dir(kind) if not name.startswith("_")
) - {"copy", "sort", "partition"}  # these arrays have too
_BOUND = ("function", "transform", "class_method")


def attribute(machine: Machine, value: Value, name: str, span: Span) -> Value:
    """`value.name`; what a value varies with, its attributes vary with."""
    if machine.differentiated and name in OF_ARRAYS_ALONE and is_opaque(value):
        array = as_array(value, machine.origin(span))
        return only(Method(array, name, machine.origin(span)))
    if machine.traced and name in METHODS_OF_ARRAYS and _is_traced_array(machine, value):
        return only(Method(as_array(value, machine.origin(span)), name, machine.origin(span)))
    if value.is_none:
        check_none(machine, value, name, span)
    out = without_layers(Value((), True, value.marks)) if value.unknown else BOTTOM
    if name in _WITHOUT_VALUES:  # the host knows these, whatever the device still computes
        marks = without_histories(out.marks - made_in(out.marks))
        out = Value((), out.unknown, marks - TRACERS)
        value = Value(value.atoms, value.unknown, value.marks - TRACERS, value.choice)
    if value.unknown and name in READS and made_in(value.marks):
        method = Method(Value((), True, value.marks), name, machine.origin(span))
        out = only(method)
    if value.unknown and name in ("astype", "get"):
        out = only(Method(Value((), True, value.marks), name, machine.origin(span)))
    for atom in value.atoms:
        found = _of_atom(machine, atom, value, name, span)
        bound = any(isinstance(x, Method) for x in found.atoms)
        if value.marks and not isinstance(atom, Library) and not bound:
            if machine.differentiated and isinstance(atom, (Object, Symbol)):
                found = at_key(found, value.marks, f".{name}")
            else:
                found = found.marked(value.marks)
            if name not in OF_ARRAY and not _is_traced_part(machine, atom, name, found):
                found = Value(found.atoms, found.unknown, found.marks - TRACERS, found.choice)
        out = join(out, found)
    if name in _WITHOUT_VALUES:
        marks = without_dispatches(out.marks)
        if machine.differentiated:
            marks -= flows_in(marks)
        return Value(out.atoms, out.unknown, marks, out.choice)
    return out


def _is_traced_array(machine: Machine, value: Value) -> bool:
    """A traced argument of which nothing is known has methods of arrays: it is one."""
    atom = value.only
    return (
        isinstance(atom, Symbol)
        and holds_tracers(value)
        and machine.peek((atom, "shape")) is None
        and annotated_class(machine, atom) is None
    )


def _is_traced_part(machine: Machine, atom: Atom, name: str, found: Value) -> bool:
    """Is an attribute of a traced tree traced? An array of its fields is, and a tree in them.

    Numbers may be static, as `equinox.filter_jit` leaves them.
    """
    if not isinstance(atom, Object):
        return _is_array_field(machine, atom, name)
    site = atom.site
    cls = site.info.get("class")
    own = (*site.info.get("statics", ()), *(cls.info["statics"] if cls is not None else ()))
    if found.unknown or site.kind != "instance" or name in own or not machine.traced:
        return False  # what a trace has given holds no tracers any more
    return all(
        each.place == "device"
        if isinstance(each, Array)
        else isinstance(each, Object) and each.site.kind == "instance"
        for each in found.atoms
    )


def _is_array_field(machine: Machine, atom: Atom, name: str) -> bool:
    """Does the class that a parameter is annotated with say that this is an array?"""
    cls = annotated_class(machine, atom) if isinstance(atom, Symbol) else None
    return cls is not None and name in _array_fields(cls)


def _array_fields(cls: Site) -> set[str]:
    fields = (i for i in steps_of(cls.info["function"]) if i[0] == "field")
    return {i[2] for i in fields if is_array(i[4])}


def class_of_tracers(machine: Machine, value: Value) -> Site | None:
    """The class of a traced parameter that says which of its fields are arrays."""
    atom = value.only
    if not isinstance(atom, Symbol) or not holds_tracers(value):
        return None
    cls = annotated_class(machine, atom)
    return cls if cls is not None and _array_fields(cls) else None


def _of_atom(machine: Machine, atom: Atom, value: Value, name: str, span: Span) -> Value:
    if isinstance(atom, Object):
        return _of_site(machine, atom, value, name, span)
    if isinstance(atom, Library):
        return library_attribute(machine, f"{atom.name}.{name}", span)
    if isinstance(atom, Symbol):
        written = machine.read((atom, name))
        if written is not None:
            return written
        if is_copy(atom) and name not in COPYING:
            return _of_atom(machine, original(atom), value, name, span)
        if (method := _of_annotated(machine, atom, name, span)) is not None:
            return method
        if name == "shape" and (batch := is_ragged(atom)) is not None:
            looked_at = frozenset((("ragged", batch),))
            value = value.marked(looked_at)
        step = atom.step("." + name, machine.origin(span))
        return only(step, value.marks) if step is not None else Value((), True, value.marks)
    if isinstance(atom, Array):
        if name in _OF_CONTAINERS_ALONE:
            return Value(
                (), True
            )  # so it is no array: where it is used, a test has told them apart
        return array_attribute(machine, atom, value, name, span)
    receiver = Value((atom,), False, value.marks)
    if isinstance(atom, Method) and name in _AT_METHODS:
        return only(Method(atom.receiver, f"at.{name}", machine.origin(span)))
    return only(Method(receiver, name, machine.origin(span)))


def annotation_text(atom: Symbol) -> str:
    """What a parameter is annotated with, as it is written."""
    if atom.path or not isinstance(atom.root, tuple) or not isinstance(atom.root[0], Function):
        return ""
    function, parameter = atom.root[:2]
    words = (p.annotation.strip("'\"") for p in function.parameters if p.name == parameter)
    return next(words, "")


def annotation_of(machine: Machine, parameter: Symbol) -> Atom | None:
    """What the annotation of a parameter names."""
    head, *rest = annotation_text(parameter).split(".")
    function = parameter.root[0] if isinstance(parameter.root, tuple) else None
    if not isinstance(function, Function) or not head.isidentifier():
        return None
    found = machine.peek((function.path, head))
    atom = found.only if found is not None else None
    if rest and isinstance(atom, Library):
        return Library(".".join((atom.name, *rest)))
    return None if rest else atom


_PLAIN_ROOT = 2  # a function, the name of a parameter; and then perhaps a class


def annotated_class(machine: Machine, atom: Symbol) -> Site | None:
    """The class of the project that a parameter, or what is given for it, is annotated with."""
    if not atom.path and isinstance(atom.root, tuple) and len(atom.root) > _PLAIN_ROOT:
        return atom.root[_PLAIN_ROOT]
    cls = annotation_of(machine, atom)
    return cls.site if isinstance(cls, Object) and cls.site.kind == "class" else None


def _of_annotated(machine: Machine, atom: Symbol, name: str, span: Span) -> Value | None:
    """A compiled method of the class that a parameter is annotated with."""
    cls = annotation_of(machine, atom)
    if isinstance(cls, Library) and cls.name in GENERATORS:
        return only(Library(f"{GENERATOR}.{name}"))
    site = annotated_class(machine, atom)
    found = class_attribute(machine, site, name) if site is not None else None
    inner = found.only if found is not None else None
    if not isinstance(inner, Object) or inner.site.kind != "transform":
        return None
    return _bound_to(machine, only(inner), only(atom), ("annotated", name), span)


_AT_METHODS = frozenset(
    ("set", "add", "get", "multiply", "min", "max", "mul", "divide", "apply", "power", "subtract")
)


def update_of(symbol: Symbol, marks: Marks) -> Method | None:
    """`x.at[i].set` of a caller's `x`: nothing but an array has it."""
    if len(symbol.path) < _UPDATE or symbol.path[-3] != ".at":
        return None
    name = str(symbol.path[-1]).removeprefix(".")
    array = Array(None, False, None, "device", symbol.origin)
    return Method(only(array, marks), f"at.{name}", symbol.origin) if name in _AT_METHODS else None


_UPDATE = 3  # steps of `.at[i].set`


def _of_site(machine: Machine, atom: Object, value: Value, name: str, span: Span) -> Value:
    site = atom.site
    if site.kind in ("instance", "class"):
        return _of_instance(machine, atom, value, name, span)
    if site.kind == "module":
        found = machine.read((site.path, name))
        return module_attribute(machine, site.path, name, span) if found is None else found
    if site.kind == "super":
        return _of_super(machine, site, name, span)
    found = machine.read((site, name))
    if found is not None:
        return found
    if is_tree_of_leaf(atom) or (site.info.get("holds") and not name.startswith("__")):
        return Value((), True, value.marks)  # parameters of a layer, of which nothing is known
    return only(Method(Value((atom,), False, value.marks), name, machine.origin(span)))


def _of_instance(machine: Machine, atom: Object, value: Value, name: str, span: Span) -> Value:
    site = atom.site
    found = machine.read((site, name))
    if found is not None:
        return found
    bound = only(Method(Value((atom,), False, value.marks), name, machine.origin(span)))
    cls = site if site.kind == "class" else site.info.get("class")
    in_class = class_attribute(machine, cls, name) if cls is not None else None
    if cls is None:
        return bound
    if in_class is None:
        special = cls.info["library"] or cls.info["decorators"]
        own = site.kind == "instance" or (name == "create" and is_train_state(cls))
        return bound if special and own else UNKNOWN
    if site.kind == "class":
        part = in_class.only
        is_bound = isinstance(part, Object) and part.site.kind == "class_method"
        return bound if is_bound else _of_class(in_class)
    me = Value((atom,), False, value.marks)
    out = Value((), True) if in_class.unknown else BOTTOM
    for part in in_class.atoms:
        out = join(out, _bound(machine, part, me, bound, name, span))
    return out


def is_train_state(cls: Site) -> bool:
    """Is it a class of the program's own that extends Flax's train state?"""
    return any(base.endswith("train_state.TrainState") for base in cls.info["library"])


def _of_class(value: Value) -> Value:
    """What a class attribute is on the class itself."""
    part = value.only
    if isinstance(part, Object) and part.site.kind == "static_method":
        return part.site.info["inner"]
    return value


def _bound(machine: Machine, part: Atom, me: Value, bound: Value, name: str, span: Span) -> Value:
    """What a class attribute is on an instance: a method, the value of a property, itself."""
    if not isinstance(part, Object):
        return only(part)
    kind, info = part.site.kind, part.site.info
    if kind == "property":
        return machine.call(info["inner"], (me,), {}, span)
    if kind == "cached_property":
        return _cached(machine, part.site, me, name, span)
    if kind in _BOUND:
        return bound
    return info["inner"] if kind == "static_method" else only(part)


def _cached(machine: Machine, cache: Site, me: Value, name: str, span: Span) -> Value:
    """A cached property is computed once, whatever loop asks for it first.

    Outside of a trace it gives the same each time: who asks first is not known.
    """
    current, machine.current = machine.current, NO_MARKS
    machine.guarded += 1
    try:
        found = machine.call(cache.info["inner"], (me,), {}, span)
    finally:
        machine.guarded -= 1
        machine.current = current
    for atom in me.atoms if machine.traced else ():
        if isinstance(atom, Object):
            machine.write((atom.site, name), found)
            machine.cached_at[atom.site, name] = cache
    note_asked(machine, cache, span)
    return found


def _of_super(machine: Machine, site: Site, name: str, span: Span) -> Value:
    for base in site.info["bases"]:
        found = class_attribute(machine, base, name)
        if found is not None:
            return _bound_to(machine, found, site.info["self"], ("super", name), span)
    library = next((n for n in site.info["class"].info["library"] if n in LOADERS), "")
    if library and name == "__init__":
        made = only(Library(f"{library}.__init__"))
        return _bound_to(machine, made, site.info["self"], ("super", name), span)
    return UNKNOWN


def _bound_to(
    machine: Machine, method: Value, me: Value, name: tuple[str, str], span: Span
) -> Value:
    bound = machine.allocate("transform", span, name)
    bound.info.update(word="partial", inner=method, args=(me,), keywords={})
    return only(Object(bound, machine.origin(span)))


def set_attribute(machine: Machine, base: Value, name: str, value: Value, span: Span) -> None:
    """`base.name = value`, for each object that it may be."""
    for atom in base.atoms:
        if isinstance(atom, Object):
            machine.write((_holder(atom.site), name), value, span)
        elif isinstance(atom, Symbol):
            machine.write((atom, name), value, span)
    array = base.only
    is_array = isinstance(array, Array) and array.place == "device"
    if is_array and name not in _OF_VARIABLES and not machine.trying:
        remark(machine, "attribute of array", span, name)


def _holder(site: Site) -> Hashable:
    """Whose location an attribute is: names of modules and classes are those of their bodies."""
    if site.kind == "module":
        return site.path
    return site.info["frame"] if site.kind == "class" else site


def make_class(machine: Machine, instruction: Instruction, registers: Registers) -> Value:
    """Runs the body of a class, and notes its bases and fields."""
    _, _, function, bases, _, span = instruction
    outer = machine.activation
    site = machine.allocate("class", span, function)
    frame = machine.frames.setdefault(("class", function, outer.frame), Frame(function))
    own: list[Site] = []
    library: list[str] = []
    for base in bases:
        value = registers.get(base, UNKNOWN)
        for atom in value.atoms:
            if isinstance(atom, Object) and atom.site.kind == "class":
                own.append(atom.site)
                library += atom.site.info["library"]
            elif isinstance(atom, Library):
                library.append(atom.name)
        if value.unknown:
            library.append("?")
    site.info.update(
        function=function,
        name=function.name,
        frame=frame,
        bases=own,
        library=library,
        fields=[field for base in own for field in base.info["fields"]],
        decorators=[word for base in own for word in base.info["decorators"]],
        statics=[name for base in own for name in base.info["statics"]],
        static_lines=set(),  # where a field says that it is no leaf
    )
    inner = () if outer.function.is_module else (outer.frame,)
    inside = Activation(function, frame, outer.environment + inner, len(machine.layers))
    machine.activations.append(inside)
    machine.classes.append(site)
    try:
        machine.run(function.body)
    finally:
        machine.classes.pop()
        machine.activations.pop()
        outer.writes |= inside.writes
        outer.fixed |= inside.fixed
        outer.made.update(inside.made)
        for location, value in inside.reads.items():
            outer.reads.setdefault(location, value)
    machine.classes_made[function] = site
    check_saved(machine, site)
    return only(Object(site, machine.origin(span)))


def class_being_made(machine: Machine) -> Site | None:
    return machine.classes[-1] if machine.classes else None
