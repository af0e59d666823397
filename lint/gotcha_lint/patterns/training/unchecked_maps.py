"""Gradients that leave `shard_map` as each device has them (floor `patterns`).

`out_specs=P()` says that all devices return the same, and with `check_vma=False` nothing looks. It
under-approximates: specs that are written out, losses of the program, gradients of parameters that
are the same on each device, and nothing that gets them may exchange anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.sharding import COLLECTIVES, LOCAL, SUMS
from gotcha_lint.facts.updates import STATE_UPDATES
from gotcha_lint.program.data_flow import names_used, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.origins import Origins

_MAP = frozenset(("jax.shard_map", "jax.experimental.shard_map.shard_map"))
_GRADIENTS = frozenset(("jax.grad", "jax.value_and_grad"))
_CHECKS = frozenset(("check_vma", "check_rep"))
_COPIED = STATE_UPDATES - {"apply_gradients"}
_LOOPS = ("for", "while")
_COPIES = ("load", "attr", "item")
_MOST = 200  # instructions of one value


@dataclass(frozen=True, slots=True)
class Unchecked:
    """`span`: where the gradients are taken, in `function`; `mapped`: where `shard_map` is."""

    function: Function
    span: Span
    mapped: tuple[str, Span]


def unchecked_gradients(origins: Origins, module: Module) -> Iterator[Unchecked]:
    """Of the functions that a file maps over the devices."""
    for owner in origins.links.bodies(module):
        for call in steps_of(owner):
            if call[0] == "call":
                yield from _of_call(origins, owner, call)


def _of_call(origins: Origins, owner: Function, call: Instruction) -> Iterator[Unchecked]:
    """`shard_map(f, ...)`, or `partial(shard_map, ...)(f)`."""
    found = _options(origins, owner, call)
    link = origins.links.of_register(owner, call[3][0][1]) if found is not None else None
    if found is None or link is None or link.kind != "function" or link.bound:
        return
    holder, options, place = found
    specs = _Specs(origins, holder)
    checks = (specs.constant(options[name]) for name in _CHECKS if name in options)
    if not any(value is False for value in checks) or "out_specs" not in options:
        return
    if not specs.is_whole(options["out_specs"]):
        return
    kinds = specs.kinds(options.get("in_specs", -1))
    names = [parameter.name for parameter in link.function.parameters]
    same = {name for name, kind in zip(names, kinds, strict=False) if kind == "same"}
    part = {name for name, kind in zip(names, kinds, strict=False) if kind == "part"}
    step = _Step(origins, link.function)
    for gradient in step.gradients():
        if step.are_of(gradient, same, part) and step.stay(gradient):
            yield Unchecked(link.function, gradient[-1], place)


def _options(
    origins: Origins, owner: Function, call: Instruction
) -> tuple[Function, dict[str, Register], tuple[str, Span]] | None:
    """The options of `shard_map`, the function that gives them, and where."""
    if len(call[3]) != 1 or call[3][0][0]:
        return None
    if origins.names.of_call(owner, call) in _MAP:
        return owner, dict(call[4]), (owner.path, call[-1])
    found = _made(origins, owner, call[2])
    if found is None or found[1][0] != "call":
        return None
    holder, made = found
    is_partial = origins.names.of_call(holder, made) == "functools.partial" and len(made[3]) == 1
    if not is_partial or origins.of_argument(holder, made) not in _MAP:
        return None
    return holder, dict(made[4]), (holder.path, made[-1])


def _made(
    origins: Origins, function: Function, register: Register
) -> tuple[Function, Instruction] | None:
    """The instruction that made a value, and the function that this is in."""
    found = origins.of(function, register)
    if found is None or isinstance(found[1], str):
        return None
    return found[0], found[1]


class _Specs:
    """What the specifications in the options of a call say."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self.origins, self.function = origins, function

    def constant(self, register: Register) -> object:
        found = _made(self.origins, self.function, register)
        return found[1][2] if found is not None and found[1][0] == "const" else None

    def is_whole(self, register: Register) -> bool:
        """`P()`, or a tuple of nothing else."""
        kinds = self.kinds(register)
        return bool(kinds) and all(kind == "same" for kind in kinds)

    def kinds(self, register: Register) -> list[str]:
        """Of a tuple of specifications, or of one: `"same"`, `"part"`, or "" for others."""
        found = _made(self.origins, self.function, register)
        if found is None:
            return []
        holder, made = found
        if made[0] == "build" and made[2] == "tuple":
            inner = _Specs(self.origins, holder)
            return ["".join(inner.kinds(one)[:1]) for _, one in made[3]]
        name = self.origins.names.of_call(holder, made) if made[0] == "call" else ""
        if not name.endswith("PartitionSpec"):
            return [""]
        given = [_Specs(self.origins, holder).constant(one) for _, one in made[3]]
        return ["same" if not given else "part" if any(map(_is_text, given)) else ""]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


class _Step:
    """What one function does with its gradients."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self.origins, self.function = origins, function
        self.reader = origins.reader(function)
        self.makers = self.reader.makers
        self.parts = {
            part: (i[2], number)
            for i in steps_of(function)
            if i[0] == "unpack"
            for number, part in enumerate(i[3])
        }

    def gradients(self) -> Iterator[Instruction]:
        """The calls that take gradients, none in a loop."""
        for i in steps_of(self.function):
            if i[0] == "call" and self._transform(i) is not None:
                around = self.reader.around[id(i)]
                if not any(block[0] in _LOOPS for block, _ in around):
                    yield i

    def _transform(self, call: Instruction) -> tuple[Function, Instruction] | None:
        """The call of `jax.grad` whose result is called."""
        found = _made(self.origins, self.function, call[2])
        if found is None or found[1][0] != "call":
            return None
        holder, made = found
        return (holder, made) if self.origins.names.of_call(holder, made) in _GRADIENTS else None

    def _loss(self, gradient: Instruction) -> Function | None:
        found = self._transform(gradient)
        link = (
            self.origins.links.of_register(found[0], found[1][3][0][1])
            if found is not None and found[1][3]
            else None
        )
        return link.function if link is not None and link.kind == "function" else None

    def are_of(self, gradient: Instruction, same: set[str], part: set[str]) -> bool:
        """By parameters that are the same everywhere, of a loss of a part of the data."""
        loss, found = self._loss(gradient), self._transform(gradient)
        if loss is None or found is None or not gradient[3] or dict(found[1][4]).get("argnums"):
            return False
        used = set().union(*(self._made_of(one)[0] for _, one in gradient[3]))
        for name in names_used(loss):
            stored = self._stored(name, gradient)
            used |= {name}.union(*(self._made_of(one)[0] for one in stored))
        return self._root(gradient[3][0][1]) in same and bool(used & part)

    def _root(self, register: Register) -> str:
        """The parameter that it is, or is an attribute or element of."""
        for _ in range(_MOST):
            if register in self.parts:
                register = self.parts[register][0]
                continue
            made = self.makers.get(register)
            if made is None or made[0] not in _COPIES:
                return ""
            if made[0] != "load":
                register = made[2]
                continue
            stored = self._stored(made[2], made)
            if not stored:
                return made[2]
            if len(stored) > 1:
                return ""
            register = stored[0]
        return ""

    def _stored(self, name: str, before: Instruction) -> list[Register]:
        """What the name is given before an instruction, in the order of the text."""
        order = self.reader.order
        stores = self.reader.stores.get(name, ())
        return [i[4] for i in stores if order[id(i)] < order[id(before)]]

    def stay(self, gradient: Instruction) -> bool:
        """They are returned, nothing sums them, and nothing is given them that may."""
        loss = self._loss(gradient)
        inside = names_used(loss) & COLLECTIVES if loss is not None else set[str]()
        inner = [i[2] for i in steps_of(self.function) if i[0] == "closure" and i[2] is not loss]
        if inside - SUMS or any(names_used(one) & COLLECTIVES for one in inner):
            return False
        returned = False
        for i in steps_of(self.function):
            if i[0] == "return" and i[2] is not None:
                returned |= self._holds(i[2], gradient)
            elif i[0] == "call" and i is not gradient:
                given = [one for _, one in (*i[3], *i[4])]
                if any(self._holds(one, gradient) for one in given) and not self._is_local(i):
                    return False
        return returned

    def _holds(self, register: Register, gradient: Instruction) -> bool:
        return gradient[1] in self._made_of(register)[1]

    def _made_of(self, register: Register) -> tuple[set[str], set[Register]]:
        """The names that are read for a value, and the registers, as far back as they go.

        The loss that is given beside a gradient does not follow from it.
        """
        names: set[str] = set()
        seen: set[Register] = set()
        todo = [register]
        while todo and len(seen) < _MOST:
            one = todo.pop()
            if one in self.parts:
                whole, number = self.parts[one]
                made = self.makers.get(whole)
                is_gradient = made is not None and made[0] == "call" and self._transform(made)
                todo += [] if is_gradient and number == 0 else [whole]
                continue
            made = self.makers.get(one)
            if made is None or one in seen:
                continue
            seen.add(one)
            if made[0] == "load":
                names.add(made[2])
                todo += self._stored(made[2], made)
            else:
                todo += [one for one in used_registers(made) if isinstance(one, int)]
        return names, seen

    def _is_local(self, call: Instruction) -> bool:
        """It changes nothing between devices."""
        word, name = self.reader.function_of(call), self.origins.called(self.function, call)
        link = self.origins.links.of_register(self.function, call[2])
        if word in COLLECTIVES:
            return False
        if (link is not None and link.kind == "class") or word in _COPIED:
            return True
        if word == "update" and name.startswith("optax."):
            made = self.makers[call[2]]
            tx = (self.makers[r] for r in self._made_of(made[2])[1] if r in self.makers)
            return not any(i[0] == "call" and self.reader.function_of(i) == "stateless" for i in tx)
        if name == "jax.tree.map":
            taken = self.reader.made(call[3][0][1]) if call[3] else None
            known = self.origins.names.of_register(self.function, call[3][0][1]) if call[3] else ""
            return bool(known) or (taken is not None and taken[0] == "closure")
        return name.startswith(LOCAL)
