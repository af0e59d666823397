"""What needs the value of a traced array, which it does not have while JAX traces.

Must: only of what is marked as traced (see `domain.tracers`), where nothing around asks whether it
is, and no `try` takes the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gotcha_lint.domain.derivative import flows_in, last_step
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import holds_tracers, is_tracer
from gotcha_lint.domain.value import (
    Array,
    Constant,
    Library,
    Number,
    Object,
    Sequence,
    Symbol,
    Tuple,
    Value,
)
from gotcha_lint.facts.concrete import (
    CAST_METHODS,
    CASTS,
    NEED_SIZE,
    NUMPY_ANSWERS_FALSE,
    NUMPY_WORKS,
    SEE_THROUGH_GRAD,
    SIZES,
    TRUTH,
)
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.indexing import is_slice
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.program.data_flow import names_used, operands_below, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.links import Links

TEST, LARGER = "test", "larger"
MASK, SIZED = "mask", "sized"
SIZE, BOUND = "size", "bound"
CAST, LOOKED_UP = "cast", "looked up"

# Who names one of these knows that the code is traced.
_CAREFUL = ("Tracer", "is_concrete", "disable_jit", "concrete_or_error", "is_traced")
# Checks that are switched off where the code is traced.
_OPTIONAL = ("check", "valid", "debug")
_TO_NUMPY = frozenset(("numpy.asarray", "numpy.array", "numpy.ascontiguousarray"))
_NOT_NUMPY = ("numpy.random.", "numpy.testing.")


def is_sure(machine: Machine, span: Span) -> bool:
    """Does JAX trace here, and does nothing around expect it?"""
    abstract = machine.traced or machine.differentiated
    if not abstract or machine.lenient or is_test(machine.path):
        return False
    if expects_tracers(machine.activation.function, span):
        return False
    tests = {(g.path, g.span) for g in machine.guards if _holds(g.span, span)}
    optional = any(
        word in name
        for i in steps_of(machine.activation.function)
        if i[0] in ("if", "while") and (machine.path, i[-1]) in tests
        for name in _names_below(machine.activation.function, i[2] if i[0] == "if" else i[3])
        for word in _OPTIONAL
    )
    optional = optional or _waits_for_optional(
        machine.activation.function, {(guard.path, guard.span) for guard in machine.guards}
    )
    if machine.trying and not optional and machine.traced:
        machine.asked.append((span, machine.guards))
    return not (machine.trying or optional)


def _waits_for_optional(function: Function, tests: set[tuple[str, Span]]) -> bool:
    """Under `if size is None`, of an argument of which no call here gives it or leaves it out."""
    made = {i[1]: i for i in steps_of(function)}
    for i in steps_of(function):
        if i[0] != "if" or (function.path, i[-1]) not in tests:
            continue
        test = made.get(i[2])
        other = made.get(test[4]) if test is not None and test[0] == "compare" else None
        if other is not None and other[0] == "const" and other[2] is None:
            return True
    return False


def expects_tracers(function: Function, span: Span) -> bool:
    """Does the function ask whether this is a tracer, or does one around it?"""
    if _names_at(function, span) & _asked_for_types(function):
        return True
    around: Function | None = function
    while around is not None and not around.is_module:
        if any(word in name for name in names_used(around) for word in _CAREFUL):
            return True
        around = around.parent
    return False


def _holds(outer: Span, inner: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _names_at(function: Function, span: Span) -> set[str]:
    """The names that are read within a place."""
    return {i[2] for i in steps_of(function) if i[0] == "load" and _holds(span, i[-1])}


def _names_below(function: Function, register: Register) -> set[str]:
    """The names that an expression is made of."""
    return {
        str(i[2] if i[0] == "load" else i[3])
        for i in operands_below(function, register)
        if i[0] in ("load", "attr")
    }


def _asked_for_types(function: Function) -> set[str]:
    """The names of which it asks `isinstance(x, ...)`."""
    loads = {i[1]: i[2] for i in steps_of(function) if i[0] == "load"}
    return {
        loads[i[3][0][1]]
        for i in steps_of(function)
        if i[0] == "call" and loads.get(i[2]) == "isinstance" and i[3] and i[3][0][1] in loads
    }


def made_at(machine: Machine, register: Register, span: Span) -> Span:
    """The place of the expression that a register holds."""
    made = _made(machine, register)
    return span if made is None else made[-1]


def _made(machine: Machine, register: Register) -> Instruction | None:
    links = Links(Modules(machine), machine.texts)
    return links.makers(machine.activation.function).get(register)


# Tests


def check_test(machine: Machine, value: Value, register: Register, what: str, span: Span) -> None:
    """`if x > 0:`; `register` holds what is tested, `span` is the place of the whole."""
    arrays = [a for a in value.atoms if isinstance(a, Array) and a.place == "device"]
    if len(arrays) != 1 or value.unknown:
        return
    atom = arrays[0]
    sure = is_tracer(Value(arrays, False, value.marks)) and _are_answers(value, atom)
    if not sure and len(value.atoms) > 1:
        return
    if not sure and (atom.dtype is None or not (machine.traced or _is_mapped(value))):
        return
    if machine.lenient or (sure and not is_sure(machine, span)):
        return
    places = () if atom.origin is None else ((*atom.origin, "the array"),)
    maybe = not sure and atom.shape != ()
    remark(machine, TEST, made_at(machine, register, span), what, places=places, maybe=maybe)


def _are_answers(value: Value, array: Array) -> bool:
    """What it is besides, as in `flag and x > 0`, are answers of other tests."""
    others = (atom for atom in value.atoms if atom is not array)
    return all(isinstance(a, (Constant, Number)) and a.type == "bool" for a in others)


def word_of_branch(instruction: Instruction) -> str:
    """`if`, or the word of `a if b else c`, `a and b` and `a or b`, which are branches, too."""
    _, _, test, then, otherwise, _, _ = instruction
    last = [region[-1] for region in (then, otherwise) if region]
    stored = [i for i in last if i[0] == "store" and str(i[2]).startswith("%") and i[4] != test]
    if len(stored) == 2 and stored[0][2] == stored[1][2]:
        return "if-else"
    for word, region in (("and", otherwise), ("or", then)):
        if len(region) == 1 and region[0][0] == "store" and region[0][4] == test:
            return word if str(region[0][2]).startswith("%") else "if"
    return "if"


def _is_mapped(value: Value) -> bool:
    """Does it follow from what `vmap` goes over, outside of a trace?"""
    return any(mark[0] == "mapped" for mark in value.marks)


# Masks, and results whose size is not known


def check_mask(machine: Machine, key: Value, span: Span) -> None:
    """`x[mask]`: the size of the result would depend on the data."""
    if machine.lenient or not (machine.traced or _is_mapped(key)):
        return
    parts = key.only.items if isinstance(key.only, Tuple) and not is_slice(key) else (key,)
    for part in parts:
        atom = part.only
        if not isinstance(atom, Array) or atom.dtype != "bool" or atom.place != "device":
            continue
        if (is_tracer(part) and is_sure(machine, span)) or (atom.shape and not is_tracer(part)):
            remark(machine, MASK, span)
        return


def _sizes(machine: Machine, name: str, given: _Given, span: Span) -> None:
    """`jnp.nonzero(x)` without `size=`."""
    needed = ("size",) if name == "jax.numpy.where" and given.count == 1 else NEED_SIZE.get(name)
    first = given.get(0, "") if name != "array.nonzero" else given.receiver
    if needed is None or first is None or not given.names.isdisjoint((*needed, "*", "**")):
        return
    array = first.only
    known = isinstance(array, Array) and array.place == "device"
    if (known or holds_tracers(first)) and is_sure(machine, span):
        remark(machine, SIZED, span, needed[0], *map(str, callee_at(machine, span)))


class _Given:
    """The arguments of a call, and of a method its receiver."""

    def __init__(
        self, args: tuple[Value, ...], keywords: Mapping[str, Value], receiver: Value | None
    ) -> None:
        self.args, self.keywords, self.receiver = args, keywords, receiver
        self.names = frozenset(keywords)
        self.count = len(args) + len(keywords)

    def get(self, position: int, name: str) -> Value | None:
        if position < len(self.args):
            return self.args[position]
        return self.keywords.get(name)

    def all(self) -> tuple[Value, ...]:
        return (*self.args, *self.keywords.values())


def check_call(
    machine: Machine,
    name: str,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    span: Span,
    receiver: Value | None = None,
) -> None:
    """A function of a library, or a method of an array as `array.item`."""
    given = _Given(args, keywords, receiver)
    if name in SIZES:
        _size(machine, name, given, span)
    elif name in NEED_SIZE or name == "jax.numpy.where":
        _sizes(machine, name, given, span)
    else:
        how = _cast(machine, name, given)
        if how and is_sure(machine, span):
            mapped = _argument(machine, span, 0, ()) if how == "mapped" else ()
            text = map(str, (*mapped, *callee_at(machine, span)))
            remark(machine, CAST, span, how, *text)


def callee_at(machine: Machine, span: Span) -> tuple[str, ...]:
    """Where what is called is written."""
    for i in steps_of(machine.activation.function):
        if i[0] == "call" and i[-1] == span:
            return tuple(map(str, made_at(machine, i[2], span)))
    return tuple(map(str, span))


def check_larger(machine: Machine, given: Iterable[Value], word: str, span: Span) -> None:
    """`max(x, 1.0)`: which one is larger?"""
    if any(map(is_tracer, given)) and is_sure(machine, span):
        remark(machine, LARGER, span, word)


# Sizes


def _size(machine: Machine, name: str, given: _Given, span: Span) -> None:
    positions, names = SIZES[name]
    for number, position in enumerate(positions):
        value = given.get(position, names[number] if number < len(names) else "")
        if value is not None and any(_tracers(machine, value)) and is_sure(machine, span):
            at = _argument(machine, span, position, names[number : number + 1])
            remark(machine, SIZE, at, *callee_at(machine, span))
            return


def _tracers(machine: Machine, value: Value) -> Iterator[Value]:
    """The tracers in a value: itself, or those of a tuple or a list."""
    if holds_tracers(value):
        yield value
        return
    content = contents(machine, value) if value.only is not None else None
    for item in content.items if isinstance(content, Tuple) else ():
        yield from _tracers(machine, item)


def _argument(machine: Machine, span: Span, position: int, names: Iterable[str]) -> Span:
    for i in steps_of(machine.activation.function):
        if i[0] == "call" and i[-1] == span:
            given = [register for _, register in i[3][position : position + 1]]
            given += [register for word, register in i[4] if word in names]
            return made_at(machine, given[0], span) if given else span
    return span


def check_item(machine: Machine, base: Value, key: Value, span: Span) -> None:
    """`x[:n]`, `table[i]`, `layers[i]`."""
    if not machine.traced:
        return
    parts = key.only.items if isinstance(key.only, Tuple) and not is_slice(key) else (key,)
    cut = [part.only for part in parts if is_slice(part)]
    bounds = [bound for each in cut if isinstance(each, Tuple) for bound in each.items[1:]]
    if any(map(holds_tracers, bounds)):
        if _is_cut_by_size(base) and is_sure(machine, span):
            remark(machine, BOUND, span)
    elif isinstance(base.only, Symbol) and holds_tracers(base):
        check_mask(machine, key, span)
    elif holds_tracers(key) and is_sure(machine, span):
        atom = base.only
        listed = isinstance(atom, (Tuple, Sequence))
        listed = listed or (isinstance(atom, Object) and atom.site.kind == "list")
        if listed or (isinstance(atom, Array) and atom.place == "host"):
            remark(machine, LOOKED_UP, span, "list" if listed else "array")


def _is_cut_by_size(base: Value) -> bool:
    """An array, a list or a tuple; a class of the program may take what it likes."""
    atom = base.only
    if isinstance(atom, (Array, Tuple, Sequence)) or holds_tracers(base):
        return True
    return isinstance(atom, Object) and atom.site.kind == "list"


# Casts


def _cast(machine: Machine, name: str, given: _Given) -> str:
    """How the value is needed; empty where it is not."""
    if not machine.traced:
        return _under_gradient(name, given)
    if name == "jax.tree.map" and given.args:
        return _mapped(given)
    if name in CAST_METHODS:
        return "method" if given.receiver is not None and holds_tracers(given.receiver) else ""
    if name in TRUTH:
        return "number" if any(map(is_tracer, given.args)) else ""
    if name in CASTS or name.startswith("math."):
        return "number" if any(map(holds_tracers, given.args)) else ""
    if not name.startswith("numpy.") or name in NUMPY_WORKS or name.startswith(_NOT_NUMPY):
        return ""
    if not any(True for value in given.all() for _ in _tracers(machine, value)):
        return ""
    return "false" if name in NUMPY_ANSWERS_FALSE else "numpy"


def _mapped(given: _Given) -> str:
    """`jax.tree.map(np.asarray, grads)`: of a tree of which nothing is known; others are mapped."""
    function = given.args[0].only
    name = function.name if isinstance(function, Library) else ""
    if name not in _TO_NUMPY and name not in CASTS:
        return ""
    trees = given.args[1:]
    return "mapped" if any(isinstance(t.only, Symbol) and holds_tracers(t) for t in trees) else ""


def _under_gradient(name: str, given: _Given) -> str:
    """Where a gradient alone is taken, arrays keep their values for some of the casts."""
    if name in SEE_THROUGH_GRAD or (name not in CASTS and not name.startswith("math.")):
        return ""
    flows = (mark for value in given.args for mark in flows_in(value.marks))
    return "number" if any(last_step(mark) is None for mark in flows) else ""
