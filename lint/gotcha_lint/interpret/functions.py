"""Calls of the program's own functions: contexts, summaries, and what a call takes from them.

A function is run once for each context: its mode (eager or traced), what it closes over, and its
arguments. What is unknown of an argument becomes a symbol of the callee's own parameter, so that
all callers that know nothing share one run. After `BY_VALUE` contexts in one root, data become
symbols too, and only callables and objects are kept. The result is a summary, in which each call
puts what it knows in place of the symbols. A summary holds as long as what it read is the same.

Roots share a summary only where each would make it for itself (it is *exact*): what a root shows
does not depend on the roots before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import SCHEDULE
from gotcha_lint.domain.sites import Frame, Site, Span
from gotcha_lint.domain.tracers import as_tracer, traced_in, without_tracers
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    NO_MARKS,
    NONE,
    UNKNOWN,
    Array,
    Constant,
    Library,
    Mapping,
    Marks,
    Method,
    Object,
    Sequence,
    Size,
    Tuple,
    Value,
    join,
    join_all,
    only,
)
from gotcha_lint.facts.optax import SCHEDULE_TYPE
from gotcha_lint.interpret.attributes import class_of_tracers
from gotcha_lint.interpret.events import (
    Allocation,
    CompiledCall,
    EagerLoop,
    EagerUpdate,
    Effect,
    Event,
    KeyUse,
    Location,
    Remark,
    Summary,
    Turn,
    Unrolled,
    Version,
    Write,
)
from gotcha_lint.interpret.host import note_given
from gotcha_lint.interpret.indexing import cuts_in, without_rest
from gotcha_lint.interpret.keys import as_parameter
from gotcha_lint.interpret.machine import DEPTH, Machine, OutOfBudget
from gotcha_lint.interpret.state import MISSING, Activation, Layer
from gotcha_lint.interpret.substitution import (
    Substitution,
    opaque,
    parameter_mark,
    symbol_for,
    with_sizes_of,
)
from gotcha_lint.program.filled_up import filled_up
from gotcha_lint.program.ir import Function

BY_VALUE = 3  # contexts of a function in one root and mode that are kept apart by their data
CONTEXTS = 8  # ... that are kept apart by their callables and objects; then all is symbols
_CHEAP = 4  # so many events or writes of a summary cost as much as an instruction
_RERUNS = 6  # runs of one context in one root, because what it reads has changed; then unknown
_SUMMARIES = 3  # for one context, which differ in what they read
_GIVEN_UP = (2, 3)  # depths of calls: one in which the budget ends is one of something unknown
_LEAST_RESERVE = 200  # instructions for what comes after it
_FRAMES = 3  # frames that are named by objects made in frames that are named by objects ...
_NAMING = ("function", "transform", "class", "instance")
_CONTAINERS = ("dict", "list", "set")
_EVENTS = 400  # of one summary and sort; a function that notes more is cut off there
_OUTER = 3  # depths of calls: of a root, and of what a module calls; nothing takes their summaries
_LIGHT = (Effect, Allocation)  # they cost nothing of a budget
_UNORDERED = (Unrolled, EagerLoop, EagerUpdate, Remark)  # they say the same wherever they stand
_TIMES: dict[type[Event], int] = {KeyUse: 2, Turn: 4, Effect: 3}  # so often the same event is kept
_KEPT_KINDS = ("function", "transform", "class", "instance", "module", "optimizer", "object")

Arguments = dict[str, Value]


def call_function(
    machine: Machine, site: Site, args: tuple[Value, ...], keywords: Arguments, span: Span
) -> Value:
    """Calls a closure of the program: in its context, with what the caller knows put back in."""
    function: Function = site.info["function"]
    given = bind(function, site.info["defaults"], args, keywords)
    if (machine.path, span) in machine.open:
        given |= _with_others(function, given)
        if machine.traced:
            given |= _chosen(function, site.info["defaults"], args, keywords)
    around, traced = machine.differentiated, machine.traced
    if around and not _is_differentiated(function, given):
        machine.differentiated = 0
    if function.declared or function.static:
        given = _as_declared(machine, function, given)
    try:
        return _call_bound(machine, site, function, given, span)
    finally:
        machine.differentiated, machine.traced = around, traced


def _as_declared(machine: Machine, function: Function, given: Arguments) -> Arguments:
    """What a comment on the function says: it runs on the host, or JAX traces it."""
    if function.declared == "host":
        machine.traced = machine.differentiated = 0
    elif function.declared == "traced" and not machine.traced:
        machine.traced = 1
        given = {name: as_tracer(value) for name, value in given.items()}
    return {
        name: without_tracers(value) if name in function.static else value
        for name, value in given.items()
    }


def _with_others(function: Function, given: Arguments) -> Arguments:
    """`f(**settings)` may give more options than are known."""
    known = {p.name: given[p.name].only for p in function.parameters if p.kind == "**"}
    return {
        name: only(replace(atom, rest=UNKNOWN))
        for name, atom in known.items()
        if isinstance(atom, Mapping)
    }


def _chosen(
    function: Function, defaults: Arguments, args: tuple[Value, ...], keywords: Arguments
) -> Arguments:
    """... and others than the defaults: the flags of a program are settings of somebody."""
    positional = [p.name for p in function.parameters if p.kind == "pos"][: len(args)]
    left = defaults.keys() - keywords.keys() - {*positional}
    flags = {name: defaults[name] for name in left if isinstance(defaults[name].constant, bool)}
    return {name: join(value, UNKNOWN) for name, value in flags.items()}


def _is_differentiated(function: Function, given: Arguments) -> bool:
    """Does a derivative flow in? Of what a function closes over it may, too."""
    parent = function.parent
    nested = parent is not None and not parent.is_module and not parent.is_class
    return nested or any(flows_in(value.marks) for value in given.values())


def _call_bound(
    machine: Machine, site: Site, function: Function, given: Arguments, span: Span
) -> Value:
    key, values, roots, drawn = _context(machine, site, function, given)
    machine.callees[machine.path, span] = function
    machine.entered(function, span)
    if key in machine.active:
        for activation in reversed(machine.activations):
            activation.cut.add(key)
            if activation.key == key:
                break
        return UNKNOWN
    if not machine.is_below(DEPTH):
        machine.inexact += 1
        return UNKNOWN
    summary = _known(machine, key)
    if summary is None and machine.reruns.get(key, 0) > _RERUNS:
        machine.inexact += 1
        return UNKNOWN
    if summary is None:
        summary = _run(machine, site, function, key, values)
    else:
        machine.replays += 1
    machine.inexact += not machine.is_below(summary.depth)
    machine.trail.append(summary)
    new = Substitution(machine, roots, span, drawn, summary.seeded)
    out = _apply(machine, function, summary, new, span)
    short = [each for name in filled_up(function) for each in cuts_in(given[name])]
    return without_rest(out, short) if short else out


def bind(
    function: Function, defaults: Arguments, args: tuple[Value, ...], keywords: Arguments
) -> Arguments:
    """Which parameter gets which argument; what is missing is unknown."""
    names = [p.name for p in function.parameters if p.kind == "pos"]
    named = dict(keywords)
    rest = named.pop("*", None)
    given: Arguments = dict(zip(names, args, strict=False))
    extra = args[len(names) :]
    for parameter in function.parameters:
        name = parameter.name
        if name in given or parameter.kind == "**":
            continue
        if parameter.kind == "*":
            many = only(Tuple(tuple(extra))) if rest is None else only(Sequence(rest, Size()))
            given[name] = many
        elif name in named:
            given[name] = named.pop(name)
        elif rest is not None and parameter.kind == "pos":
            given[name] = rest
        else:
            given[name] = defaults.get(name, UNKNOWN)
    for parameter in function.parameters:
        known = given.get(parameter.name)
        if known is not None and known.unknown and parameter.annotation == SCHEDULE_TYPE:
            given[parameter.name] = known.marked(SCHEDULE)
        if parameter.kind == "**":
            left = {name: value for name, value in named.items() if name not in given}
            given[parameter.name] = only(Mapping(tuple(left), tuple(left.values())))
    return given


def _context(
    machine: Machine, site: Site, function: Function, given: Arguments
) -> tuple[int, Arguments, dict[Hashable, Value], dict[Hashable, Marks]]:
    """The number of the context, the arguments as the callee sees them, and what they stand for.

    What differs at each evaluation here is one value within the callee: it varies with what the
    caller gives. The last of the results says with what that varies.
    """
    mode = (
        bool(machine.traced),
        bool(machine.differentiated),
        bool(machine.lenient),
        bool(machine.per_device),
        bool(machine.replicating),
        bool(machine.callback),
    )
    known = machine.contexts.setdefault((function, mode), {})
    base = function, site.info["environment"], mode
    tried: list[int] = []
    for exact in (0, 1, 2):
        values: Arguments = {}
        roots: dict[Hashable, Value] = {}
        drawn: dict[Hashable, Marks] = {}
        for name, value in given.items():
            root: tuple[Hashable, ...] = function, name
            if opaque(machine, value) or _blurred(value, exact):
                cls = class_of_tracers(machine, value) if machine.traced else None
                root = root if cls is None else (*root, cls)
                values[name] = symbol_for(root)
                if machine.differentiated:
                    values[name] = values[name].marked(flows_in(value.marks))
                if machine.traced:
                    values[name] = values[name].marked(traced_in(value.marks))
                roots[root] = value
            elif EACH in value.marks:
                drawn[root] = value.marks
                marks = value.marks - {EACH} | {parameter_mark(root)}
                values[name] = Value(value.atoms, value.unknown, marks, value.choice)
            else:
                values[name] = as_parameter(value, root)
                if values[name] is not value:
                    roots[root] = value
            settled = with_sizes_of(values[name], sizes := (root, "sizes"))
            if settled is not values[name]:
                values[name], drawn[sizes] = settled, frozenset((EACH,))
        whole = (*base, tuple(values.values()))
        key = machine.numbers.setdefault(whole, len(machine.numbers))
        tried.append(key)
        if key in known or exact == 2 or len(known) < (BY_VALUE, CONTEXTS)[exact]:
            known[key] = True
            break
    machine.trail.append(((function, mode), tuple(tried)))
    return key, values, roots, drawn


def _blurred(value: Value, exact: int) -> bool:
    """Is it given up in a context that is less exact? 0: nothing is; 1: data are; 2: all is."""
    if exact == 0:
        return False
    atom = value.only
    if isinstance(atom, Object):
        return atom.site.kind not in _KEPT_KINDS or (
            exact == 2 and atom.site.kind not in ("function", "class", "instance", "module")
        )
    if isinstance(atom, Constant) and (atom.value is None or isinstance(atom.value, bool)):
        return False
    if exact == 1 and len(value.atoms) > 1 and _are_of_one_class(value):
        return False
    return not isinstance(atom, (Library, Method)) or exact == 2


def _are_of_one_class(value: Value) -> bool:
    """Objects of one class: a state, and what a loop makes of it."""
    sites = [atom.site for atom in value.atoms if isinstance(atom, Object)]
    if value.unknown or len(sites) < len(value.atoms):
        return False
    classes = {(site.kind, site.info.get("class"), site.info.get("name")) for site in sites}
    return len(classes) == 1 and sites[0].kind == "instance"


def _known(machine: Machine, key: Any) -> Summary | None:
    """A summary that still holds."""
    for summary in machine.memory.get(key, ()):
        if _holds(machine, summary):
            machine.inexact += not summary.exact
            return summary
    for summary in machine.shared.get(key, ()):
        if _holds(machine, summary) and _adopted(machine, summary):
            return summary
    machine.reruns[key] = machine.reruns.get(key, 0) + 1
    return None


def _holds(machine: Machine, summary: Summary) -> bool:
    if not summary.fixed.isdisjoint(machine.bindings.rebound):
        return False
    return all((machine.peek(p) or MISSING) == value for p, value in summary.reads.items())


def _adopted(machine: Machine, summary: Summary) -> bool:
    """Would this root come to the same? What was run for it counts as if it were run here."""
    if len(machine.activations) > summary.depth:
        return False
    added: dict[Any, dict[Any, bool]] = {}
    if not _repeats(machine, summary, added, set()):
        return False
    unpaid = _unpaid(machine, summary, {})
    cost = sum(each.cost for each in unpaid.values())
    if cost > machine.budget:
        return False
    machine.budget -= cost
    machine.spent_inside += cost
    machine.paid.update(unpaid)
    for each in unpaid.values():
        if each.kept:
            _keep(machine.memory, each)
    for of, keys in added.items():
        machine.contexts[of] = keys
        for key in keys:
            machine.reruns.setdefault(key, 1)
    return True


def _repeats(
    machine: Machine, summary: Summary, added: dict[Any, dict[Any, bool]], seen: set[int]
) -> bool:
    """Would the same contexts be chosen again?"""
    if id(summary) in seen:
        return True
    seen.add(id(summary))
    for step in summary.trail:
        if isinstance(step, Summary):
            if not _repeats(machine, step, added, seen):
                return False
            continue
        of, keys = step
        known = added.get(of)
        if known is None:
            known = added[of] = dict(machine.contexts.get(of, ()))
        if _choice(known, keys) != len(keys) - 1:
            return False
        known[keys[-1]] = True
    return True


def _unpaid(
    machine: Machine, summary: Summary, found: dict[Version, Summary]
) -> dict[Version, Summary]:
    """What this root would have to run for a summary, in that order."""
    if summary.version not in found and summary.version not in machine.paid:
        for step in summary.trail:
            if isinstance(step, Summary):
                _unpaid(machine, step, found)
        found[summary.version] = summary
    return found


def _version(machine: Machine, key: int, reads: Layer) -> Version:
    """Two roots that run the same make two summaries of one version."""
    known = machine.versions.setdefault(key, [])
    if reads not in known:
        known.append(reads)
    return key, known.index(reads)


def _keep(memory: dict[int, list[Summary]], summary: Summary) -> None:
    key, _ = summary.version
    memory[key] = [summary, *memory.get(key, [])[: _SUMMARIES - 1]]


def _choice(known: dict[Any, bool], keys: Iterable[Any]) -> int:
    """How exact the context of a call is, of those that are known: 0, 1, or 2 for the least."""
    for exact, key in enumerate(keys):
        if exact == 2 or key in known or len(known) < (BY_VALUE, CONTEXTS)[exact]:
            return exact
    return 2


def _run(machine: Machine, site: Site, function: Function, key: Any, values: Arguments) -> Summary:
    machine.analyses += 1
    machine.runs_of[function, bool(machine.traced)] = (
        machine.runs_of.get((function, bool(machine.traced)), 0) + 1
    )
    frame = _frame(machine, site, function, values)
    activation = Activation(function, frame, site.info["environment"], len(machine.layers))
    activation.key, activation.given = key, values
    activation.functions.add(function)
    saved = machine.save()
    inner, machine.spent_inside = machine.spent_inside, 0
    events, machine.events = machine.events, []
    equations, machine.equations = machine.equations, 0
    dispatches, machine.dispatches = machine.dispatches, 0
    handled, machine.handled = machine.handled, set()
    budget, layers, depth = machine.budget, len(machine.layers), len(machine.activations)
    machine.layers.append({(frame, name): value for name, value in values.items()})
    activation.writes.update((frame, n) for n in values if n in function.captured)
    machine.activations.append(activation)
    slack, machine.slack = machine.slack, DEPTH
    machine.active.add(key)
    machine.path, machine.calls = function.path, ()
    machine.loops, machine.current, machine.guarded, machine.guards = [], NO_MARKS, 0, ()
    sides, machine.sides = machine.sides, {}
    maybe, machine.maybe = machine.maybe, 0
    trying, machine.trying = machine.trying, 0
    transform, machine.transform = machine.transform, ""
    lenient = machine.lenient  # a context may be left by a `return`
    inexact = machine.inexact
    trail, machine.trail = machine.trail, []
    try:
        if machine.run(function.body) is None:
            activation.returns.append((NONE, machine.layers[-1]))
    except RecursionError:
        machine.inexact += 1
        activation.returns.append((UNKNOWN, {}))
    except OutOfBudget:
        machine.active.discard(key)
        if depth not in _GIVEN_UP or machine.reserve < _LEAST_RESERVE:
            if depth == 1:  # the root itself: what it has noted until here stands
                events += _distinct(machine.events, activation)
            raise
        machine.inexact += 1
        machine.budget, machine.reserve = machine.reserve, machine.reserve // 2
        activation.returns.append((UNKNOWN, {}))
        note_given(machine, values.values(), _line(function), function.name)
    finally:
        del machine.layers[layers:], machine.activations[depth:]
        machine.active.discard(key)
        noted, machine.events = machine.events, events
        machine.restore(saved)
        own, machine.equations = machine.equations, equations
        started, machine.dispatches = machine.dispatches, dispatches
        machine.handled = handled
        machine.sides, machine.maybe, machine.transform = sides, maybe, transform
        machine.trying, machine.lenient = trying, lenient
        steps, machine.trail = machine.trail, trail
        own_slack, machine.slack = machine.slack, min(slack, machine.slack)
    spent = budget - machine.budget
    cost, machine.spent_inside = spent - machine.spent_inside, inner + spent
    writes = _writes(machine, activation)
    kept = tuple(_distinct(noted, activation, _EVENTS * (4 if depth < _OUTER else 1)))
    summary = Summary(
        reads=activation.reads,
        fixed=frozenset(activation.fixed),
        writes=writes,
        result=_result(activation),
        events=kept,
        weight=len(writes) + sum(not isinstance(event, _LIGHT) for event in kept),
        made=tuple(activation.made.items()),
        equations=own,
        dispatches=started,
        functions=frozenset(activation.functions),
        seeded=frozenset(activation.seeded),
        cost=cost,
        depth=depth + own_slack,
        kept=not activation.cut - {key},  # else it holds only within the recursion around
        version=_version(machine, key, activation.reads),
        exact=machine.inexact == inexact,
        trail=tuple(steps),
        loops=activation.loops_met.facts,
    )
    machine.paid.add(summary.version)
    if summary.kept:
        _keep(machine.memory, summary)
        if summary.exact:
            _keep(machine.shared, summary)
    machine.activations[-1].cut |= activation.cut - {key}
    return summary


def _frame(machine: Machine, site: Site, function: Function, values: Arguments) -> Frame:
    """The frame is named by what is called and what it is called on, never by data.

    Sites that are made in it are named by it, so their number does not grow with the callers'.
    """
    environment: tuple[Frame, ...] = site.info["environment"]
    named: list[Site] = []
    depth = max((frame.depth for frame in environment), default=0)
    for value in values.values():
        atom = value.only
        if isinstance(atom, Object) and atom.site.kind in _NAMING:
            inner = atom.site.info.get("frame")
            below = inner.depth if isinstance(inner, Frame) else 0
            if below < _FRAMES:
                named.append(atom.site)
                depth = max(depth, below)
    key = (function, environment, tuple(named))
    frame = machine.frames.get(key)
    if frame is None:
        frame = machine.frames[key] = Frame(function, depth + bool(named))
    return frame


def _distinct(events: list[Event], activation: Activation, limit: int = _EVENTS) -> list[Event]:
    """Without those that say nothing new: the same write, with the same value, again.

    And without writes to what is made in the same call, if no trace has seen it there: no older
    trace holds it.
    """
    out: list[Event] = []
    seen: set[Any] = set()
    counts: Counter[Event] = Counter()
    told: set[Event] = set()
    uses = effects = made = 0
    seen_by_traces = {
        place for event in events if isinstance(event, CompiledCall) for place, _ in event.captured
    }
    for event in events:
        if isinstance(event, Effect):
            counts[event] += 1
            if counts[event] <= _TIMES[Effect] and effects < limit:
                effects += 1
                out.append(event)
            continue
        if isinstance(event, (KeyUse, Turn)):  # the second time tells all that the third would
            counts[event] += 1
            if counts[event] <= _TIMES[type(event)] and uses < limit:
                uses += 1
                out.append(event)
            continue
        if isinstance(event, _UNORDERED):
            what = replace(event, calls=()) if isinstance(event, Unrolled) else event
            if what not in told and len(told) < _EVENTS:
                told.add(what)
                out.append(event)
            continue
        if isinstance(event, Allocation) and event.site.kind == "instance":
            if made < limit:
                made += 1
                seen.clear()
                out.append(event)
            continue
        if len(out) - uses - effects - made - len(told) >= limit:
            continue
        if isinstance(event, Write):
            base = event.location[0]
            if (
                isinstance(base, Site)
                and activation.made.get(base) is not None
                and event.location not in seen_by_traces
            ):
                continue
            key = event.location, event.span, event.value, event.old
            if key in seen:
                continue
            seen.add(key)
        else:
            seen.clear()
        out.append(event)
    return out


def _writes(machine: Machine, activation: Activation) -> Layer:
    """What the function leaves written that others can see, joined over its ends."""
    ends = activation.returns or [(BOTTOM, {})]
    seen = [
        {place: value for place, value in layer.items() if not activation.is_local(place)}
        for _, layer in ends
    ]
    machine.layers.append({})
    machine.merge(seen)
    return machine.layers.pop()


def _result(activation: Activation) -> Value:
    function = activation.function
    if function.is_generator:
        elements = join_all(activation.yields)
        return only(Sequence(elements, Size(), (function.path, _line(function))))
    out = BOTTOM
    for value, _ in activation.returns:
        out = join(out, value, activation.control)
    return out


def _line(function: Function) -> Span:
    return function.line, 1, function.line, 1


def _apply(
    machine: Machine, function: Function, summary: Summary, new: Substitution, span: Span
) -> Value:
    """Does in the caller what the summary says."""
    activation = machine.activation
    machine.budget -= summary.weight // _CHEAP
    if span not in activation.calls:
        activation.calls.add(span)
        again = activation.functions & summary.functions
        if again:
            machine.called_again.setdefault(activation.function, set()).update(again)
    activation.functions |= summary.functions
    activation.seeded |= new.seeded
    activation.fixed |= summary.fixed
    reads, written, frame = activation.reads, activation.writes, activation.frame
    for place in summary.reads:
        moved = new.location(place)
        if moved is None or moved[0] is frame:
            continue
        if moved not in written and moved not in reads:
            reads[moved] = machine.peek(moved) or MISSING
    for loop, facts in summary.loops.items():
        machine.note_loop(loop, facts)
    guarded, current = bool(machine.guarded), machine.current
    for made, loops in summary.made:
        machine.remake(made, (loops | current if loops else current), guarded or loops is None)
    for event in summary.events:
        again = new.event(event)
        if again is not None:
            machine.events.append(again)
    made_here = {made for made, _ in summary.made if made.kind in _CONTAINERS}
    for place, value in summary.writes.items():
        moved = new.location(place)
        if moved is None:
            continue
        given = new.value(value, _around(moved))
        if moved[0] in made_here and activation.made_at.setdefault(moved[0], span) != span:
            given = _sized_as_both(machine.peek(moved), given)  # two are there, of two calls
        machine.put(moved, given)
    machine.equations += summary.equations
    machine.dispatch(summary.dispatches)
    return new.value(summary.result)


def _sized_as_both(old: Value | None, new: Value) -> Value:
    """What the later of two calls has made, with arrays of the sizes of either.

    Both objects have one site, so what is read of the first is what the second holds.
    """
    a, b = (None if value is None else value.only for value in (old, new))
    if isinstance(a, Array) and isinstance(b, Array):
        return join(old, new) if old is not None and _rank(a) == _rank(b) else new
    if not isinstance(a, Mapping) or not isinstance(b, Mapping) or a.keys != b.keys:
        return new
    values = map(_sized_as_both, a.values, b.values)
    return only(replace(b, values=tuple(values)), new.marks)


def _rank(array: Array) -> int | None:
    return None if array.shape is None else len(array.shape)


def _around(place: Location) -> frozenset[Any]:
    """Loops in which the object itself is made: with them, its contents do not grow."""
    base = place[0]
    return base.info.get("around", NO_MARKS) if isinstance(base, Site) else NO_MARKS
