"""Steps that `pmap` runs on each device, over a part of the batch (floor `patterns`).

Of a function that is mapped over a named axis: whether its devices exchange anything at all, and
which of its results is the loss of one device alone. It under-approximates: names that are bound
once, functions of the program that are called by such names, gradients that nothing touches before
the optimizer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.sharding import COLLECTIVES, SUMS
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader

_MAPS = frozenset(("jax.pmap", "flax.nnx.pmap"))
_PARTIALS = frozenset(("functools.partial",))
_COMPILES = frozenset(("jit", "filter_jit"))
_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))
_UPDATES = frozenset(("update", "apply_gradients", "apply_updates"))
_FIRST = frozenset(("unreplicate", "get_first", "get_first_replica"))
_PER_EXAMPLE = frozenset(("softmax", "log_softmax", "argmax", "one_hot", "sigmoid"))
_MOST = 60  # functions of one step
_DEPTH = 8


@dataclass(frozen=True)
class Mapped:
    """A function under `pmap` with a named axis, and where `pmap` is called."""

    function: Function
    owner: Function  # that calls `pmap`
    call: Instruction


@dataclass(frozen=True)
class Unreduced:
    """`span`: where the gradients are taken, in the file `path`; `mapped`: where `pmap` is."""

    path: str
    span: Span
    mapped: tuple[str, Span]


@dataclass(frozen=True)
class LossOfOne:
    """`span`: of the loss among what the step gives; `read`: where the first device's is taken."""

    step: Function
    span: Span
    read: tuple[str, Span]


@dataclass(frozen=True)
class MixedExamples:
    """`span`: of the `pmean`; `word`: what made one value for each example."""

    path: str
    span: Span
    word: str
    made: Span


def steps_over(module: Module, owner: Function, links: Links) -> Iterator[Mapped]:
    """The functions that one body maps over the devices of a named axis."""
    if "pmap" not in names_used(owner):
        return
    for call in steps_of(owner):
        mapped = _mapped(links, owner, call) if call[0] == "call" else None
        if mapped is not None:
            yield mapped


def unreduced_gradients(mapped: Mapped, links: Links) -> Iterator[Unreduced]:
    """The first gradients that each device gives to its own optimizer: none exchanges anything."""
    run = _run_in(mapped.function, links)
    if run is None or any(COLLECTIVES & _words(one) for one in run):
        return
    place = mapped.owner.path, mapped.call[-1]
    for one in run:
        reader = _Steps(links, one)
        for update in reader.updates():
            for _, register in (*update[3], *update[4]):
                gradient = reader.gradient_of(register)
                if gradient is not None:
                    yield Unreduced(one.path, gradient[-1], place)
                    return


def losses_of_one(function: Function, links: Links) -> Iterator[LossOfOne]:
    """Losses of which a function reads what the first device has computed of its own part."""
    if names_used(function).isdisjoint((*_FIRST, "map", "tree_map")) and not _indexes(function):
        return
    reader = _Steps(links, function)
    for i in steps_of(function):
        register = _taken_of(reader, i)
        made, path = reader.source(register) if register is not None else (None, ())
        if made is None or made[0] != "call" or len(path) > 1:
            continue
        mapped = _called(links, function, made[2])
        if mapped is not None:
            for span in _losses(links, mapped, path[0] if path else None):
                yield LossOfOne(mapped.function, span, (function.path, i[-1]))


def _losses(links: Links, mapped: Mapped, place: int | None) -> Iterator[Span]:
    """Where a step gives the loss of one device in this element of its result."""
    step = _Steps(links, mapped.function)
    results = [i for i in steps_of(mapped.function) if i[0] == "return" and i[2] is not None]
    if len(results) == 1:
        for number, span, gradient in step.losses_in(results[0][2]):
            if number == place and not _reduces_inside(links, step, gradient):
                yield span


def _indexes(function: Function) -> bool:
    return any(i[0] == "item" for i in steps_of(function))


def mixed_examples(function: Function, links: Links) -> Iterator[MixedExamples]:
    """`pmean` of what there is for each example: example 0 of each device becomes one."""
    if "pmean" not in names_used(function):
        return
    reader = _Steps(links, function)
    for call in steps_of(function):
        if call[0] != "call" or links.dotted(function, call[2]) != "jax.lax.pmean" or not call[3]:
            continue
        star, register = call[3][0]
        made = None if star else reader.made(register)
        if made is None or made[0] != "call" or reader.function_of(made) not in _PER_EXAMPLE:
            continue
        if reader.function_of(made) == "argmax" and len(made[3]) + len(made[4]) < 2:
            continue
        yield MixedExamples(function.path, call[-1], reader.function_of(made), made[-1])


def averages_gradients(module: Module, links: Links) -> bool:
    """Does a function of the file reduce gradients over an axis, and so train one model on it?"""
    for function in module.functions:
        if _GRADIENTS.isdisjoint(names_used(function)):
            continue
        reader = _Steps(links, function)
        for call in steps_of(function):
            if call[0] != "call" or reader.function_of(call) not in SUMS or not call[3]:
                continue
            if any(map(reader.gradient_of, reader.parts_of(call[3][0][1]))):
                return True
    return False


def _mapped(links: Links, owner: Function, call: Instruction) -> Mapped | None:
    """What a call of `pmap` maps over a named axis."""
    named = _names_axis(links, owner, call) if call[3] and not call[3][0][0] else None
    function = _function(links, owner, named, 0) if named is not None else None
    return Mapped(function, owner, call) if function is not None else None


def _names_axis(links: Links, owner: Function, call: Instruction) -> Register | None:
    """The function that a call maps over a named axis: `pmap(f, "i")`, `partial(pmap, ...)(f)`."""
    if links.dotted(owner, call[2]) in _MAPS:
        named = len(call[3]) > 1 or any(name == "axis_name" for name, _ in call[4])
        return call[3][0][1] if named else None
    made = links.makers(owner).get(call[2])
    if made is None or made[0] != "call" or not made[3]:
        return None
    is_partial = links.dotted(owner, made[2]) in _PARTIALS
    if not is_partial or links.dotted(owner, made[3][0][1]) not in _MAPS:
        return None
    named = any(name == "axis_name" for name, _ in made[4])
    return call[3][0][1] if named and len(call[3]) == 1 and not call[4] else None


def _function(links: Links, owner: Function, register: Register, depth: int) -> Function | None:
    """The function of the program that is mapped, compiled before or not."""
    link = links.of_register(owner, register)
    if link is not None:
        return link.function if link.kind == "function" and not link.virtual else None
    made = links.makers(owner).get(register)
    if made is None or depth > _DEPTH:
        return None
    if made[0] == "load":
        holder = _holder(links, owner, made[3])
        stored = links.stores(holder).get(made[2], []) if holder is not None else []
        if holder is None or len(stored) != 1:
            return None
        return _function(links, holder, stored[0], depth + 1)
    if made[0] == "call" and len(made[3]) == 1 and links.word(owner, made[2]) in _COMPILES:
        return _function(links, owner, made[3][0][1], depth + 1)
    return None


def _holder(links: Links, function: Function, hops: int) -> Function | None:
    """The function that has a name, as many functions around."""
    if hops < 0 or function.is_module:
        return links.finder.modules[function.path].top
    holder: Function | None = function
    for _ in range(hops):
        holder = holder.parent if holder is not None else None
    return holder


def _run_in(function: Function, links: Links) -> list[Function] | None:
    """The function, those within, and those of the program that they call; None: too many."""
    found: dict[Function, None] = {}
    todo = [function]
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found[one] = None
        if len(found) > _MOST:
            return None
        for i in steps_of(one):
            if i[0] in ("closure", "class"):
                todo.append(i[2])
            elif i[0] == "call":
                link = links.of_register(one, i[2])
                if link is not None and link.kind in ("function", "class"):
                    todo.append(link.function)
                elif link is not None and link.kind == "instance":
                    inner = links.member(link, "__call__")
                    todo += [] if inner is None else [inner.function]
    return list(found)


def _words(function: Function) -> set[str]:
    """All names and words of options: `axis_name=` of a layer is one that exchanges, too."""
    given = {name for i in steps_of(function) if i[0] == "call" for name, _ in i[4] if name}
    exchanging = {"all_gather"} if given & {"axis_name", "axis_index_groups"} else set[str]()
    return names_used(function) | exchanging


def _reduces_inside(links: Links, step: _Steps, gradient: Instruction) -> bool:
    """Does the loss itself, or a function that it calls, exchange anything?"""
    holder, made = step.transform(gradient)
    if made is None or not made[3]:
        return True
    function = _function(links, holder, made[3][0][1], 0)
    run = _run_in(function, links) if function is not None else None
    return run is None or any(COLLECTIVES & names_used(one) for one in run)


class _Steps(NamedReader):
    """What the registers of a step hold: gradients, losses, and what updates."""

    def __init__(self, links: Links, function: Function) -> None:
        super().__init__(links.finder.modules[function.path], function)
        self.links = links
        self.own = -1 if function.is_module else 0
        for i in steps_of(function) if function.is_module else ():
            if i[0] == "store" and i[3] == self.own:
                self.stores.setdefault(i[2], []).append(i)
        self.parts = {
            part: (i[2], number)
            for i in steps_of(function)
            if i[0] == "unpack"
            for number, part in enumerate(i[3])
        }

    def updates(self) -> Iterator[Instruction]:
        for i in steps_of(self.function):
            if i[0] == "call" and self.function_of(i) in _UPDATES and not _is_starred(i):
                yield i

    def source(self, register: Register, depth: int = 0) -> tuple[Instruction, tuple[int, ...]]:
        """The call that gave a value, and which part of its result it is."""
        path: tuple[int, ...] = ()
        held: Register = register
        for _ in range(_DEPTH):
            if held in self.parts:
                held, number = self.parts[held]
                path = (number, *path)
                continue
            made = self.makers.get(held)
            if made is None:
                break
            if made[0] == "load" and made[3] == self.own:
                before = [s for s in self.stores.get(made[2], ()) if self._reaches(s, made)]
                if not before:
                    return made, path
                held = before[-1][4]
                continue
            key = self.makers.get(made[3]) if made[0] == "item" else None
            if key is not None and key[0] == "const" and type(key[2]) is int:
                path, held = (key[2], *path), made[2]
                continue
            return made, path
        return ("unknown", -1, (0, 0, 0, 0)), path

    def transform(self, call: Instruction) -> tuple[Function, Instruction | None]:
        """The call of `jax.grad` whose result this one calls, and the function that it is in."""
        made, path = self.source(call[2]) if call[0] == "call" else (None, ())
        if made is None or path:
            return self.function, None
        holder = self.function
        if made[0] == "load":
            owner = _holder(self.links, holder, made[3])
            stored = self.links.stores(owner).get(made[2], []) if owner is not None else []
            if owner is None or len(stored) != 1:
                return holder, None
            holder, made = owner, self.links.makers(owner).get(stored[0])
        is_one = made is not None and made[0] == "call" and self._word(holder, made) in _GRADIENTS
        return holder, made if is_one else None

    def _word(self, holder: Function, call: Instruction) -> str:
        return self.links.word(holder, call[2])

    def taken(self, call: Instruction) -> str:
        """The word of the transform whose gradients the call takes; else ""."""
        holder, made = self.transform(call)
        return "" if made is None else self._word(holder, made)

    def has_aux(self, call: Instruction) -> bool:
        _, made = self.transform(call)
        given = made[4] if made is not None else ()
        inner = None if made is None else self.makers.get(made[2])
        more = inner[4] if inner is not None and inner[0] == "call" else ()
        return any(name == "has_aux" for name, _ in (*given, *more))

    def gradient_of(self, register: Register) -> Instruction | None:
        """The call that took the gradients that this is."""
        made, path = self.source(register)
        word = self.taken(made)
        if not word:
            return None
        whole = "value" not in word and path in ((), (0,) if self.has_aux(made) else ())
        return made if whole or ("value" in word and path[:1] == (1,)) else None

    def parts_of(self, register: Register) -> list[Register]:
        """The elements of a tuple or dict that is written out; of all else, itself."""
        made, path = self.source(register)
        if path or made[0] not in ("build", "dict"):
            return [register]
        return [part for _, part in (made[3] if made[0] == "build" else made[2])]

    def losses_in(self, register: Register) -> Iterator[tuple[int | None, Span, Instruction]]:
        """Of what is returned: which element holds a loss, where it stands, which call gave it."""
        elements = self.elements(register)
        if elements is None:
            yield from self._losses(register)
            return
        for number, part in enumerate(elements):
            if part is not None:
                yield from ((number, span, call) for _, span, call in self._losses(part))

    def elements(self, register: Register, depth: int = 0) -> list[Register | None] | None:
        """Of a tuple that is written out, here or in a function that is called: what is in it."""
        made, path = self.source(register)
        if path or depth > _DEPTH:
            return None
        if made[0] == "build":
            return None if any(star for star, _ in made[3]) else [part for _, part in made[3]]
        link = self.links.of_register(self.function, made[2]) if made[0] == "call" else None
        if link is None or link.kind != "function" or link.bound or _is_starred(made):
            return None
        given = _returned(link.function)
        inner = _Steps(self.links, link.function)
        parts = None if given is None else inner.elements(given, depth + 1)
        if parts is None:
            return None
        names = [parameter.name for parameter in link.function.parameters]
        held = dict(zip(names, (r for _, r in made[3]), strict=False)) | dict(made[4])
        return [None if part is None else held.get(inner.name_of(part), None) for part in parts]

    def name_of(self, register: Register) -> str:
        """The name that is read there, if it is one."""
        i = self.makers.get(register)
        return i[2] if i is not None and i[0] == "load" and i[3] == 0 else ""

    def _losses(self, register: Register) -> Iterator[tuple[int | None, Span, Instruction]]:
        made, path = self.source(register)
        if not path and made[0] == "dict":
            for key, value in made[2]:
                if key is not None:
                    yield from self._losses(value)
            return
        word = self.taken(made)
        if "value" in word and path == ((0, 0) if self.has_aux(made) else (0,)):
            yield None, self.makers[register][-1] if register in self.makers else made[-1], made


def _is_starred(call: Instruction) -> bool:
    return any(star for star, _ in call[3]) or any(name is None for name, _ in call[4])


def _taken_of(reader: _Steps, i: Instruction) -> Register | None:
    """Of what the first device's part is taken."""
    if i[0] == "call" and i[3] and not _is_starred(i):
        word = reader.function_of(i)
        if word in _FIRST and len(i[3]) == 1:
            return i[3][0][1]
        if word in ("map", "tree_map") and len(i[3]) == 2:
            lam = reader.made(i[3][0][1])
            return i[3][1][1] if lam is not None and _takes_first(lam) else None
    if i[0] == "item":
        key = reader.makers.get(i[3])
        base = reader.makers.get(i[2])
        if key is not None and key[0] == "const" and key[2] == 0 and type(key[2]) is int:
            return i[2] if base is not None and base[0] in ("load", "item") else None
    return None


def _takes_first(i: Instruction) -> bool:
    """`lambda x: x[0]`, `lambda x: np.array(x[0])`."""
    if i[0] != "closure" or len(i[2].parameters) != 1:
        return False
    inner = i[2]
    made = {one[1]: one for one in steps_of(inner)}
    for one in steps_of(inner):
        key = made.get(one[3]) if one[0] == "item" else None
        base = made.get(one[2]) if one[0] == "item" else None
        if key is not None and key[0] == "const" and key[2] == 0 and base is not None:
            return base[0] == "load" and base[2] == inner.parameters[0].name
    return False


def _called(links: Links, function: Function, callee: Register) -> Mapped | None:
    """What is called, if `pmap` has made it: under a name, or given by a function."""
    register, holder = callee, function
    for _ in range(_DEPTH):
        made = links.makers(holder).get(register)
        if made is None:
            return None
        if made[0] == "call":
            mapped = _mapped(links, holder, made)
            link = links.of_register(holder, made[2]) if mapped is None else None
            given = _returned(link.function) if link is not None else None
            if link is None or link.kind != "function" or given is None:
                return mapped
            holder, register = link.function, given
        elif made[0] == "import":
            found = _imported(links, holder, made)
            if found is None:
                return None
            holder, register = found
        elif made[0] == "load":
            owner = _holder(links, holder, made[3])
            stored = links.stores(owner).get(made[2], []) if owner is not None else []
            if owner is None or len(stored) != 1:
                return None
            holder, register = owner, stored[0]
        else:
            return None
    return None


def _imported(
    links: Links, holder: Function, made: Instruction
) -> tuple[Function, Register] | None:
    """What another file of the program binds once to the name that is imported."""
    _, _, module, level, name, _ = made
    full = "." * level + module
    path = links.finder.module_from(full, holder.path)
    if path is None or name is None or not links.finder.is_certain(full, holder.path):
        return None
    top = links.finder.modules[path].top
    stored = links.stores(top).get(name, [])
    return (top, stored[0]) if len(stored) == 1 else None


def _returned(function: Function) -> Register | None:
    """What a function returns, in one place."""
    results = [i for i in steps_of(function) if i[0] == "return"]
    return results[0][2] if len(results) == 1 else None
