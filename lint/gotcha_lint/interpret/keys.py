"""Random keys: which key a value is, what a step makes of it, and that it is used.

A key that a caller gives is a symbol of the parameter within the callee, so a function is run once
for all keys that it is called with; its uses of the parameter are the caller's uses of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace

from gotcha_lint.domain.keys import SPLIT, At, Guessed, Key, Seeded, alternatives, choose
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    EACH,
    INFINITY,
    NO_MARKS,
    Array,
    Atom,
    Constant,
    Marks,
    Number,
    Symbol,
    Tuple,
    Value,
    only,
)
from gotcha_lint.domain.value import Mapping as MappingOf
from gotcha_lint.facts.flags import TRAIN
from gotcha_lint.facts.random import COUNTERS, KEEPS, KEY_WORDS, LAYERS, NO_DRAWS, SAMPLES
from gotcha_lint.interpret.events import KeyUse, Location, Turn
from gotcha_lint.interpret.heap import constructs_module, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.state import Layer
from gotcha_lint.program.ir import Function

_NNX, _COUNTS = "flax.nnx.", "Rngs"
_DEPTH = 3  # of containers in arguments whose keys become the parameter's
_OF_KEYS = ("key", "uint32", None)  # types of arrays that may be keys
_SLICE = "%slice"
# A place, one of the arrays that a branch leaves there, and the key of each side.
Differing = list[tuple[Location, Array, Key | None, Key | None]]
AXIS = "axis index"  # a mark, with the call: the number of a device, from 0


def names(value: Value) -> Iterator[Key]:
    """The keys that a value may be: arrays with a name, and symbols, should they be keys."""
    keys = [a.key for a in value.atoms if isinstance(a, Array) and a.key is not None]
    yield from keys
    chosen = {one.base for key in keys for one, gates in alternatives(key) if gates}
    for atom in value.atoms:
        if isinstance(atom, Symbol) and atom not in chosen and not _is_counter(atom):
            yield Key(atom)


def _others(value: Value) -> int:
    """How many alternatives have no name: something unknown, too."""
    named = (
        isinstance(a, Symbol) or (isinstance(a, Array) and a.key is not None) for a in value.atoms
    )
    return sum(not each for each in named) + value.unknown


def _is_counter(symbol: Symbol) -> bool:
    """`rngs: nnx.Rngs`, of which each draw is another one."""
    root = symbol.root
    if symbol.path or not isinstance(root, tuple) or not isinstance(root[0], Function):
        return False
    return any(p.name == root[1] and _COUNTS in p.annotation for p in root[0].parameters)


def key_of_stream(machine: Machine, called: Symbol, given: int, span: Span) -> Value | None:
    """`rngs.params()` and `rngs()` of a parameter `rngs: nnx.Rngs`: another key at each call."""
    names_stream = all(str(step).startswith(".") for step in called.path)
    is_stream = names_stream and len(called.path) <= 1
    if given or not is_stream or not _is_counter(Symbol(called.root, (), called.origin)):
        return None
    key, marks = _unknown_key(machine, span, None)
    return only(Array("key", False, (), "device", machine.origin(span), key), marks)


def below(
    machine: Machine, value: Value, step: Hashable | None, span: Span
) -> tuple[Key | None, Marks]:
    """The key that a step makes of this one, and with what it varies besides.

    Where that is not known, it is named by the instruction: another one at each evaluation.
    """
    found = list(names(value))
    known = step is not None and len(found) == 1 and not _others(value)
    new = found[0].step(step) if known else None
    return (new, NO_MARKS) if new is not None else _unknown_key(machine, span, step)


def _unknown_key(machine: Machine, span: Span, step: Hashable | None) -> tuple[Key | None, Marks]:
    base = Seeded(machine.path, span, False)
    machine.activation.seeded.add(base)
    name, marks = Key(base, (step,) if step == SPLIT else ()), machine.current | {EACH}
    note(machine, Key(base), marks, "seed", "", span)
    return name, marks


def index_of(value: Value) -> Hashable | None:
    """A number that tells one key from another: a constant, a symbol, an affine sum; else None."""
    atom = value.only
    if isinstance(atom, Constant):
        return atom.value if isinstance(atom.value, (int, str)) else None
    if isinstance(atom, Symbol):
        return atom
    form = atom.affine if isinstance(atom, Number) else None
    return None if form is None or any(map(_is_carried, form[0])) else form


def _is_carried(term: tuple[Hashable, int]) -> bool:
    """A number that goes on from one run of an inner loop to the next: its name is no value."""
    name = term[0]
    return isinstance(name, tuple) and name[:1] == ("carried",)


def range_of(value: Value) -> tuple[float, float] | None:
    """The least and the greatest that a whole number can be; None where that is not known."""
    atom = value.only
    if isinstance(atom, Constant) and type(atom.value) is int:
        return atom.value, atom.value
    if isinstance(atom, Array) and (AXIS, atom.origin) in value.marks:
        return 0, INFINITY
    if isinstance(atom, Symbol) and _name_of(atom) in COUNTERS:
        return 0, INFINITY
    return (atom.low, atom.high) if isinstance(atom, Number) else None


def _name_of(symbol: Symbol) -> str:
    """`step` of a parameter `step`, or of `state.step`."""
    last = symbol.path[-1] if symbol.path else symbol.root
    return str(last[-1] if isinstance(last, tuple) else last).lstrip(".")


def note_some(machine: Machine, array: Array, index: Value, span: Span) -> None:
    """`keys[n]` of a count that goes on, an unknown one of several; `keys[-1]`."""
    key, atom = array.key, index.only
    if key is None or key.steps[-1:] != (SPLIT,):
        return
    if index.constant == -1:
        note(machine, key, index.marks, "last", "", span)
    elif key_at(array, index) is None and (atom is None or isinstance(atom, (Number, Symbol))):
        note(machine, key, index.marks, "some", "", span)


def key_at(array: Array, index: Value) -> Key | None:
    """`keys[index]`."""
    if array.key is None:
        return None
    atom = index.only
    if isinstance(atom, Tuple):
        parts = tuple(part.constant for part in atom.items)
        if parts[:1] == (_SLICE,):
            whole = all(part.is_none for part in atom.items[1:])
            return array.key if whole else array.key.step(parts)
        return array.key.step(parts) if all(type(part) is int for part in parts) else None
    known = index_of(index)
    if known is None:
        return None
    count = array.shape[0].constant if array.shape else None
    if isinstance(known, int) and known < 0 and count is not None:
        known += count  # the same key as by its index from the start
    return array.key.step(known if isinstance(known, int) else At(known))


def with_key(value: Value, key: Key | None) -> Value:
    """The arrays of the value, as that key."""
    atoms = [replace(a, key=key) if isinstance(a, Array) else a for a in value.atoms]
    return Value(atoms, value.unknown, value.marks, value.choice)


def differing(machine: Machine, yes: Layer, no: Layer) -> Differing:
    """Where the two sides of a branch leave different keys; one may be a parameter's."""
    out: Differing = []
    for place in {**yes, **no}:
        before = machine.peek(place)
        sides = [side.get(place, before) for side in (yes, no)]
        ends = [side.only if side is not None else None for side in sides]
        arrays = [each for each in ends if isinstance(each, Array)]
        if not arrays or not all(isinstance(each, (Array, Symbol)) for each in ends):
            continue
        keys = [_key_of(each) for each in ends if len(arrays) == 2 or arrays[0].key is not None]
        if len(keys) == 2 and keys[0] != keys[1]:
            out.append((place, arrays[0], keys[0], keys[1]))
    return out


def _key_of(atom: Atom | None) -> Key | None:
    return atom.key if isinstance(atom, Array) else Key(atom)


def name_chosen(machine: Machine, keys: Differing, span: Span) -> None:
    """After the branch, what was joined is the key of one side or of the other."""
    top = machine.layers[-1]
    for place, array, yes, no in keys:
        key = choose(machine.path, span, yes, no)
        joined = top[place]
        if isinstance(joined.only, Array):
            top[place] = with_key(joined, key)
        elif key is not None and array in joined.atoms:
            new = replace(array, key=key)
            atoms = [new if atom == array else atom for atom in joined.atoms]
            top[place] = Value(atoms, joined.unknown, joined.marks, joined.choice)


def as_parameter(value: Value, root: Hashable) -> Value:
    """The argument as the callee sees it: its keys are the parameter's."""
    return _renamed(value, Symbol(root), 0)


def _renamed(value: Value, symbol: Symbol, depth: int) -> Value:
    atom = value.only
    new: Atom | None = atom
    if isinstance(atom, Array):
        if _is_known(atom.key):
            new = replace(atom, key=Key(symbol))
        elif atom.key is not None or (depth == 0 and atom.dtype in _OF_KEYS):
            new = replace(atom, key=Key(Guessed(symbol)))
    elif isinstance(atom, Tuple) and depth < _DEPTH:
        items = [_inner(item, symbol, n, depth) for n, item in enumerate(atom.items)]
        if any(a is not b for a, b in zip(items, atom.items, strict=True)):
            new = replace(atom, items=tuple(items))
    elif isinstance(atom, MappingOf) and depth < _DEPTH:
        pairs = zip(atom.keys, atom.values, strict=True)
        values = [_inner(item, symbol, key, depth) for key, item in pairs]
        if any(a is not b for a, b in zip(values, atom.values, strict=True)):
            new = replace(atom, values=tuple(values))
    return value if new is atom or new is None else Value((new,), False, value.marks, value.choice)


def _inner(value: Value, symbol: Symbol, key: Hashable, depth: int) -> Value:
    step = symbol.step(f"[{key!r}]")
    return value if step is None else _renamed(value, step, depth + 1)


def seeded(machine: Machine, seed: Value, what: str, span: Span) -> tuple[Key, Marks]:
    """The key that is made of a seed, and with what it varies."""
    is_written = isinstance(seed.only, Constant) and not seed.marks
    base = Seeded(machine.path, span, is_written)
    machine.activation.seeded.add(base)
    unknown = not is_written and not isinstance(seed.only, (Symbol, Number))
    marks = machine.current | {EACH} if unknown else NO_MARKS
    number = None if is_written or EACH in seed.marks else index_of(seed)
    note(machine, Key(base), marks | seed.marks, "seed", what, span, seed=number)
    return Key(base), marks


def use(
    machine: Machine,
    value: Value,
    how: str,
    what: str,
    span: Span,
    numbers: tuple[float, float] | None = None,
) -> None:
    """Notes that a key is used."""
    found = list(names(value))
    several = len(found) + _others(value) > 1
    for key in found:
        note(machine, key, value.marks, how, what, span, several, numbers)


def hand_over(
    machine: Machine, name: str, args: Iterable[Value], keywords: Mapping[str, Value], span: Span
) -> None:
    """Something unknown is given a key: as a rule it draws from it."""
    short = name.rpartition(".")[2]
    if name.startswith(LAYERS):
        if "key" in keywords:
            use(machine, keywords["key"], "draw", name, span)
        return
    if name.startswith(NO_DRAWS) or short.lower() in KEEPS or short[:1].isupper():
        return
    given = [("", value) for value in args]
    given += [(key, value) for key, value in keywords.items() if key != "rngs"]
    for key, value in given:
        if any(isinstance(atom, Array) and _is_known(atom.key) for atom in value.atoms):
            sampled = key == "seed" and short in SAMPLES  # of a distribution of any library
            use(machine, value, "draw" if sampled else "given", name, span)
        elif (symbol := _symbol_or_none(value)) and is_named_as_key(key or _name_of(symbol)):
            use(machine, value, "handed", name, span)


def _symbol_or_none(value: Value) -> Symbol | None:
    """What a caller gives, be it left out: `key=None`."""
    given = [a for a in value.atoms if not (isinstance(a, Constant) and a.value is None)]
    return given[0] if len(given) == 1 and isinstance(given[0], Symbol) else None


def _is_known(key: Key | None) -> bool:
    return key is not None and not isinstance(key.base, Guessed)


def is_named_as_key(name: str) -> bool:
    words = name.lower().strip("_").split("_")
    return not KEY_WORDS.isdisjoint((words[0], words[-1]))


def use_streams(machine: Machine, name: str, keywords: dict[str, Value], span: Span) -> None:
    """`model.apply(variables, x, rngs={"dropout": key})`: flax draws from the keys, if it trains.

    It folds the names of streams and modules in, so no other draw gives the same numbers. The
    `rngs` that a class is given are an object of nnx, which counts its draws.
    """
    given = keywords.get("rngs")
    makes = name.startswith(_NNX) or name.rpartition(".")[2][:1].isupper()
    if given is None or makes:
        return
    flags = (
        (keywords[name].constant, training) for name, training in TRAIN.items() if name in keywords
    )
    if any(flag is (not training) for flag, training in flags):
        return
    for atom in given.atoms:
        mapping = mapping_of(machine, atom)
        for value in mapping.values if mapping is not None else (given,):
            use(machine, value, "streams", "rngs", span)


def use_for_weights(machine: Machine, given: Value, span: Span, name: str) -> None:
    """`model.init(key, x)`, where `name` is the class: flax folds the path of each layer in."""
    for atom in given.atoms:
        mapping = mapping_of(machine, atom)
        for value in mapping.values if mapping is not None else (given,):
            use(machine, value, "init", name, span)


def note(
    machine: Machine,
    key: Key,
    marks: Marks,
    how: str,
    what: str,
    span: Span,
    maybe: bool = False,
    numbers: tuple[float, float] | None = None,
    seed: Hashable = None,
) -> None:
    machine.key_uses += 1
    machine.note(
        KeyUse(
            key,
            marks,
            how,
            what,
            machine.path,
            span,
            (machine.activation.function,),
            machine.current,
            machine.open_loops(),
            bool(machine.guarded),
            0 if maybe or machine.maybe else None,
            (machine.choice if machine.maybe else None,),
            (tuple(machine.sides.items()),),
            numbers,
            machine.calls,
            seed=seed,
            layers=(constructs_module(machine),),
        )
    )


def again(machine: Machine, start: int, kind: str, span: Span, turn: Callable[[], object]) -> None:
    """The next turn of what calls a function for each element: `scan`, `vmap`, ...

    Only where the first one, whose events begin at `start`, has used a key; all but the keys that
    it uses is as in the first one.
    """
    if not any(isinstance(event, KeyUse) for event in machine.events[start:]):
        return
    loop = (machine.path, span[0], span[1], kind)
    before, equations = len(machine.events), machine.equations
    machine.layers.append({})
    try:
        turn()
    finally:
        machine.layers.pop()
        machine.equations = equations
        noted = machine.events[before:]
        del machine.events[before:]
    machine.events.append(Turn(loop))
    machine.events += [
        replace(event, loops=event.loops | {loop}) if isinstance(event, KeyUse) else event
        for event in noted
        if isinstance(event, (KeyUse, Turn))
    ]


def note_undrawn(machine: Machine, start: int, given: Value, span: Span) -> None:
    """Keys that were handed out, one for each turn, to what has not used them since `start`."""
    used = [event.key for event in machine.events[start:] if isinstance(event, KeyUse)]
    for atom in given.atoms:
        if isinstance(atom, Tuple):
            for item in atom.items:
                note_undrawn(machine, start, item, span)
        elif isinstance(atom, Array) and atom.key is not None:
            key = atom.key
            if not any(each.is_below(key) for each in used):
                note(machine, key, given.marks, "undrawn", "", span)


def forget(machine: Machine, start: int) -> None:
    """Nothing is drawn by what was noted since: `eval_shape` and `lower` only trace."""
    kept = [e for e in machine.events[start:] if not isinstance(e, (KeyUse, Turn))]
    machine.events[start:] = kept
