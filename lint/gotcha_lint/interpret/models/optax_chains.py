"""`optax.chain`: its parts in the order in which they run, each with its step size.

A part that is not known is an unknown value; of a chain whose length is not known nothing is noted.
What the parts mean for the sign and the size of the updates is asked in `solve.chains`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.value import (
    NONE,
    UNKNOWN,
    Constant,
    Library,
    Number,
    Object,
    Symbol,
    Tuple,
    Value,
    only,
)
from gotcha_lint.facts.optax import CHAINS, DECAYS, RATES, STARTS
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note

CHAIN = "chain"
RATE, DECAY = "rate", "decay"
SCHEDULE = "optax.#schedule"
POSITIVE, NEGATIVE = "optax.#positive_schedule", "optax.#negative_schedule"
_MASKED = "optax.masked"  # some of the parameters, by the same rule
_NAMED = 2  # parts of what `named_chain` takes
_DEPTH = 4  # of chains in chains


def note_chain(call: Call) -> None:
    """Notes the parts and their rates, of which argument they come, and what a rate is called."""
    if "*" in call.keywords or (call.engine.path, call.span) in call.engine.spread:
        return
    words: list[str] = []
    values: list[Value] = []
    for number, value in enumerate(call.args):
        for part in _flat(value, 0):
            rate = _rate(part)
            words += (str(number), _word(rate))
            values += (part, rate)
    note(call.engine, CHAIN, " ".join(words), call.span, values)


def _flat(value: Value, depth: int) -> Iterator[Value]:
    """The parts of chains in it, too, and what is masked."""
    atom = value.only
    if isinstance(atom, Tuple) and len(atom.items) == _NAMED:
        yield from _flat(atom.items[1], depth)
        return
    if not isinstance(atom, Object) or atom.site.kind != "optimizer" or depth >= _DEPTH:
        yield value
        return
    info = atom.site.info
    if info["name"] not in CHAINS and info["name"] != _MASKED:
        yield value
        return
    given = info["parts"] or (info["options"].get("inner", UNKNOWN),)
    for part in given if info["name"] in CHAINS else given[:1]:
        for each in _flat(part, depth + 1):
            yield _placed(each, atom)


def _placed(part: Value, around: Object) -> Value:
    """A part of a chain stands where that chain is made."""
    atom = part.only
    if isinstance(atom, Object) and around.origin is not None:
        return only(Object(atom.site, around.origin))
    return part


_STEPS = ("step_size", "step_size_fn", "weight_decay")


def _rate(part: Value) -> Value:
    """The factor, the schedule or the decay that a part is given."""
    atom = part.only
    if not isinstance(atom, Object) or atom.site.kind != "optimizer":
        return NONE
    given, options = atom.site.info["parts"], atom.site.info["options"]
    found = next((options[name] for name in _STEPS if name in options), None)
    return found if found is not None else given[0] if given else NONE


def _word(rate: Value) -> str:
    """What a caller gives it as, by its name: the caller may know no more of it."""
    if is_named(rate, RATES):
        return RATE
    return DECAY if is_named(rate, DECAYS) else "?"


def schedule(call: Call) -> Value:
    """A schedule that starts at a rate which is surely of one sign, or is called a rate."""
    first = call.get(0, "init_value")
    if first is None:
        first = call.keyword("value")
    sign = sign_of(first) if first is not None else ""
    if sign not in ("+", "-") and not (first is not None and is_named(first, (*RATES, *STARTS))):
        return only(Library(SCHEDULE, call.origin))
    return only(Library(NEGATIVE if sign == "-" else POSITIVE, call.origin))


def sign_of(value: Value) -> str:
    """`+`, `-`, or nothing where it is not the same for all that the value may be."""
    signs = {_sign(atom) for atom in value.atoms}
    return signs.pop() if len(signs) == 1 and not value.unknown else ""


def _sign(atom: object) -> str:
    if isinstance(atom, Constant) and isinstance(atom.value, (int, float)):
        return "" if isinstance(atom.value, bool) else "-" if atom.value < 0 else "+"
    if isinstance(atom, Number):
        return "+" if atom.low >= 0 else "-" if atom.high <= 0 else ""
    if isinstance(atom, Library) and atom.name in (POSITIVE, NEGATIVE):
        return "+" if atom.name == POSITIVE else "-"
    return ""


def is_named(value: Value, words: tuple[str, ...]) -> bool:
    """Does a caller give it by such a name? People write the minus in front of these."""
    atom = value.only
    if not isinstance(atom, Symbol):
        return False
    name = _name_of(atom).lower()
    return name.endswith(words) and not name.startswith(("neg", "minus"))


def _name_of(symbol: Symbol) -> str:
    """The last name on the way to it: `lr` of `config.lr` and of `config["lr"]`."""
    last = symbol.path[-1] if symbol.path else symbol.root
    if isinstance(last, tuple) and symbol.path:
        atom = last[1] if len(last) > 1 else None
        return str(atom.value) if isinstance(atom, Constant) else ""
    return str(last[-1]) if isinstance(last, tuple) else str(last).removeprefix(".")
