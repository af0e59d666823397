"""Calls: of functions, classes, methods, transforms and libraries."""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import aged, made_in, without_dispatches, without_histories
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.tracers import TRACERS, as_tracer, holds_tracers, traced_in
from gotcha_lint.domain.value import (
    BOTTOM,
    INFINITY,
    NONE,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Library,
    Mapping,
    Marks,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    all_marks,
    as_leaf,
    join,
    only,
)
from gotcha_lint.facts.host import FILLING, FORMATTING, SERIALIZING
from gotcha_lint.facts.user import ARRAYS, KEYS, UserFact
from gotcha_lint.interpret.attributes import annotated_class, annotation_of, attribute, update_of
from gotcha_lint.interpret.batches import Batch
from gotcha_lint.interpret.call import METHODS, Call, find
from gotcha_lint.interpret.contexts import CONCRETE
from gotcha_lint.interpret.copies import copied
from gotcha_lint.interpret.derivative import ARRAY_METHODS, as_array, kept
from gotcha_lint.interpret.effects import note_checkpoint, note_collective, note_handed
from gotcha_lint.interpret.faults import pickling, traced
from gotcha_lint.interpret.faults.called import check_policy
from gotcha_lint.interpret.faults.checks import after_call, after_method
from gotcha_lint.interpret.faults.flags import check_flags
from gotcha_lint.interpret.faults.frozen import check_frozen
from gotcha_lint.interpret.faults.optimizer_arguments import check_state_update
from gotcha_lint.interpret.faults.signatures import check_call, check_initializers
from gotcha_lint.interpret.faults.texts import check_shown
from gotcha_lint.interpret.functions import Arguments, call_function
from gotcha_lint.interpret.heap import (
    class_attribute,
    contents,
    is_module_base,
    is_module_class,
    mapping_of,
)
from gotcha_lint.interpret.host import METHODS as READS
from gotcha_lint.interpret.host import note_given, read
from gotcha_lint.interpret.keys import hand_over, key_of_stream, use, use_streams
from gotcha_lint.interpret.layers.annotated import result_of
from gotcha_lint.interpret.layers.eager_loops import OF_A_MODEL, as_layer, run_layer
from gotcha_lint.interpret.layers.linen import apply_state
from gotcha_lint.interpret.layers.mutable import as_pair
from gotcha_lint.interpret.layers.outputs import as_giving, given_by, of_no_layer
from gotcha_lint.interpret.layers.typed_layers import typed_layer
from gotcha_lint.interpret.machine import Machine, Registers
from gotcha_lint.interpret.models.array_methods import half_of_unknown
from gotcha_lint.interpret.models.optax_states import of_train_state
from gotcha_lint.interpret.own_sizes import LONGEST, own_size
from gotcha_lint.interpret.schedules import is_schedule, rate_of
from gotcha_lint.interpret.start.backend import note_joining, note_start, starts
from gotcha_lint.interpret.start.startup import note_result, note_setting

_OF_TREES = ("jax.tree", "builtins.", "copy.", "functools.", "itertools.", "operator.")
_ON_DEVICE = ("jax.", "flax.", "optax.", "haiku.", "equinox.", "einops.", "chex.")
_OPERATIONS = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.random.", "jax.scipy.", "jax.image.")
_OF_ARRAYS = ("jax.numpy.", "jax.nn.", "jax.scipy.")
_WITH_DEFAULT = 2  # arguments of `config.get("steps", 1)`
_UNKNOWN_CALLEE_DEPTH = 11  # calls within calls; deeper, functions handed to unknown code are left


def call_instruction(
    machine: Machine,
    callee: int,
    args: tuple[tuple[bool, int], ...],
    keywords: tuple[tuple[str | None, int], ...],
    span: Span,
    registers: Registers,
) -> Value:
    """A call as the program writes it: star arguments are spread."""
    positional: list[Value] = []
    named: Arguments = {}
    for star, register in args:
        value = registers.get(register, UNKNOWN)
        content = contents(machine, value) if star else None
        if not star:
            positional.append(value)
        elif isinstance(content, Tuple):
            positional.extend(kept(machine, item, value) for item in content.items)
        else:
            element = content.element if isinstance(content, Sequence) else UNKNOWN
            named["*"] = kept(machine, element, value)
    for name, register in keywords:
        value = registers.get(register, UNKNOWN)
        if name is not None:
            named[name] = value
            continue
        known = None if value.only is None else mapping_of(machine, value.only)
        if known is None or not known.keys:  # a function is run as if it was given no options
            machine.spread.add((machine.path, span))
        is_open = known is None or known.rest is not None
        (machine.open.add if is_open else machine.open.discard)((machine.path, span))
        for atom in value.atoms:
            mapping = mapping_of(machine, atom)
            if mapping is not None:
                for key, item in zip(mapping.keys, mapping.values, strict=True):
                    named[str(key)] = kept(machine, item, value)
    check_flags(machine, callee, named, span)
    function = registers.get(callee, UNKNOWN)
    if not (args or keywords):
        check_policy(machine, function, span)
    if any(star for star, _ in args) or any(name is None for name, _ in keywords):
        machine.starred.add((machine.path, span))
    else:
        check_call(machine, function, len(positional), named, span, callee)
    out = call(machine, function, tuple(positional), named, span)
    return (
        as_pair(machine, named, out, span)
        if isinstance(out.only, Tuple) or "mutable" in named
        else out
    )


def call(
    machine: Machine, callee: Value, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    """`callee(*args, **keywords)`, for each function that it may be."""
    if not machine.traced and is_schedule(callee):
        return rate_of(machine, span)
    out = BOTTOM
    if callee.unknown or not callee.atoms:
        run_layer(machine, callee)
        out = unknown_call(machine, args, keywords, span).marked(made_in(callee.marks))
        out = given_by(machine, callee, args, out, span)
        out = kept(machine, out, callee)  # a model that is differentiated, called
    several = len(callee.atoms) + callee.unknown > 1
    machine.maybe += several
    before, choice = machine.dispatches, machine.choice
    try:
        for number, atom in enumerate(callee.atoms):
            machine.choice = number if several else choice
            if isinstance(atom, Symbol) and isinstance(atom.root, Batch) and atom.path:
                found = _call_of_batch(machine, atom, callee, args, keywords, span)
            elif isinstance(atom, Symbol) and (update := update_of(atom, callee.marks)):
                found = _call_method(machine, update, args, keywords, span)
            else:
                found = _call_atom(machine, atom, args, keywords, span)
                found = kept(machine, found, callee) if _has_weights(atom) else found
                if isinstance(atom, Symbol) and not args and _last_name(atom) in _COUNTS:
                    found = found.marked(callee.marks)  # a number: other data, another one
            out = join(out, found)
    finally:
        machine.maybe -= several
        machine.choice = choice
    if machine.dispatches > before:
        machine.started[machine.path, span] = machine.dispatches - before
    return out


_COUNTS = frozenset(("max", "min", "sum", "item"))


def _has_weights(atom: Atom) -> bool:
    """A caller's model, or a layer that holds its parameters: both may be differentiated."""
    return isinstance(atom, Symbol) or (isinstance(atom, Object) and "holds" in atom.site.info)


def _call_of_batch(
    machine: Machine,
    method: Symbol,
    callee: Value,
    args: tuple[Value, ...],
    keywords: Arguments,
    span: Span,
) -> Value:
    """`batch.items()`, `batch["x"].numpy()`."""
    on = Symbol(method.root, method.path[:-1], method.origin)
    name = str(method.path[-1]).removeprefix(".")
    me = only(on, callee.marks)
    return METHODS["symbol"](Call(machine, name, args, keywords, span, me, on))


def _call_atom(
    machine: Machine, atom: Atom, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    if isinstance(atom, Library):
        return call_library(machine, atom.name, args, keywords, span)
    if isinstance(atom, Method):
        return _call_method(machine, atom, args, keywords, span)
    if isinstance(atom, Symbol) and atom.path and str(atom.path[-1])[1:] in READS:
        whole = Symbol(atom.root, atom.path[:-1], atom.origin)
        read(machine, (only(whole),), span, str(atom.path[-1])[1:])
    if isinstance(atom, Symbol) and atom.path and atom.path[-1] == ".astype":
        me = only(Symbol(atom.root, atom.path[:-1], atom.origin))
        half = half_of_unknown(Call(machine, "astype", args, keywords, span, me))
        if half is not None:
            return half
    if isinstance(atom, Object):
        site = atom.site
        if site.kind == "function":
            return call_function(machine, site, args, keywords, span)
        if site.kind == "class":
            return make_instance(machine, site, args, keywords, span)
        if site.kind == "instance":
            cls = site.info.get("class")
            if cls is not None and class_attribute(machine, cls, "__call__") is not None:
                return _call_method(machine, Method(only(atom), "__call__"), args, keywords, span)
        model = METHODS.get(f"{site.kind}()")
        if model is not None:
            return model(Call(machine, "()", args, keywords, span, only(atom), atom))
    name = ""
    tried = None
    if isinstance(atom, Symbol):
        copy = copied(machine, atom, args, keywords, span)
        if copy is not None:
            return copy
        fresh = key_of_stream(machine, atom, len(args) + len(keywords), span)
        if fresh is not None:
            return fresh
        name = _last_name(atom)
        _count_model(machine, atom, args, keywords, span)
        check_state_update(Call(machine, name, args, keywords, span), atom)
        apply_state(Call(machine, name, args, keywords, span), atom)
        state = of_train_state(Call(machine, name, args, keywords, span), atom)
        if state is not None:
            return state
        tried = result_of(machine, atom, keywords)
    found = unknown_call(machine, args, keywords, span, name)
    if tried is not None:
        return tried.marked(found.marks)
    return _tokens(machine, keywords, found.marks, span) or found


def _tokens(machine: Machine, keywords: Arguments, marks: Marks, span: Span) -> Value | None:
    """What a tokenizer gives that pads each batch to its own longest text: arrays by name."""
    padding, kind = keywords.get("padding"), keywords.get("return_tensors")
    if padding is None or kind is None or padding.constant not in (True, "longest"):
        return None
    origin = machine.origin(span)
    longest = Size(0, INFINITY, marks, None, own_size(LONGEST, origin), None, origin)
    place = "device" if kind.constant in ("jax", "flax") else "host"
    tokens = Array(None, False, (Size(marks=marks), longest), place, origin)
    return only(Mapping((), (), only(tokens, marks), origin), marks)


def _count_model(
    machine: Machine, atom: Symbol, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> None:
    """In a loop, a parameter that is annotated with a class of modules is called: counts what one
    of them starts. Nothing else is learnt: its class may be derived from that one.
    """
    if machine.traced or not machine.loops:
        return
    written = annotation_of(machine, atom)
    if isinstance(written, Library) and is_module_base(written.name):
        machine.dispatch(OF_A_MODEL)
    cls = annotated_class(machine, atom)
    if cls is None or not is_module_class(cls) or class_attribute(machine, cls, "__call__") is None:
        return
    start, before = len(machine.events), machine.dispatches
    machine.layers.append({})
    try:
        me = make_instance(machine, cls, (), {}, span)
        made = machine.dispatches
        machine.call(me, args, keywords, span)
    finally:
        machine.layers.pop()
        del machine.events[start:]
    machine.dispatches -= made - before


def _last_name(symbol: Symbol) -> str:
    """`encode` of a parameter `encode`, or of `self.vae.encode`."""
    step = symbol.path[-1] if symbol.path else symbol.root
    return str(step[-1] if isinstance(step, tuple) else step).lstrip(".")


def call_library(
    machine: Machine, name: str, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    note_setting(machine, name, args, keywords, span)
    check_initializers(machine, name, keywords, span)
    if machine.traced or machine.differentiated:
        traced.check_call(machine, name, args, keywords, span)
        check_shown(machine, name, args, keywords, span)
        check_frozen(machine, name, span)
    said = machine.rows.get(name)
    if said is not None:
        return _of_user(machine, said, name, args, keywords, span)
    out = _call_known(machine, name, args, keywords, span)
    note_result(machine, name, keywords, out, span)
    return out


def _call_known(
    machine: Machine, name: str, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    if name == "jax.distributed.initialize":
        note_joining(machine, span)
    if starts(name):
        note_start(machine, span)
    pickling.note_call(machine, name, args, keywords, span)
    note_checkpoint(machine, name, span)
    note_collective(machine, name, span)
    layer = typed_layer(machine, name, args, keywords, span)
    if layer is not None:
        return layer
    model = find(name)
    if model is None:
        out = unknown_call(machine, args, keywords, span, name)
        if name.startswith(_ON_DEVICE):
            out = out.marked(made_in(all_marks((*args, *keywords.values()))))
            out = out.marked(as_layer(name) | as_giving(name, args, keywords))
        if name in SERIALIZING:
            out = Value(out.atoms, out.unknown, without_dispatches(out.marks))
        if name.startswith(_OPERATIONS):
            machine.dispatch()
        return out
    if name.startswith(_OF_ARRAYS):
        args = tuple(map(as_leaf, args))
    call = Call(machine, name, args, keywords, span)
    out = after_call(call, model(call))
    if name.startswith(_OPERATIONS) and _is_on_device(out):
        machine.dispatch()
    return kept(machine, out, *args) if name.startswith(_OF_TREES) else out


def _is_on_device(value: Value) -> bool:
    """A result that an operation has computed, not a shape or a type."""
    arrays = [atom for atom in value.atoms if isinstance(atom, Array)]
    return any(array.place == "device" for array in arrays) or value.unknown


def _of_user(
    machine: Machine,
    said: UserFact,
    name: str,
    args: tuple[Value, ...],
    keywords: Arguments,
    span: Span,
) -> Value:
    """A function of which the user says what it is like, takes, reads or returns."""
    if said.like:
        return _call_known(machine, said.like, args, keywords, span)
    if said.key is not None:
        given = keywords.get("key") or (args[said.key] if said.key < len(args) else None)
        if given is not None:
            use(machine, given, "draw", name, span)
    if said.pickles is not None and said.pickles < len(args):
        pickling.note_pickled(machine, args[said.pickles], span, name)
    out = unknown_call(machine, args, keywords, span)
    if said.returns in ARRAYS:
        place = ARRAYS[said.returns]
        out = only(Array(None, False, None, place, machine.origin(span)), out.marks)
        if place == "device":
            machine.dispatch()
            out = as_tracer(out) if machine.traced else out
    elif said.returns in KEYS:
        out = _call_known(machine, KEYS[said.returns], (UNKNOWN,), {}, span)
    elif said.returns == "none":
        out = NONE
    return out.marked(read(machine, (*args, *keywords.values()), span, name)) if said.reads else out


def unknown_call(
    machine: Machine, args: tuple[Value, ...], keywords: Arguments, span: Span, name: str = ""
) -> Value:
    """Unknown code calls the functions that it is given, with something unknown."""
    hand_over(machine, name, args, keywords, span)
    if name in _APPLIES and args and _are_variables(machine, args[0]):
        machine.dispatch(OF_A_MODEL)
    use_streams(machine, name, keywords, span)
    values = (*args, *keywords.values())
    if name in FORMATTING:
        read(machine, values, span, name, symbols=False)
    note_handed(machine, values, span)
    if name not in FILLING and not name.startswith(_ON_DEVICE):
        note_given(machine, values, span, name)
    for value in values:
        atom = value.only
        if isinstance(atom, Object) and atom.site.kind == "function" and _is_inner(atom.site):
            if machine.is_below(_UNKNOWN_CALLEE_DEPTH):
                call_function(machine, atom.site, (), {}, span)
            else:
                machine.inexact += 1
    marks = all_marks(values)
    default = values[1].only if name == "get" and len(values) == _WITH_DEFAULT else None
    known = isinstance(default, Constant) and default.type in ("int", "float")
    atoms = (default,) if known and default is not None else ()
    marks = of_no_layer(without_histories(marks - made_in(marks)) - TRACERS)
    return Value(atoms, True, marks)


_APPLIES = frozenset(("apply", "apply_fn"))


def _is_inner(closure: Site) -> bool:
    """Is it made in a function? All others are called on their own anyway."""
    parent = closure.info["function"].parent
    return parent is not None and not parent.is_module and not parent.is_class


def _are_variables(machine: Machine, value: Value) -> bool:
    """`{"params": params}`, or `state.params`: only Flax's `apply` takes such a thing."""
    atom = value.only
    if isinstance(atom, Symbol):
        return atom.path[-1:] == (".params",)
    found = mapping_of(machine, atom) if atom is not None else None
    return found is not None and "params" in found.keys


def _call_method(
    machine: Machine, method: Method, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    receiver = method.receiver
    out = BOTTOM
    if holds_tracers(receiver):
        name = f"array.{method.name}"
        traced.check_call(machine, name, args, keywords, span, receiver)
    follows = flows_in(receiver.marks) if machine.differentiated else traced_in(receiver.marks)
    if follows and method.name in ARRAY_METHODS:
        receiver = as_array(receiver, machine.origin(span))
        method = replace(method, receiver=receiver)
    if receiver.unknown:
        out = unknown_call(machine, args, keywords, span, method.name)
        out = out.marked(made_in(receiver.marks))
        if method.name == "astype":
            me = Value((), True, receiver.marks)
            half = half_of_unknown(Call(machine, method.name, args, keywords, span, me))
            out = out if half is None else half
        if method.name in READS:
            me = Value((), True, receiver.marks)
            seen = read(machine, (me,), span, method.name)
            out = Value((), True, aged(me, machine.aged).marks | seen)
    several = len(receiver.atoms) + receiver.unknown > 1
    machine.maybe += several
    choice = machine.choice
    try:
        for number, atom in enumerate(receiver.atoms):
            machine.choice = number if several else choice
            out = join(out, _method_of(machine, method, atom, args, keywords, span))
    finally:
        machine.maybe -= several
        machine.choice = choice
    return out


def _method_of(
    machine: Machine,
    method: Method,
    atom: Atom,
    args: tuple[Value, ...],
    keywords: Arguments,
    span: Span,
) -> Value:
    receiver = method.receiver
    if isinstance(atom, Object) and atom.site.kind == "instance":
        cls = atom.site.info.get("class")
        found = class_attribute(machine, cls, method.name) if cls is not None else None
        if cls is not None and found is not None:
            me = Value((atom,), False, receiver.marks)
            out = UNKNOWN if found.unknown else BOTTOM
            for part in found.atoms:
                out = join(out, _call_bound(machine, part, me, cls, args, keywords, span))
            return out
    if isinstance(atom, Object) and atom.site.kind == "class":
        found = class_attribute(machine, atom.site, method.name)
        part = found.only if found is not None else None
        if isinstance(part, Object) and part.site.kind == "class_method":
            return machine.call(part.site.info["inner"], (only(atom), *args), keywords, span)
    for kind in _kinds(atom):
        model = METHODS.get(kind)
        if model is not None:
            call = Call(machine, method.name, args, keywords, span, receiver, atom)
            out = after_method(call, model(call))
            if isinstance(atom, Array) and _is_on_device(out):
                machine.dispatch()
            return out if isinstance(atom, Array) else kept(machine, out, receiver)
    out = unknown_call(machine, args, keywords, span, method.name)
    return out.marked(receiver.marks)


def _call_bound(
    machine: Machine,
    part: Atom,
    me: Value,
    cls: Site,
    args: tuple[Value, ...],
    keywords: Arguments,
    span: Span,
) -> Value:
    """A function of a class, called on an instance."""
    if isinstance(part, Object) and part.site.kind == "class_method":
        return machine.call(part.site.info["inner"], (only(Object(cls)), *args), keywords, span)
    if isinstance(part, Object) and part.site.kind == "static_method":
        return machine.call(part.site.info["inner"], args, keywords, span)
    return _call_atom(machine, part, (me, *args), keywords, span)


def _kinds(atom: Atom) -> tuple[str, ...]:
    """Under which names the methods of an object have their models, the most special first."""
    if isinstance(atom, Object):
        name = atom.site.info.get("name")
        special = (f"{atom.site.kind}:{name}",) if isinstance(name, str) else ()
        return (*special, atom.site.kind)
    if isinstance(atom, Array):
        return ("array",)
    if isinstance(atom, (Tuple, Sequence)):
        return ("tuple",)
    if isinstance(atom, Mapping):
        return ("mapping",)
    if isinstance(atom, (Constant, Number)):
        return (atom.type, "number")
    if isinstance(atom, Library):
        return (atom.name,)
    return ("method",) if isinstance(atom, Method) else ("symbol",)


def make_instance(
    machine: Machine, cls: Site, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    """`Class(...)`: runs `__init__`, or fills the fields of a dataclass."""
    site = machine.allocate("instance", span, cls)
    site.info.update({"class": cls, "name": cls.info["name"]})
    me = only(Object(site, machine.origin(span)))
    init = class_attribute(machine, cls, "__init__")
    if init is not None:
        machine.call(init, (me, *args), keywords, span)
        return me
    names = list(dict.fromkeys(name for name, _ in cls.info["fields"]))
    for name, value in zip(names, args, strict=False):
        machine.write((site, name), value)
    rest = keywords.get("*")
    for name in names[len(args) :]:
        default = class_attribute(machine, cls, name) if rest is None else rest
        value = keywords.get(name) or default or UNKNOWN
        machine.write((site, name), value)
    for hook in ("__post_init__", "setup"):
        found = class_attribute(machine, cls, hook)
        if found is not None:
            machine.call(found, (me,), {}, span)
    return me


def enter_context(machine: Machine, context: Value, span: Span) -> Value:
    """What `with context as x` binds."""
    out = Value((), context.unknown, context.marks) if context.unknown else BOTTOM
    for atom in context.atoms:
        machine.lenient += isinstance(atom, Library) and atom.name == CONCRETE
        if _has_method(machine, atom, "__enter__"):
            entered = attribute(machine, only(atom), "__enter__", span)
            out = join(out, machine.call(entered, (), {}, span))
        else:
            out = join(out, Value((atom,), False, context.marks))
    return out


def exit_context(machine: Machine, context: Value, span: Span) -> None:
    note_handed(machine, (context,), span)
    for atom in context.atoms:
        machine.lenient -= isinstance(atom, Library) and atom.name == CONCRETE
        if _has_method(machine, atom, "__exit__"):
            exiting = attribute(machine, only(atom), "__exit__", span)
            machine.call(exiting, (UNKNOWN, UNKNOWN, UNKNOWN), {}, span)


def _has_method(machine: Machine, atom: Atom, name: str) -> bool:
    cls = atom.site.info.get("class") if isinstance(atom, Object) else None
    return cls is not None and class_attribute(machine, cls, name) is not None
