"""Arrays whose buffers a compiled call has taken: read afterwards, or given twice.

What is gone is a name or an attribute, until it gets another value. The names of the same arrays
are gone with it (may: one path is enough). A function that gives away what outlives it, a parameter
or an attribute, takes it from its callers, and so from the names that they have for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gotcha_lint.domain.freshness import dispatched
from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import (
    NONE,
    UNKNOWN,
    Array,
    Atom,
    Library,
    Object,
    Symbol,
    Tuple,
    Value,
    only,
)
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.containers.aliases import original
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect, Location
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents_of, mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.state import gone_at
from gotcha_lint.program.donated import (
    call_at,
    copied_from,
    gives_back,
    is_bound_again,
    is_renewed,
    mentions_between,
    names_stored,
    needs_buffer,
    stored_at,
    text_of,
    written_parts,
)
from gotcha_lint.program.ir import Function, Instruction, Register

GONE, TWICE = "read after donation", "donated twice"
TAKEN = "takes an argument"  # a function has given away the buffers of a parameter
INSIDE, ALIAS = "inside", "alias"
_DEPTH = 3
_PARTS = ("list", "dict", "instance", "object")  # kinds of what arrays lie in
_PLACED = ("placed",)
WHOLE = ("on each device",)  # a mark of a sharding


class Donation:
    """A call that donates: its instruction, and which registers it gives away."""

    def __init__(
        self, call: Call, site: Site, inner: Function | None, parameters: list[str],
        names: set[str], positions: set[int],
    ) -> None:  # fmt: skip
        self.machine, self.span = call.engine, call.span
        self.function = call.engine.activation.function
        self.step = call_at(self.function, call.span)
        self.inner = inner
        self.places = ((*site.origin, "donates here"),)  # the `jit`
        self.given: list[tuple[Register, Value, str]] = []
        if self.step is None or any(star for star, _ in self.step[3]):
            return
        before = len(call.args) - len(self.step[3])
        for number, (_, register) in enumerate(self.step[3]):
            at = number + before
            if at in positions and 0 <= at < len(call.args):
                name = parameters[at] if at < len(parameters) else ""
                self.given.append((register, call.args[at], name))
        for name, register in self.step[4]:
            if name in names and name in call.keywords:
                self.given.append((register, call.keywords[name], name))
        self.given = [each for each in self.given if _is_buffer(each[1])]

    @property
    def taken(self) -> list[tuple[Register, Value, str]]:
        """Those for which there is a result of their shape."""
        if self.step is None:
            return []
        return [
            (register, value, name)
            for register, value, name in self.given
            if is_renewed(self.function, self.step, text_of(self.function, register))
            or (self.inner is not None and gives_back(self.inner, name))
        ]


def check_twice(donation: Donation) -> None:
    """One buffer cannot be given away and used a second time, in the same call."""
    machine, function, step = donation.machine, donation.function, donation.step
    if step is None or not donation.given:
        return
    others = [register for _, register in (*step[3], *step[4])]
    for register, _, _ in donation.given:
        text = text_of(function, register)
        if text and any(o != register and text_of(function, o) == text for o in others):
            remark(machine, TWICE, donation.span, "", text, places=donation.places)
            return
    for register, value, _ in donation.taken:
        text = text_of(function, register)
        whole = _holds_twice(machine, value) if text else None
        if whole is not None:
            made = () if whole.origin is None else ((*whole.origin, "put together here"),)
            places = (*made, *donation.places)
            remark(machine, TWICE, donation.span, INSIDE, text, places=places)
            return
        for other in others:
            name = text_of(function, other)
            if other == register or not (text and name) or not _is_alias(donation, register, other):
                continue
            remark(machine, TWICE, donation.span, ALIAS, text, name, places=donation.places)
            return


def give_away(donation: Donation) -> None:
    """From here on the names of these arrays are gone."""
    machine, function = donation.machine, donation.function
    base = function.path if function.is_module else machine.activation.frame
    sources = machine.activation.sources
    for register, value, _ in donation.taken:
        parts = written_parts(function, register)
        if len(parts) != 1:
            continue
        text = text_of(function, parts[0])
        own = sources.get(parts[0])
        origin = machine.origin(donation.span)
        if own is not None and text:
            _mark(machine, own, text, origin)
            _note_taken(machine, own, value, donation.span)
        for name in names_stored(function):
            held = machine.peek((base, name))
            if held is None or (base, name) == own:
                continue
            if bool(text) and held == value and text in copied_from(function, name):
                _mark(machine, (base, name), text, origin)
        _mark_aliases(machine, value, own, text, origin)


def _mark_aliases(
    machine: Machine, taken: Value, own: Location | None, text: str, origin: Origin
) -> None:
    """Names of the function that hold the same arrays.

    Under-approximates in loops: a name that is bound again may hold others by the time it is read.
    """
    function = machine.activation.function
    base = function.path if function.is_module else machine.activation.frame
    known = set() if is_placed(taken) else set(_identities(machine, taken, 0))
    for name in names_stored(function) if known else ():
        held = machine.peek((base, name))
        if held is None or (base, name) == own or _identity(machine, held) not in known:
            continue
        if not (machine.loops and is_bound_again(function, name)):
            _mark(machine, (base, name), text, origin)


def _note_taken(machine: Machine, own: Location, value: Value, span: Span) -> None:
    """What outlives the function is gone for its callers, too, each time that it is called."""
    if machine.traced or not all(guard.of_loop for guard in machine.guards):
        return
    outlives = own[0] is not machine.activation.frame
    name = _given_name(machine, own)
    if name or outlives:
        origin = machine.origin(span)
        note(machine, TAKEN, name, span, (value,) if outlives else (), origins=(origin,))


def _given_name(machine: Machine, own: Location) -> str:
    """The parameter that is at a location, as the function was given it; else nothing."""
    activation, name = machine.activation, own[1]
    if own[0] is not activation.frame or not isinstance(name, str):
        return ""
    given = activation.given.get(name)
    return name if given is not None and machine.peek(own) == given else ""


def taken_by_callee(
    machine: Machine, effect: Effect, values: tuple[Value, ...], call: Span
) -> Effect | None:
    """Marks what a call has taken; the effect for those who call this function.

    `values`: of objects that the callee knows, as this function sees them. None where nothing that
    outlives this function is taken.
    """
    function, callee = machine.activation.function, effect.owner or effect.within
    step = call_at(function, call)
    happens = all(guard.of_loop for guard in (*effect.guards, *machine.guards))
    if machine.traced or not happens or step is None or not isinstance(callee, Function):
        return None
    (origin,) = effect.origins
    for value in values:
        _mark_aliases(machine, value, None, "", origin)
    register = _argument(function, callee, step, effect.what) if effect.what else None
    own = None if register is None else machine.activation.sources.get(register)
    if register is None or own is None:
        return replaced(effect, what="", owner=function) if values else None
    _mark(machine, own, text_of(function, register), origin)
    name = _given_name(machine, own)
    return replaced(effect, what=name, owner=function) if name or values else None


def _argument(
    function: Function, callee: Function, step: Instruction, name: str
) -> Register | None:
    """The register that a call hands over for this parameter; none where stars hide it."""
    named = dict(step[4])
    if name in named:
        return named[name]
    names = [parameter.name for parameter in callee.parameters]
    if name not in names or any(star for star, _ in step[3]):
        return None
    at = names.index(name) - _is_bound(function, callee, step)
    return step[3][at][1] if 0 <= at < len(step[3]) else None


def check_read(machine: Machine, location: Location | None, i: Instruction) -> None:
    """A name or an attribute is read, which may be gone."""
    if location is None or location not in machine.activation.gone or machine.traced:
        return
    state = machine.peek(gone_at(location))
    atoms = state.atoms if state is not None else ()
    taken = next((atom for atom in atoms if isinstance(atom, Library)), None)
    function = machine.activation.function
    if taken is None or machine.trying or not needs_buffer(function, i[1]):
        return
    by, origin = taken.name, taken.origin
    assert origin is not None
    user = call_at(function, origin[1])
    again = user is not None and i[1] in {r for _, r in (*user[3], *user[4])}
    text = text_of(function, i[1])
    places = ((*origin, "donated here"),)
    remark(machine, GONE, i[-1], text, by, "again" if again else "", places=places)
    machine.layers[-1][gone_at(location)] = NONE


def placed(call: Call, out: Value) -> Value:
    """`jax.device_put` copies nothing to where the arrays are, and to all devices alike."""
    if len(call.args) == 1:
        return out
    return out.marked(frozenset((_PLACED,)) | call.args[1].marks)


def is_placed(value: Value) -> bool:
    """May its arrays be others than those that were put there?"""
    return _PLACED in value.marks and WHOLE not in value.marks


def _is_bound(function: Function, callee: Function, step: Instruction) -> bool:
    """Does the receiver fill the first parameter? Not so in `Class.method(instance, x)`."""
    owner = callee.parent
    if owner is None or not owner.is_class or callee.parameters[0].name not in ("self", "cls"):
        return False
    return text_of(function, step[2]).split(".")[-2:-1] != [owner.name]


def _mark(machine: Machine, location: Location, text: str, origin: Origin) -> None:
    machine.activation.gone.add(location)
    taken = only(Library(text, origin))
    machine.layers[-1][gone_at(location)] = taken


def _is_buffer(value: Value) -> bool:
    """Not a number or a NumPy array, which are copied to the device and keep their own memory."""
    return value.unknown or any(
        isinstance(atom, (Symbol, Object)) or (isinstance(atom, Array) and atom.place == "device")
        for atom in value.atoms
    )


def _identity(machine: Machine, value: Value) -> object:
    """What two names of the same arrays have in common."""
    atom = value.only
    if isinstance(atom, Symbol):
        return atom.root, atom.path
    if isinstance(atom, Array) and atom.place == "device":
        return None if dispatched(value.marks) else atom.origin  # of one call, two may be alike
    if isinstance(atom, Object) and atom.site.kind in _PARTS:
        return original(machine, atom)
    return None


def _identities(machine: Machine, value: Value, depth: int) -> Iterator[object]:
    own = _identity(machine, value)
    if own is not None:
        yield own
    if depth < _DEPTH:
        for _, part in _fields(machine, value):
            yield from _identities(machine, part, depth + 1)


def _fields(machine: Machine, value: Value) -> list[tuple[str, Value]]:
    found: list[tuple[str, Value]] = []
    for atom in value.atoms:
        content, mapping = contents_of(machine, atom), mapping_of(machine, atom)
        if isinstance(content, Tuple):
            found += [("", item) for item in content.items]
        elif mapping is not None:
            found += list(zip(map(str, mapping.keys), mapping.values, strict=True))
        elif isinstance(atom, Object) and atom.site.kind == "instance":
            static = atom.site.info.get("statics", ())
            for name in machine.fields_of(atom.site):
                held = machine.peek((atom.site, name))
                if held is not None and name not in static:
                    found.append((name, held))
    return found


def _holds_twice(machine: Machine, value: Value) -> Atom | None:
    """That of which two fields hold the same arrays.

    A compiled function gives each result its own buffer.
    """
    for atom in value.atoms:
        one = Value((atom,), False, value.marks)
        if dispatched(one.marks) and len(value.atoms) == 1:
            return None
        made_in_trace = isinstance(atom, Object) and "traced" in atom.site.info
        if made_in_trace or is_placed(one):
            continue
        for (name, first), (other, second) in combinations(_fields(machine, one), 2):
            if not _are_same(machine, first, second) or _are_of_two_calls(machine, atom, first):
                continue
            if _holds_arrays(first) or "params" in name + other:
                return atom
    return None


def _are_same(machine: Machine, first: Value, second: Value) -> bool:
    own = _identity(machine, first)
    if own is not None and own == _identity(machine, second):
        return True
    return first is second and first.unknown and first is not UNKNOWN


def _are_of_two_calls(machine: Machine, whole: Atom, part: Value) -> bool:
    """May it be two values after all, which one instruction has made in two calls?"""
    made = getattr(part.only, "origin", None)
    frame = whole.site.info.get("frame") if isinstance(whole, Object) else None
    users = {activation.function for activation in machine.activations}
    users |= {frame.function} if frame is not None else set()
    again = {function for user in users for function in machine.called_again.get(user, ())}
    return made is not None and any(
        function.path == made[0] and function.line <= made[1][0] <= function.end_line
        for function in again - users
    )


def _holds_arrays(value: Value) -> bool:
    atom = value.only
    if isinstance(atom, Array):
        return atom.place == "device"
    return isinstance(atom, Object) and atom.site.kind in ("dict", "list", "instance")


def _is_alias(donation: Donation, register: Register, other: Register) -> bool:
    machine, function = donation.machine, donation.function
    if machine.loops and machine.guards:  # not in the first iteration, perhaps
        return False
    registers = machine.activation.registers
    first, second = registers.get(register), registers.get(other)
    if first is None or first != second or not _is_buffer(first) or first.only is None:
        return False
    for one, name in ((register, other), (other, register)):
        text, apart = text_of(function, one), text_of(function, name)
        at = stored_at(function, text, donation.span)
        if at is not None and apart in copied_from(function, text):
            return "." not in apart or not mentions_between(
                function, apart.partition(".")[0], at, donation.span
            )
    return False
