"""Calls of compiled functions: what JAX's cache key is made of, and what the trace captures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from gotcha_lint.domain.freshness import given_by, sources_in
from gotcha_lint.domain.record import replaced as replaced_event
from gotcha_lint.domain.sites import Frame, Site, Span
from gotcha_lint.domain.tracers import as_tracer, is_array, without_tracers
from gotcha_lint.domain.value import (
    NONE,
    UNKNOWN,
    Array,
    Constant,
    Method,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    join,
)
from gotcha_lint.facts.jax import STATIC_OPTIONS
from gotcha_lint.interpret.arguments import (
    flatten,
    is_tree,
    reachable,
    static_numbers,
    static_parts,
)
from gotcha_lint.interpret.arrays import on_device, weaken
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.donation import replaced, updated_in_place
from gotcha_lint.interpret.effects import COLLECTIVE, note
from gotcha_lint.interpret.events import CompiledCall, Location, Remark
from gotcha_lint.interpret.faults.donated import Donation, check_twice, give_away
from gotcha_lint.interpret.faults.flags import check_traced_flags
from gotcha_lint.interpret.faults.leaks import check_leaks
from gotcha_lint.interpret.faults.remarks import OF_TRACES
from gotcha_lint.interpret.faults.rows import check_rows
from gotcha_lint.interpret.heap import ENTRIES, ITEMS, class_attribute, contents, deep_marks
from gotcha_lint.interpret.identity import compiled_identity
from gotcha_lint.interpret.layers.lost_state import check_lost
from gotcha_lint.interpret.leaves import Leaves, Static
from gotcha_lint.interpret.machine import Machine, OutOfBudget
from gotcha_lint.interpret.start.backend import note_start
from gotcha_lint.interpret.start.startup import note_started
from gotcha_lint.interpret.state import MISSING, Activation
from gotcha_lint.patterns.training.trained import trained_parameters
from gotcha_lint.program.ir import Function, Parameter

_LAYERS = 8  # of transforms around transforms
_CONTENTS = {"dict": ENTRIES, "list": ITEMS, "set": ITEMS}
_KEPT = 4  # the part of its budget that a root keeps for what follows a trace: a quarter


class Inner:
    """The function of the program that a callable leads to, and what is bound already."""

    __slots__ = ("bound", "by_method", "function", "names")

    def __init__(self, machine: Machine, callee: Value) -> None:
        self.function: Function | None = None
        self.bound = 0  # positional arguments
        self.names: set[str] = set()
        self.by_method = False
        atom = callee.only
        for _ in range(_LAYERS):
            if isinstance(atom, Method):
                self._method(machine, atom)
                return
            if not isinstance(atom, Object):
                return
            site = atom.site
            if site.kind == "function":
                self.function = site.info["function"]
                return
            if site.kind != "transform":
                return
            if site.info["word"] == "partial":
                self.bound += len(site.info["args"])
                self.names |= set(site.info["keywords"])
            atom = site.info["inner"].only

    def _method(self, machine: Machine, method: Method) -> None:
        """A bound method, or one of a class."""
        for atom in method.receiver.atoms:
            if not isinstance(atom, Object):
                continue
            of_class = atom.site.kind == "class"
            cls = atom.site if of_class else atom.site.info.get("class")
            found = class_attribute(machine, cls, method.name) if cls is not None else None
            part = found.only if found is not None else None
            shared = isinstance(part, Object) and part.site.kind == "class_method"
            if isinstance(part, Object) and shared:
                part = part.site.info["inner"].only
            if not isinstance(part, Object) or part.site.kind != "function" or of_class > shared:
                continue
            self.function = part.site.info["function"]
            self.bound += 1
            self.by_method = not shared  # a class is the same at each call
            return

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters that are still to be given by position."""
        if self.function is None:
            return []
        return [p.name for p in self.function.parameters if p.kind == "pos"][self.bound :]


_DONATED = ("donate_argnames", "donate_argnums")


def static_names(machine: Machine, site: Site, inner: Inner) -> tuple[set[str], set[int]]:
    """Which arguments the jit at `site` takes as static: names, and positions of the call."""
    return chosen_names(machine, site, inner, STATIC_OPTIONS)


def chosen_names(
    machine: Machine, site: Site, inner: Inner, options: tuple[str, ...]
) -> tuple[set[str], set[int]]:
    """The arguments that options of the jit at `site` name: names, and positions of the call."""
    names: set[str] = set()
    positions: set[int] = set()
    parameters = inner.parameters
    for word in options:
        given = site.info["keywords"].get(word)
        if given is None:
            continue
        content = contents(machine, given)
        for value in content.items if isinstance(content, Tuple) else (given,):
            atom = value.only
            known = atom.value if isinstance(atom, Constant) else None
            if isinstance(known, str):
                names.add(known)
            elif isinstance(known, int):
                count = len(parameters)
                positions.add(known + count if known < 0 else known)
    for position in list(positions):
        if position < len(parameters):
            names.add(parameters[position])
    positions |= {parameters.index(name) for name in names if name in parameters}
    return names, positions


def _donated(call: Call, site: Site, inner: Inner) -> frozenset[int | str] | None:
    """The arguments that a call donates, by position and by name; None: unknown."""
    options: dict[str, Value] = site.info["keywords"]
    if "donate" in options:  # of Equinox
        first = {0, *inner.parameters[:1]}
        every = {*range(len(call.args)), *inner.parameters, *call.keywords}
        known = {"none": every, "all": set[int | str](), "warn": set[int | str]()}
        known |= dict.fromkeys(("all-except-first", "warn-except-first"), first)
        kept = known.get(str(options["donate"].constant))
        return None if kept is None else frozenset(every - kept)
    for word in _DONATED:
        if word in options and not _is_written_out(call.engine, options[word]):
            return None
    names, positions = chosen_names(call.engine, site, inner, _DONATED)
    return frozenset(names) | frozenset(positions)


def _is_written_out(machine: Machine, option: Value) -> bool:
    content = contents(machine, option)
    items = content.items if isinstance(content, Tuple) else (option,)
    return all(isinstance(item.only, Constant) for item in items)


def call_compiled(call: Call, site: Site) -> Value:
    """Calls what `jax.jit` made at `site`. The result lies on the device."""
    machine = call.engine
    inner_value: Value = site.info["inner"]
    inner = Inner(machine, inner_value)
    names, positions = static_names(machine, site, inner)
    parameters = inner.parameters
    leaves: Leaves = {}
    statics: list[Static] = []
    traced: list[Value] = []
    given: list[Value] = []
    settings: list[tuple[str, Value]] = []

    given_as: set[str] = set()  # the names of arguments, and of those that are None
    left_out: set[str] = set()
    is_known = _knows_statics(site)

    arrays = {p.name for p in parameters_of(inner) if is_array(p.annotation)}

    def take(value: Value, label: str, static: bool) -> Value:
        if static or (site.info.get("filters") and _is_no_tree(value)):
            settings.append((label, value))
            static_parts(machine, value, label, statics)
            return value
        flatten(machine, value, label, leaves, statics)
        static_numbers(machine, value, label, leaves, statics, bool(site.info.get("filters")))
        given.append(value)
        given_as.add(label)
        if value.is_none:
            left_out.add(label)
        if _stays_a_number(site, value):
            return value
        value = on_device(weaken(value))
        unsure = site.info.get("filters") and not (isinstance(value.only, Array) or label in arrays)
        return as_tracer(value) if is_known and not unsure else value

    donation = _donation(call, site, inner)
    if donation is not None:
        check_twice(donation)
    for index, value in enumerate(call.args):
        label = parameters[index] if index < len(parameters) else f"argument {index}"
        traced.append(take(value, label, index in positions or label in names))
    keywords = {name: take(value, name, name in names) for name, value in call.keywords.items()}
    if inner.function is not None and not site.info.get("filters"):
        needed = {one.name for one in inner.function.parameters if not one.has_default}
        traced_names = (given_as | needed & set(parameters)) - left_out - names
        check_traced_flags(machine, inner.function, traced_names, site.origin)
    if is_known:
        more, named = of_outsider(site, inner, len(traced), names | keywords.keys())
        traced, keywords = [*traced, *more], keywords | named
    if machine.activation is machine.top:
        keywords |= _optional(machine, inner, names - keywords.keys())
    parts = site.info.get("word") == "pmap"
    machine.per_device += parts
    replicating, machine.replicating = machine.replicating, 0
    before = len(machine.events)
    try:
        result, captured, functions = _trace(
            machine, inner_value, traced, keywords, given, call.span
        )
    finally:
        machine.per_device -= parts
        machine.replicating = replicating
    names_given = dict(zip(parameters, call.args, strict=False)) | call.keywords
    check_lost(machine, site, inner.function, names_given, result, before)
    note_start(machine, call.span)
    note_started(machine, call.short, call.span)
    check_rows(machine, site, inner.function, parameters, call.span)
    machine.note(
        CompiledCall(
            site=site,
            function=inner.function,
            path=machine.path,
            span=call.span,
            leaves=leaves,
            statics=tuple(statics),
            settings=tuple(settings),
            identity=compiled_identity(machine, site),
            captured=captured,
            style=(len(call.args), frozenset(call.keywords) - names),
            within=machine.activation.function,
            loops=machine.current,
            in_loop=bool(machine.loops),
            in_own_loop=bool(machine.loops),
            generation=site.generation,
            handled=frozenset(machine.handled),
            fresh=_is_fresh(inner_value),
            by_method=inner.by_method,
            maybe=bool(machine.maybe),
            transform=machine.transform,
            sides=tuple(machine.sides.items()),
            traced=functions,
            guards=machine.guards,
            needs=sources_in(deep_marks(machine, (*call.args, *call.keywords.values()))),
            replaced=(
                *replaced(call, site, parameters, _trained(functions), _donated(call, site, inner)),
                *updated_in_place(
                    machine.events[before:] if _gives_back(site) else (),
                    dict(zip(parameters, call.args, strict=False)) | call.keywords,
                    chosen_names(machine, site, inner, _DONATED)[0],
                ),
            ),
            calls=machine.calls,
        )
    )
    if parts and not machine.traced and _reduces_over_all(site):
        note(machine, COLLECTIVE, "pmap", call.span)
    if donation is not None:
        give_away(donation)
    if not machine.traced:
        _show_where(machine, site, before, "compiled here")
    result = without_tracers(result)
    return given_by(on_device(result), (machine.path, call.span))


def _reduces_over_all(site: Site) -> bool:
    """A `pmap` with a named axis, over the devices of all processes."""
    given = site.info["keywords"]
    return ("axis_name" in given or bool(site.info["args"])) and "devices" not in given


def _show_where(machine: Machine, site: Site, start: int, word: str) -> None:
    """What is wrong in a trace is so because of this jit."""
    place = site.path, site.span, word
    for number in range(start, len(machine.events)):
        event = machine.events[number]
        if isinstance(event, Remark) and event.kind in OF_TRACES:
            machine.events[number] = replaced_event(event, places=(place, *event.places))


def _trained(functions: Iterable[Function]) -> frozenset[str]:
    return frozenset().union(*map(trained_parameters, functions))


def parameters_of(inner: Inner) -> list[Parameter]:
    return [] if inner.function is None else inner.function.parameters


def _knows_statics(site: Site) -> bool:
    """Are all options of the jit known, so that all other arguments are arrays?"""
    given: dict[str, Value] = site.info["keywords"]
    if any(name.startswith("*") for name in given) or site.info.get("open"):
        return False
    return not any(value.unknown or isinstance(value.only, Symbol) for value in given.values())


def of_outsider(
    site: Site, inner: Inner, given: int, named: set[str]
) -> tuple[list[Value], dict[str, Value]]:
    """What the root of an analysis leaves to outsiders: they give arrays.

    By position as far as that goes, as a gradient needs what it is taken of; then by name.
    """
    left = {*inner.parameters[given:]} - named - inner.names
    wanted = [
        parameter.name
        for parameter in parameters_of(inner)
        if parameter.name in left
        and not parameter.has_default
        and (not site.info.get("filters") or is_array(parameter.annotation))
    ]
    following = zip(wanted, inner.parameters[given:], strict=False)
    by_position = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], following))
    others = {name: as_tracer(UNKNOWN) for name in wanted[by_position:]}
    return [as_tracer(UNKNOWN)] * by_position, others


def _optional(machine: Machine, inner: Inner, static: set[str]) -> dict[str, Value]:
    """Static arguments that outsiders may leave out, or give."""
    closure = machine.met.closures.get(inner.function) if inner.function is not None else None
    defaults: dict[str, Value] = {} if closure is None else closure.info["defaults"]
    return {
        name: join(NONE, UNKNOWN)
        for name in sorted(static & defaults.keys())
        if defaults[name].is_none
    }


def _donation(call: Call, site: Site, inner: Inner) -> Donation | None:
    """What the call gives away; `nnx.jit` puts the arrays of its modules back."""
    machine = call.engine
    if machine.traced or machine.maybe or machine.trying or _gives_back(site):
        return None
    names, positions = chosen_names(machine, site, inner, _DONATED)
    if not (names or positions):
        return None
    if site.info.get("word") == "pmap":  # by keyword it donates nothing (jax 0.10.2)
        names = set()
    return Donation(call, site, inner.function, inner.parameters, names, positions)


def _gives_back(site: Site) -> bool:
    """`nnx.jit` gives back what the trace has written to its arguments; `jax.jit` does not."""
    return str(site.info.get("library", "")).startswith("flax.nnx.")


def _is_no_tree(value: Value) -> bool:
    """A function, or an object of a class that is no tree: Equinox makes it a static value.

    An optimizer of optax is a tuple of functions, so it is compared by its functions.
    """
    atom = value.only
    if not isinstance(atom, Object):
        return False
    if atom.site.kind == "function" or _is_of_optax(atom.site):
        return True
    cls = atom.site.info.get("class")
    return cls is not None and not is_tree(cls) and not cls.info["decorators"]


def _is_of_optax(site: Site) -> bool:
    return site.kind == "optimizer" and "data" not in site.info  # that of nnx is a tree


def _stays_a_number(site: Site, value: Value) -> bool:
    """Equinox traces arrays alone."""
    return bool(site.info.get("filters")) and all(
        isinstance(atom, (Constant, Number)) for atom in value.atoms
    )


def inlined(call: Call, site: Site) -> Value:
    """A call in another trace, which runs through: what is not static is traced here, too."""
    machine = call.engine
    inner = Inner(machine, site.info["inner"])
    names, positions = static_names(machine, site, inner)
    is_known, filters = _knows_statics(site), bool(site.info.get("filters"))

    def take(value: Value, static: bool) -> Value:
        if static or _stays_a_number(site, value):
            return value
        return as_tracer(weaken(value)) if is_known and not filters else weaken(value)

    args = tuple(take(value, index in positions) for index, value in enumerate(call.args))
    keywords = {name: take(value, name in names) for name, value in call.keywords.items()}
    before = len(machine.events)
    result = machine.call(site.info["inner"], args, keywords, call.span)
    _show_where(machine, site, before, "compiled within it")
    return result


def _trace(
    machine: Machine,
    callee: Value,
    args: list[Value],
    keywords: dict[str, Value],
    given: list[Value],
    span: Span,
) -> tuple[Value, tuple[tuple[Location, Value], ...], frozenset[Function]]:
    """Runs the function as JAX traces it; what it reads besides its arguments is captured."""
    own = reachable(machine, given)
    outer = machine.activation
    inside = Activation(outer.function, Frame(outer.function), outer.environment, outer.base)
    depth = len(machine.activations)
    machine.activations.append(inside)
    machine.traced += 1
    try:
        result = _run_trace(machine, callee, args, keywords, span)
    finally:
        machine.traced -= 1
        del machine.activations[depth:]
    outer.cut |= inside.cut
    outer.functions |= inside.functions
    outer.loops_met.update(inside.loops_met)
    outer.fixed |= inside.fixed
    for made, loops in inside.made.items():
        machine.activations[-1].made.setdefault(made, loops)
    for place, value in inside.reads.items():
        if not outer.owns(place) and place not in outer.writes and place not in outer.reads:
            outer.reads[place] = value
    outer.writes |= {place for place in inside.writes if not outer.is_local(place)}
    captured = {
        place: value
        for place, value in inside.reads.items()
        if place[0] not in own and place not in inside.writes and value is not MISSING
    }
    for place, value in _held(machine, captured.values()):
        if place not in captured and place[0] not in own and place not in inside.writes:
            captured[place] = value
    check_leaks(machine, inside, own)
    atom = callee.only
    if isinstance(atom, Object) and atom.site.info.get("word") == "partial":
        bound = dict(_bound_by_position(atom.site)) | atom.site.info["keywords"]
        captured |= {(atom.site, name): value for name, value in bound.items()}
    return result, tuple(captured.items()), frozenset(inside.functions)


def _held(machine: Machine, captured: Iterable[Value]) -> list[tuple[Location, Value]]:
    """What captured dicts and lists hold: a trace that hands them on whole takes all of it."""
    sites = (atom.site for value in captured for atom in value.atoms if isinstance(atom, Object))
    places = [(site, _CONTENTS[site.kind]) for site in sites if site.kind in _CONTENTS]
    return [(place, held) for place in places if (held := machine.peek(place)) is not None]


def _run_trace(
    machine: Machine, callee: Value, args: list[Value], keywords: dict[str, Value], span: Span
) -> Value:
    """Runs the function with a part of what the root may still run.

    A trace that is too long gives something unknown: what the root does after it is not lost.
    """
    if machine.traced > 1:
        return machine.call(callee, args, keywords, span)
    kept, layers = machine.budget // _KEPT, len(machine.layers)
    machine.budget -= kept
    try:
        return machine.call(callee, args, keywords, span)
    except OutOfBudget:
        machine.inexact += 1
        del machine.layers[layers:]
        return UNKNOWN
    finally:
        machine.budget = max(machine.budget, 0) + kept


def _bound_by_position(partial: Site) -> Iterator[tuple[str, Value]]:
    """With the names of the parameters; with numbers where the function is not known."""
    inner = partial.info["inner"].only
    named: list[str] = []
    if isinstance(inner, Object) and inner.site.kind == "function":
        named = [p.name for p in inner.site.info["function"].parameters if p.kind == "pos"]
    for index, value in enumerate(partial.info["args"]):
        yield named[index] if index < len(named) else str(index), value


def _is_fresh(callee: Value) -> bool:
    """Is it a new function at each evaluation: a closure, a partial, a bound method?"""
    for atom in callee.atoms:
        if isinstance(atom, Method):
            return True
        if isinstance(atom, Object):
            site = atom.site
            if site.kind == "transform":
                return True
            if site.kind == "function":
                parent = site.info["function"].parent
                if parent is not None and not parent.is_module and not parent.is_class:
                    return True
    return False
