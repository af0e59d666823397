"""What a program hands to pickle: arrays of a device, and what pickle cannot write.

A queue, a pipe and a pool of processes pickle what goes through them; a pool the function, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gotcha_lint.domain.freshness import dispatched, is_fetched
from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import Library, Mapping, Object, Symbol, Tuple, Value
from gotcha_lint.facts.host import PICKLERS, PICKLES_CLOSURES, STATES
from gotcha_lint.interpret.arrays import unknown_array
from gotcha_lint.interpret.attributes import annotation_of, is_train_state
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.heap import (
    class_attribute,
    class_of,
    contents_of,
    element_of,
    mapping_of,
)
from gotcha_lint.interpret.host import leaves
from gotcha_lint.interpret.layers.linen import are_on_device
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.donated import call_at, text_of, written_parts

PICKLED, CLOSURE = "pickle", "closure"
QUEUE, POOL = "multiprocessing.#queue", "multiprocessing.#pool"
EXECUTOR, CONNECTION = "concurrent.futures.#processes", "multiprocessing.#connection"
SHELF = "shelve.#shelf"
_SINKS = {  # methods -> how a message calls them
    f"{QUEUE}.put": "Queue.put",
    f"{QUEUE}.put_nowait": "Queue.put_nowait",
    f"{CONNECTION}.send": "Connection.send",
    "ray.put": "ray.put",
}
_SENT = 3  # arguments by position that a pool pickles; its callbacks come after them
_STAYS = frozenset(("callback", "error_callback", "chunksize", "timeout"))
_OWN_WAY = ("__getstate__", "__reduce__", "__reduce_ex__")
_COMPILED = ("jit", "pmap")
_DEPTH = 3
_STATE = "train_state.TrainState"
_SCHEDULES = ("optax.#schedule", "optax.#positive_schedule", "optax.#negative_schedule")


def note_call(
    machine: Machine, name: str, args: tuple[Value, ...], keywords: dict[str, Value], span: Span
) -> None:
    """Notes what a call of a library hands to pickle."""
    if name in PICKLERS or name in _SINKS:
        value = args[0] if args else keywords.get("obj") or keywords.get("value")
        if value is not None:
            note_pickled(machine, value, span, _SINKS.get(name, name))
    elif name.startswith((f"{POOL}.", f"{EXECUTOR}.")):
        sent = args[:_SENT] if name.startswith(POOL) else args
        values = [*sent, *(v for word, v in keywords.items() if word not in _STAYS)]
        for value in values:
            note_pickled(machine, value, span, of_pool(name))
    elif name == "numpy.save":
        value = args[1] if len(args) > 1 else keywords.get("arr")
        allowed = keywords.get("allow_pickle")
        told = allowed is not None and allowed.constant is True  # so it is no single array
        if value is not None and (told or _is_container(machine, value)):
            note_arrays(machine, value, span, name)


def note_pickled(machine: Machine, value: Value, span: Span, what: str) -> None:
    """Something is written with pickle: arrays of a device are copied one by one."""
    if machine.traced:
        return
    note_arrays(machine, value, span, what)
    if what.partition(".")[0] in PICKLES_CLOSURES:
        return
    found = _unpicklable(machine, value, 0)
    if found or isinstance(value.only, Symbol):
        note(machine, CLOSURE, found, span, () if found else (value,))


def note_arrays(machine: Machine, value: Value, span: Span, what: str) -> None:
    """Notes the arrays of a device that are written with pickle there."""
    found = leaves(machine, (value,), older=True)
    if (
        (not found and are_on_device(machine, value))
        or _is_of_dispatch(machine, value, span)
        or _holds_states(machine, value, 0)
    ):
        found = (unknown_array("device", machine.origin(span)),)
    if found and not machine.traced:
        note(machine, PICKLED, what, span, found)


def _is_of_dispatch(machine: Machine, value: Value, span: Span) -> bool:
    """`state.params`, where a dispatch has given the state, of which nothing else is known."""
    if value.atoms or not dispatched(value.marks) or is_fetched(value.marks):
        return False
    function = machine.activation.function
    call = call_at(function, span)
    given = written_parts(function, call[3][0][1]) if call is not None and call[3] else ()
    texts = (text_of(function, register) for register in given)
    return any("." in text and text.rpartition(".")[2] in STATES for text in texts)


def _holds_states(machine: Machine, value: Value, depth: int) -> bool:
    """`{"params": state.params}`: surely arrays of the device, under a name that says so."""
    atom = value.only
    mapping = None if atom is None or depth > _DEPTH else mapping_of(machine, atom)
    if mapping is None or is_fetched(value.marks):
        return False
    return any(
        (key in STATES and _is_state(machine, part)) or _holds_states(machine, part, depth + 1)
        for key, part in zip(mapping.keys, mapping.values, strict=True)
    )


def _is_state(machine: Machine, value: Value) -> bool:
    """What `init` has given, or that and what a dispatch makes of it, which nothing has read."""
    if is_fetched(value.marks) or (value.unknown and not dispatched(value.marks)):
        return False
    variables = all(are_on_device(machine, Value((atom,))) for atom in value.atoms)
    return variables and bool(value.atoms)


def given_closure(machine: Machine, event: Effect, values: tuple[Value, ...]) -> Effect | None:
    """The same for a caller: what it gives may hold a function."""
    if event.what:
        return event
    for value in values:
        found = _unpicklable(machine, value, 0)
        if found or isinstance(value.only, Symbol):
            return replace(event, what=found)
    return None


def of_pool(name: str) -> str:
    owner = "Pool" if name.startswith(POOL) else "ProcessPoolExecutor"
    return f"{owner}.{name.rpartition('.')[2]}"


def _is_container(machine: Machine, value: Value) -> bool:
    """A tree of arrays, which `np.save` pickles; a list of numbers becomes an array."""
    atom = value.only
    return atom is not None and (
        mapping_of(machine, atom) is not None
        or (isinstance(atom, Object) and atom.site.kind == "instance")
    )


def _unpicklable(machine: Machine, value: Value, depth: int) -> str:
    """What pickle cannot write in this value, in words; empty where nothing is known of such."""
    if len(value.atoms) > 1 and not value.unknown:  # of a loop: the first state, or a later one
        kinds = [_unpicklable(machine, Value((atom,)), depth) for atom in value.atoms]
        return min(kinds) if all(kinds) else ""
    atom = value.only
    if atom is None or depth > _DEPTH:
        return ""
    if isinstance(atom, Library):
        return "a schedule of optax" if atom.name in _SCHEDULES else ""
    if isinstance(atom, Symbol):
        return _annotated(machine, atom)
    for part in _elements(machine, value):
        if found := _unpicklable(machine, part, depth + 1):
            return found
    if not isinstance(atom, Object):
        return ""
    site = atom.site
    if site.kind == "function":
        return _function(site.info["function"])
    if site.kind == "transform":
        if site.info["word"] in _COMPILED:
            return "a jitted function"
        return _unpicklable(machine, site.info["inner"], depth + 1)
    if site.kind == "optimizer":
        return f"a `{site.info['name'].replace('optax.#nnx', 'flax.nnx.Optimizer')}`"
    return _instance(machine, atom, depth) if site.kind == "instance" else ""


def _annotated(machine: Machine, symbol: Symbol) -> str:
    """A parameter that is annotated as a train state, which holds its optimizer."""
    known = annotation_of(machine, symbol)
    if isinstance(known, Library):
        return "a `TrainState`" if known.name.endswith(f".{_STATE}") else ""
    cls = known.site if isinstance(known, Object) and known.site.kind == "class" else None
    if cls is None or not is_train_state(cls) or _says_how(machine, cls):
        return ""
    return f"`{cls.info['name']}`, a `TrainState`"


def _elements(machine: Machine, value: Value) -> Iterator[Value]:
    atom = value.only
    if atom is None:
        return
    content = contents_of(machine, atom)
    if content is not None:
        yield from content.items if isinstance(content, Tuple) else (element_of(content),)
    mapping = mapping_of(machine, atom)
    if isinstance(mapping, Mapping):
        yield from mapping.values


def _function(function: object) -> str:
    name, parent = getattr(function, "name", ""), getattr(function, "parent", None)
    if name == "<lambda>":
        return "a lambda"
    nested = parent is not None and not parent.is_module and not parent.is_class
    return "a nested function" if nested else ""


def _says_how(machine: Machine, cls: Site) -> bool:
    return any(class_attribute(machine, cls, name) is not None for name in _OWN_WAY)


def _classes(machine: Machine, site: Site, cls: Site) -> Iterator[Site]:
    """What the object is of: `self` of a method that outsiders call, of a class below, too."""
    yield cls
    for other in machine.met.classes() if site.span == cls.span else ():
        if cls in other.info.get("bases", ()):
            yield other


def _instance(machine: Machine, atom: Object, depth: int) -> str:
    """An object whose attributes are pickled with it."""
    cls, site = class_of(atom), atom.site
    if cls is not None and any(_says_how(machine, each) for each in _classes(machine, site, cls)):
        return ""
    name = site.info.get("name") or "object"
    for field in machine.fields_of(site):
        held = machine.read((site, field))
        found = "" if held is None else _unpicklable(machine, held, depth + 1)
        if found:
            return f"`{name}`, whose `{field}` is {found}"
    if cls is not None and is_train_state(cls):
        return f"`{name}`, a `TrainState`"
    return ""
