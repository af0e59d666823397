"""Puts what a caller gives in place of a function's parameters: in values, and in events."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.keys import Argument, At, Chosen, Folded, Guessed, Key, Seeded, choose
from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.tracers import TRACERS
from gotcha_lint.domain.value import (
    BOTTOM,
    EACH,
    GROWS,
    NO_MARKS,
    Array,
    Atom,
    Library,
    Marks,
    Method,
    Number,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    as_affine,
    constant,
    join,
    only,
    size_from,
)
from gotcha_lint.domain.value import Mapping as MappingOf
from gotcha_lint.interpret.arguments import flatten, static_parts
from gotcha_lint.interpret.batches import Batch
from gotcha_lint.interpret.containers.iteration import element
from gotcha_lint.interpret.copies import is_copy_step
from gotcha_lint.interpret.effects import lifted, moved
from gotcha_lint.interpret.events import (
    Allocation,
    CallString,
    ClockRead,
    CompiledCall,
    EagerControl,
    EagerLoop,
    EagerUpdate,
    Effect,
    Event,
    Guard,
    Guards,
    HostRead,
    Identity,
    KeyUse,
    Location,
    Remark,
    Turn,
    Unrolled,
    Write,
)
from gotcha_lint.interpret.faults.donated import TAKEN, taken_by_callee
from gotcha_lint.interpret.faults.growing import grown_by_callee
from gotcha_lint.interpret.faults.pickling import CLOSURE, given_closure
from gotcha_lint.interpret.faults.softmax import at_caller
from gotcha_lint.interpret.heap import constructs_module
from gotcha_lint.interpret.host import as_wait, leaves
from gotcha_lint.interpret.indexing import CUT, as_short, cut_of, with_size
from gotcha_lint.interpret.keys import index_of
from gotcha_lint.interpret.layers.eager_loops import as_called
from gotcha_lint.interpret.layers.linen import VARIABLES, given_variables
from gotcha_lint.interpret.layers.modes import DROPS, is_differentiated
from gotcha_lint.interpret.leaves import Leaf, Leaves, Static
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.numbers import substituted
from gotcha_lint.interpret.start.startup import SETTINGS, STARTS, as_started


def parameter_mark(root: Hashable) -> tuple[str, Hashable]:
    """ "Varies with what the caller gives for this parameter"."""
    return "parameter", root


def with_sizes_of(value: Value, root: Hashable, depth: int = 0) -> Value:
    """The argument as the callee sees it: sizes that differ at each evaluation in the caller are
    those of the parameter there, whatever loops the callee has.
    """
    atoms = tuple(_with_sizes_of(atom, root, depth) for atom in value.atoms)
    if _all_same(atoms, value.atoms):
        return value
    return Value(atoms, value.unknown, value.marks, value.choice)


def _with_sizes_of(atom: Atom, root: Hashable, depth: int) -> Atom:
    if isinstance(atom, Array) and atom.shape:
        shape = tuple(_of_parameter(size, root) for size in atom.shape)
        return atom if _all_same(shape, atom.shape) else replaced(atom, shape=shape)
    if isinstance(atom, Tuple) and depth < _DEPTH:
        items = tuple(with_sizes_of(item, root, depth + 1) for item in atom.items)
        return atom if _all_same(items, atom.items) else replaced(atom, items=items)
    return atom


def _of_parameter(size: Size, root: Hashable) -> Size:
    if EACH not in size.marks:
        return size
    return replaced(size, marks=size.marks - {EACH} | {parameter_mark(root)})


_DEPTH = 2  # of tuples in tuples


class Substitution:
    """Symbols of parameters -> values of the caller; `EACH` -> the loops around the call."""

    def __init__(
        self,
        machine: Machine,
        given: Mapping[Hashable, Value],
        span: Span,
        drawn: Mapping[Hashable, Marks],
        seeded: Iterable[Seeded] = (),
    ) -> None:
        """What a summary holds in place of its parameters, as the caller gives it.

        `drawn`: with what arguments vary that differ at each evaluation in the caller. `seeded`:
        the keys that the callee makes; at each call they may be others.
        """
        self._machine = machine
        self._given = given
        self._span = span
        self._marks: dict[Any, Marks] = {
            parameter_mark(root): value.marks for root, value in given.items()
        } | {parameter_mark(root): marks for root, marks in drawn.items()}
        if machine.differentiated:  # the callee has the flows of its arguments at hand
            for mark, known in self._marks.items():
                self._marks[mark] = known - flows_in(known)
        if machine.traced:  # ... and knows which of them are tracers
            for mark, known in self._marks.items():
                self._marks[mark] = known - TRACERS
        around = machine.current | {EACH}
        self._marks[EACH] = around
        self._marks[GROWS, EACH] = frozenset((GROWS, loop) for loop in around)
        self._marks_of: dict[Marks, Marks] = {}
        self._values: dict[tuple[Value, Origin | None], Value] = {}
        self._symbols: dict[Symbol, Value | None] = {}
        self._call: Origin = machine.path, span
        self._seeded = {key: key.through(self._call) for key in seeded}
        self._arguments: dict[Hashable, Argument] = {}
        # By identity, of tuples that the events of the summary hold: many hold the same one.
        self._guards_of: dict[int, Guards] = {}
        self._calls_of: dict[int, CallString] = {}
        self._loops_of: dict[int, Marks] = {}
        self._sides = tuple(machine.sides.items())  # of the branches around the call

    def marks(self, marks: Marks, without: Marks = NO_MARKS) -> Marks:
        if not marks:
            return marks
        if without:
            return self._new_marks(marks, without)
        known = self._marks_of.get(marks)
        if known is None:
            known = self._marks_of[marks] = self._new_marks(marks, without)
        return known

    def _new_marks(self, marks: Marks, without: Marks) -> Marks:
        if self._marks.keys().isdisjoint(marks):
            return marks
        out: set[Any] = set()
        for mark in marks:
            known = self._marks.get(mark)
            if known is None:
                out.add(mark)
            else:
                out |= known - without - {(GROWS, loop) for loop in without} if without else known
        return frozenset(out)

    def symbol(self, symbol: Symbol) -> Value | None:
        """What the caller gives for it; None where it is no parameter of the callee."""
        if symbol not in self._symbols:
            self._symbols[symbol] = self._resolve(symbol)
        return self._symbols[symbol]

    def _resolve(self, symbol: Symbol) -> Value | None:
        value = self._given.get(symbol.root)
        if value is None:
            return None
        for step in symbol.path:
            if value.is_bottom or (value.unknown and not value.atoms):
                return Value((), True, value.marks - TRACERS)  # it may be a shape
            value = self._step(value, step)
        return value

    def _step(self, value: Value, step: Any) -> Value:
        """What is read from a value by one step of a symbol's path."""
        machine = self._machine
        if isinstance(step, tuple):
            found = machine.item(value, self.value(only(step[1])), self._span)
            return as_short(found, step) if step[0] == CUT else found
        if step.startswith("."):
            return machine.attribute(value, step[1:], self._span)
        if is_copy_step(step):
            atom = value.only
            copy = atom.step(step) if isinstance(atom, Symbol) else None
            return Value((), True, value.marks) if copy is None else only(copy, value.marks)
        if step == "[*]":
            return element(machine, value, None)[0]
        if step == "len":
            counted = only(Library("builtins.len"))
            return machine.call(counted, (value,), {}, self._span)
        key = _key(step)
        return Value((), True, value.marks) if key is None else machine.item(value, key, self._span)

    def value(self, value: Value, without: Marks = NO_MARKS) -> Value:
        if value.is_ground:
            return value
        if without:
            return self._new_value(value, without)
        atom = value.atoms[0] if len(value.atoms) == 1 else None
        # Arrays of one type that two calls make are equal, and stay two.
        key = value, atom.origin if isinstance(atom, Array) else None
        known = self._values.get(key)
        if known is None:
            known = self._values[key] = self._new_value(value, without)
        return known

    def _new_value(self, value: Value, without: Marks) -> Value:
        marks, choice = self.marks(value.marks, without), self.marks(value.choice, without)
        same = marks == value.marks and choice == value.choice
        atoms: list[Atom] = []
        extra = BOTTOM
        for atom in value.atoms:
            if isinstance(atom, Symbol):
                known = self.symbol(atom)
                if known is not None:
                    extra = join(extra, known)
                    same = False
                    continue
            new = self._atom(atom, without)
            same = same and new is atom
            atoms.append(new)
        if same:
            return value
        for atom in value.atoms:
            if isinstance(atom, Array) and atom.key is not None:
                given = self._key_marks(atom.key)
                # What follows from a derivative or a tracer is in its own marks.
                marks |= given - flows_in(given) - TRACERS
        out = Value(atoms, value.unknown, marks, choice)
        return join(out, extra.marked(marks)) if not extra.is_bottom else out

    def _atom(self, atom: Atom, without: Marks) -> Atom:
        if isinstance(atom, Array):
            key = None if atom.key is None else self.key(atom.key)
            elements = atom.elements
            if elements is not None and elements.last is not None:
                elements = replaced(elements, last=self.form(elements.last))
            if not atom.shape:
                same = key == atom.key and elements == atom.elements
                return atom if same else replaced(atom, key=key, elements=elements)
            shape = tuple(self.size(size) for size in atom.shape)
            same = key == atom.key and _all_same(shape, atom.shape) and elements == atom.elements
            return atom if same else replaced(atom, shape=shape, key=key, elements=elements)
        if isinstance(atom, Number) and atom.affine is not None and atom.affine[0]:
            form = self.form(atom.affine)
            return atom if form == atom.affine else replaced(atom, affine=form)
        if isinstance(atom, Tuple):
            items = tuple(self.value(item, without) for item in atom.items)
            return atom if _all_same(items, atom.items) else replaced(atom, items=items)
        if isinstance(atom, Sequence):
            inner, size = self.value(atom.element, without), self.size(atom.size, without)
            same = inner is atom.element and size is atom.size
            return atom if same else replaced(atom, element=inner, size=size)
        if isinstance(atom, MappingOf):
            values = tuple(self.value(item, without) for item in atom.values)
            rest = None if atom.rest is None else self.value(atom.rest, without)
            same = _all_same(values, atom.values) and rest is atom.rest
            return atom if same else replaced(atom, values=values, rest=rest)
        if isinstance(atom, Method):
            receiver = self.value(atom.receiver, without)
            return atom if receiver is atom.receiver else replaced(atom, receiver=receiver)
        return atom

    def size(self, size: Size, without: Marks = NO_MARKS) -> Size:
        marks = self.marks(size.marks, without)
        form = size.affine
        if form is not None and form[0]:
            if len(form[0]) == 1 and form[0][0][1] == 1 and not form[1]:
                name = form[0][0][0]
                given = self._number(name)
                if given is not None and not given.atoms:
                    return replaced(size, marks=marks, affine=affine.symbol(("len", name)))
                if given is not None:
                    known = size_from(given, size.origin)
                    marks |= known.marks
                    if size.ragged and known.constant is None and not known.few:
                        if self._is_whole(size.ragged[0]):
                            return replaced(known, marks=marks)
                        return replaced(size, marks=marks, affine=known.affine)
                    return replaced(known, marks=marks)
            new = self.form(form)
            if affine.is_constant(new) and new is not None:
                return Size(new[1], new[1], marks, origin=size.origin)
            form = new
        if marks == size.marks and form == size.affine:
            return size
        return replaced(size, marks=marks, affine=form)

    def _is_whole(self, counter: Hashable) -> bool:
        """Does the caller give a number of rows that is a multiple of the batch size?"""
        _, stop, step = self._machine.ranges.get(counter, (None, None, None))
        if stop is None or step is None:
            return False
        return affine.is_multiple(self.form(stop), self.form(step))

    def form(self, form: Affine) -> Affine | None:
        """An affine sum with the caller's numbers in it; None where one is not known."""
        return substituted(form, self._form_of)

    def _form_of(self, name: Hashable) -> Affine | None:
        given = self._number(name)
        if given is None:
            return None
        known = as_affine(given.only)
        return affine.symbol(("len", name)) if known is None else known

    def _number(self, name: Hashable) -> Value | None:
        return self.symbol(name) if isinstance(name, Symbol) else None

    def location(self, location: Location) -> Location | None:
        """The same place, as the caller sees it; None where it is unknown which it is."""
        base = location[0]
        if not isinstance(base, Symbol):
            return location
        given = self.symbol(base)
        if given is None:
            return location
        atom = given.only
        if isinstance(atom, Symbol):
            return atom, location[1]
        site = getattr(atom, "site", None)
        return (site, location[1]) if site is not None else None

    # Keys

    @property
    def seeded(self) -> set[Seeded]:
        """The keys that the callee makes, as the caller sees them."""
        return {key for key in self._seeded.values() if key is not None}

    def key(self, key: Key, within: bool = False) -> Key | None:
        """The same key, as the caller sees it.

        `within`: while this call lasts, so an argument is one key even where it is unknown.
        """
        base = key.base
        steps: tuple[Hashable, ...] = ()
        if isinstance(base, Seeded):
            base = self._seeded.get(base, base)
        elif isinstance(base, Symbol):
            given = self.symbol(base)
            if given is not None:
                atom = given.only
                if isinstance(atom, Array) and atom.key is not None:
                    base, steps = atom.key.base, atom.key.steps
                elif isinstance(atom, Symbol):
                    base = atom
                else:
                    unknown = within and not given.atoms
                    base = self._argument(base) if unknown else None
        elif isinstance(base, Guessed):
            given = self.symbol(base.parameter) if isinstance(base.parameter, Symbol) else None
            atom = given.only if given is not None else None
            if isinstance(atom, Array) and atom.key is not None:
                base, steps = atom.key.base, atom.key.steps
            elif given is not None:
                base = self._argument(base) if within else None
        elif isinstance(base, Argument):
            base = self._argument(base)
        elif isinstance(base, Chosen):
            sides = (
                None if side is None else self.key(side, within) for side in (base.yes, base.no)
            )
            moved = choose(base.path, base.span, *sides)
            unknown = self._argument(base) if within else None
            base, steps = (unknown, ()) if moved is None else (moved.base, moved.steps)
        if base is None:
            return None
        new: Key | None = Key(base, steps)
        for step in key.steps:
            moved = self._key_step(step)
            new = new.step(moved) if new is not None and moved is not None else None
        return new

    def _key_marks(self, key: Key) -> Marks:
        """With what the argument varies that a key is made of, be it deep within one."""
        if isinstance(key.base, Chosen):
            sides = (side for side in (key.base.yes, key.base.no) if side is not None)
            return NO_MARKS.union(*map(self._key_marks, sides))
        base = key.base.parameter if isinstance(key.base, Guessed) else key.base
        given = self.symbol(base) if isinstance(base, Symbol) else None
        return given.marks if given is not None else NO_MARKS

    def _argument(self, base: Hashable) -> Argument:
        known = self._arguments.get(base)
        if known is None:
            self._machine.generation += 1
            known = self._arguments[base] = Argument(self._machine.generation)
        return known

    def _key_step(self, step: Hashable) -> Hashable | None:
        if isinstance(step, Folded):
            data = self._index(step.data)
            return None if data is None else Folded(data)
        if isinstance(step, At):
            index = self._index(step.index)
            return index if index is None or isinstance(index, int) else At(index)
        return step

    def _index(self, index: Hashable) -> Hashable | None:
        """A number that names a key: a constant, a symbol or an affine sum."""
        if isinstance(index, Symbol):
            return index_of(self.value(only(index)))
        if isinstance(index, tuple):
            return self.form(index)
        return index

    # Events

    def event(self, event: Event) -> Event | None:
        if isinstance(event, Turn):
            return event
        machine = self._machine
        calls = self._calls(event.calls)
        if isinstance(event, Allocation):
            machine.generation += 1
            loops = self._loops(event.loops)
            kept = event.kept or bool(machine.guarded)
            event.site.generation = machine.generation
            return Allocation(event.site, loops, kept, event.within, calls, self._sides)
        if isinstance(event, Write):
            location = self.location(event.location)
            if location is None:
                return None
            old = None if event.old is None else self.value(event.old)
            return replaced(
                event, location=location, value=self.value(event.value), old=old, calls=calls
            )
        if isinstance(event, CompiledCall):
            return self._compiled(event, calls)
        if isinstance(event, KeyUse):
            return self._key_use(event, calls)
        if isinstance(event, EagerControl):
            return replaced(
                event,
                identity=self._identity(event.identity),
                loops=self._loops(event.loops),
                calls=calls,
            )
        if isinstance(event, EagerUpdate):
            if event.parameter:
                grown = grown_by_callee(machine, event, self._span)
                return None if grown is None else replaced(grown, calls=calls)
            few = event.few and machine.turns_are_few()
            loops = self._loops(event.loops)
            maybe = event.maybe or bool(machine.maybe)
            return replaced(event, few=few, loops=loops, calls=calls, maybe=maybe)
        if isinstance(event, Unrolled):
            return replaced(event, turns=self.size(event.turns), calls=calls)
        if isinstance(event, EagerLoop):
            return as_called(replaced(event, turns=self.size(event.turns), calls=calls))
        if isinstance(event, Remark):
            tested = event.kind == "out of bounds" and bool(machine.guards)
            maybe = event.maybe or bool(machine.maybe) or tested
            if event.given is not None:
                event = at_caller(machine, event, self.value(event.given), self._call)
                return replaced(event, maybe=maybe or event.maybe, calls=machine.calls)
            return replaced(event, maybe=maybe, calls=calls)
        loops, guards = self._loops(event.loops), self._guards(event.guards)
        if isinstance(event, ClockRead):
            return replaced(event, loops=loops, guards=guards, calls=calls)
        if isinstance(event, Effect):
            if event.kind in STARTS or event.kind in SETTINGS:
                called = as_started(machine, event, self._span)
                return None if called is None else moved(machine, called, (), loops, guards, calls)
            values = tuple(map(self.value, event.values))
            if event.kind == TAKEN:
                taken = taken_by_callee(machine, event, values, self._span)
                return taken and moved(machine, taken, values, loops, guards, calls)
            if event.kind == DROPS and is_differentiated(machine):
                return None
            if event.kind in ("given", "pickle"):
                known = any(value.atoms for value in values)
                values = leaves(machine, values, older=True)
                if not values and event.kind == "pickle" and not known:
                    values = event.values  # its name may tell what it is
                if not values:
                    return None
            if event.kind == CLOSURE:
                moved_on = given_closure(machine, event, values)
                if moved_on is None:
                    return None
                event = moved_on
            if event.kind == VARIABLES:
                applied = given_variables(machine, event, values)
                if applied is None:
                    return None
                event = applied
            event = lifted(machine, event, self._call)
            return moved(machine, event, values, loops, guards, calls)
        return self._read(event, loops, guards, calls)

    def _calls(self, calls: CallString) -> CallString:
        """The calls that lead to the function, then those in it."""
        known = self._calls_of.get(id(calls))
        if known is None:
            known = self._calls_of[id(calls)] = (*self._machine.calls, self._call, *calls)
        return known

    def _loops(self, loops: Marks) -> Marks:
        """The steady loops around the call, and those in the function."""
        current = self._machine.current
        if not loops or not current:
            return loops or current
        known = self._loops_of.get(id(loops))
        if known is None:
            known = self._loops_of[id(loops)] = loops | current
        return known

    def _guards(self, guards: Guards) -> Guards:
        """The tests around the call, then those in the function."""
        known = self._guards_of.get(id(guards))
        if known is None:
            own = tuple(map(self._guard, guards)) if guards else ()
            known = self._guards_of[id(guards)] = (*self._machine.guards, *own)
        return known

    def _guard(self, guard: Guard) -> Guard:
        marks, loops = self.marks(guard.marks), self._loops(guard.loops)
        if marks == guard.marks and loops == guard.loops:
            return guard
        return replaced(guard, marks=marks, loops=loops)

    def _read(
        self, event: HostRead, loops: Marks, guards: Guards, calls: tuple[Origin, ...]
    ) -> HostRead | Effect | None:
        """None where the caller shows that nothing is to be waited for."""
        given = [self.value(value) for value in event.values]
        if event.older:
            return replaced(event, values=tuple(given), loops=loops, guards=guards, calls=calls)
        values = leaves(self._machine, given)
        if not values:
            return as_wait(self._machine, event, given, loops, guards, calls)
        return replaced(event, values=values, loops=loops, guards=guards, calls=calls)

    def _key_use(self, event: KeyUse, calls: tuple[Origin, ...]) -> KeyUse | None:
        machine = self._machine
        key = self.key(event.key, within=True)
        if key is None:
            return None
        machine.key_uses += 1
        here = len(event.functions) if machine.maybe else None
        return replaced(
            event,
            key=key,
            marks=self.marks(event.marks) | self._key_marks(event.key),
            loops=self._loops(event.loops),
            around=event.around | machine.open_loops(),
            guarded=event.guarded or bool(machine.guarded),
            doubt=here if event.doubt is None else event.doubt,
            choices=(machine.choice if machine.maybe else None, *event.choices),
            functions=(machine.activation.function, *event.functions),
            layers=(constructs_module(machine), *event.layers),
            sides=(self._sides, *event.sides),
            calls=calls,
            seed=self._seed(event.seed),
        )

    def _seed(self, seed: Hashable) -> Hashable | None:
        """Which number makes a key; an unknown argument is one number while this call lasts."""
        given = self.symbol(seed) if isinstance(seed, Symbol) else None
        if isinstance(seed, Argument) or (given is not None and not given.atoms):
            return self._argument(seed)
        return self._index(seed)

    def _identity(self, parts: tuple[Identity, ...]) -> tuple[Identity, ...]:
        return tuple(replaced(part, marks=self.marks(part.marks)) for part in parts)

    def _compiled(self, event: CompiledCall, calls: tuple[Origin, ...]) -> CompiledCall:
        machine = self._machine
        statics: list[Static] = []
        for static in event.statics:
            if static.kind == "symbol" and static.value is not None:
                new = self.value(static.value)
                if new is not static.value:
                    static_parts(machine, new, static.label, statics)
                    continue
            marks = self.marks(static.marks)
            drawn = static.kind == "value" and EACH in marks
            statics.append(replaced(static, marks=marks, certain=static.certain or drawn))
        leaves = self._leaves(event.leaves, statics)
        captured: list[tuple[Location, Value]] = []
        for location, value in event.captured:
            moved = self.location(location)
            if moved is not None:
                captured.append((moved, self.value(value)))
        return replaced(
            event,
            leaves=leaves,
            statics=tuple(statics),
            settings=tuple((label, self.value(value)) for label, value in event.settings),
            identity=self._identity(event.identity),
            captured=tuple(captured),
            loops=self._loops(event.loops),
            in_loop=event.in_loop or bool(machine.loops),
            maybe=event.maybe or bool(machine.maybe),
            transform=event.transform or machine.transform,
            handled=event.handled | machine.handled,
            guards=self._guards(event.guards),
            needs=self.marks(event.needs),
            calls=calls,
        )

    def _leaves(self, leaves: Leaves, statics: list[Static]) -> Leaves:
        out: Leaves = {}
        for path, leaf in leaves.items():
            sizes = {axis: (self.size(size), origin) for axis, (size, origin) in leaf.sizes.items()}
            new = replaced(
                leaf,
                sizes=sizes,
                ranks=set(leaf.ranks),
                symbols=(),
                marks=self.marks(leaf.marks),
            )
            known = out.get(path)
            if known is None:
                known = out[path] = new
            else:
                known.add(new)
            for symbol, marks in leaf.symbols:
                given = self.symbol(symbol)
                cut = cut_of(symbol)
                if cut is not None and given is not None and not given.atoms:
                    symbol, given = with_size(symbol, self.size(cut[1])), None
                if given is None:
                    known.symbols = (*known.symbols, (symbol, self.marks(marks)))
                    continue
                parts: Leaves = {}
                flatten(self._machine, given.marked(self.marks(marks)), path, parts, statics)
                for inner, part in parts.items():
                    if inner in out:
                        merged = Leaf()
                        merged.add(out[inner])
                        merged.add(part)
                        out[inner] = merged
                    else:
                        out[inner] = part
        return out


def _key(step: str) -> Value | None:
    """The key of a step `[key]` or `[low:high:step]`; None for others."""
    inside = step[1:-1]
    try:
        return constant(ast.literal_eval(inside))
    except (ValueError, SyntaxError):
        parts = inside.split(":")
    if not step.endswith("]") or len(parts) != 3:
        return None
    try:
        ends = tuple(constant(ast.literal_eval(part)) for part in parts)
    except (ValueError, SyntaxError):
        return None
    return only(Tuple((constant("%slice"), *ends)))


def _all_same(new: tuple[Any, ...], old: tuple[Any, ...]) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))


def opaque(machine: Machine, value: Value) -> bool:
    """Nothing is known of it but that it may be the same as another."""
    if not value.atoms:
        return value.unknown
    atom = value.only
    if isinstance(atom, Symbol) and isinstance(atom.root, Batch):
        return False
    return isinstance(atom, Symbol) and not machine.fields_of(atom)


def symbol_for(root: Hashable, origin: Origin | None = None) -> Value:
    """The value of a parameter of which nothing is known."""
    return only(Symbol(root, (), origin), frozenset((parameter_mark(root),)))
