"""What a loop of a training carries from turn to turn, and what of it is saved (floor `program`).

Under-approximates: a random key is known by what makes it before the loop, or by the `split` that
renews it; the state of an optimizer by what makes it, or as the `opt_state` of a carried object of
which `params` are saved. What is saved over-approximates: all names, and attributes of names, that
the arguments of the save are made of. Of a helper only those arguments count that reach its file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from gotcha_lint.program.data_flow import instructions, reads_name, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Region, Span

KEY, OPTIMIZER = "key", "optimizer"
OBJECT = "object"  # an optimizer that is changed in place
COUNTER, BEST, GENERATOR = "counter", "best", "generator"  # they matter where a run is resumed
ITSELF = "self"  # among the arguments of a save: the object whose method is called
Saved = frozenset[int | str] | None  # places and names of arguments; None: all of them
_PARAMS, _STATE = "params", "opt_state"  # attributes of train states, in Flax and after it
_MODEL = "model"  # of an optimizer of nnx
_RANDOM = frozenset(("random", "jr", "jrandom", "jrnd", "rnd"))
_MAKES_KEY = frozenset(("PRNGKey", "key", "split"))
_OPTIMIZER = "optimizer"  # in the name of a parameter
_OBJECTS = (("nnx", "Optimizer"), ("nnx", "ModelAndOptimizer"))  # that a step changes in place
_GENERATOR_CALLS = (("default_rng",), ("RandomState",))
SHOWS = (("print",), ("set_postfix",), ("set_description",))
_ORDERS = frozenset(("Lt", "LtE", "Gt", "GtE"))
_COMPUTES = frozenset(("binop", "unop", "compare", "augment"))
_FILLS = frozenset(("setitem", "setattr", "closure", "discard"))
_DEPTH = 4  # of names that hold names


@dataclass(frozen=True, slots=True)
class Carried:
    """`made`: where it begins before the loop; None where a caller gives it, or it is a part.

    `new`: it is made there, in each run.
    """

    name: str
    kind: str
    made: Span | None
    new: bool = True


@dataclass(slots=True)
class Code:
    """The instructions of a function by the registers that they write, and what names hold."""

    made: dict[object, Instruction] = field(default_factory=dict)
    stores: dict[str, list[Instruction]] = field(default_factory=dict)
    parts: dict[str, set[object]] = field(default_factory=dict)  # `name.attribute = value`
    helpers: dict[str, Function] = field(default_factory=dict)  # functions of the module

    @classmethod
    def of(cls, function: Function) -> Code:
        code = cls()
        for step in steps_of(function):
            if step[0] == "unpack":
                code.made.update((register, step) for register in step[3])
            elif step[0] == "store":
                code.stores.setdefault(step[2], []).append(step)
            elif step[0] != "setattr" and isinstance(step[1], int):
                code.made[step[1]] = step
        for step in steps_of(function):
            base = code.made.get(step[2]) if step[0] == "setattr" else None
            if base is not None and base[0] == "load":
                code.parts.setdefault(base[2], set()).add(step[4])
        code.helpers = _functions_around(function)
        return code

    def words(self, register: object) -> tuple[str, ...]:
        """The dotted name that a register was loaded from."""
        step = self.made.get(register)
        if step is None or step[0] not in ("load", "attr"):
            return ()
        return (step[2],) if step[0] == "load" else (*self.words(step[2]), step[3])

    def names(
        self, registers: Collection[object], closed: Collection[str], whole: bool = False
    ) -> set[str]:
        """The names that registers are made of, `state.params` as such; those in `closed` are
        not followed further.

        `whole`: not those that an operator computes with.
        """
        found: set[str] = set()
        waiting = [(register, "") for register in registers]
        for _ in range(_DEPTH):
            new = {
                (name, _path(part, of))
                for register, of in waiting
                for name, part in self._loaded(register, whole)
            }
            new = {(name, path) for name, path in new if _path(name, path) not in found}
            found |= {_path(name, path) for name, path in new}
            opened = [(name, path) for name, path in new if name not in closed]
            waiting = [(s[4], path) for name, path in opened for s in self.stores.get(name, ())]
            made_here = (name for name, _ in opened if name in self.stores)
            waiting += [(r, "") for name in made_here for r in self.parts.get(name, ())]
        return found

    def _loaded(self, register: object, whole: bool) -> Iterator[tuple[str, str]]:
        """Names that are loaded, and the attributes of them that are taken."""
        waiting, seen = [(register, "")], set[object]()
        while waiting:
            register, part = waiting.pop()
            step = self.made.get(register)
            if step is None or (register, part) in seen or (whole and step[0] in _COMPUTES):
                continue
            seen.add((register, part))
            if step[0] == "load":
                yield step[2], part
            elif step[0] == "attr":
                waiting.append((step[2], _path(step[3], part)))
            elif step[0] == "call":
                waiting += self._of_call(step, part, whole)
            else:
                waiting += [(r, "") for r in used_registers(step)]

    def _of_call(self, call: Instruction, part: str, whole: bool) -> Iterator[tuple[object, str]]:
        """`device_get(state).params` takes the part of what it is given; a method takes all.

        `whole`: what a model gives is not the model.
        """
        callee = self.made.get(call[2])
        is_method = callee is not None and callee[0] == "attr"
        if is_method or not whole:
            yield (callee[2] if callee is not None and is_method else call[2]), ""
        alone = len(call[3]) == 1 and not call[4]
        for _, register in (*call[3], *call[4]):
            yield register, part if alone else ""

    def comes_from(self, register: object, calls: Collection[Span]) -> bool:
        """Is it made of the result of one of the calls, through names?"""
        waiting, seen = [register], set[object]()
        while waiting:
            step = self.made.get(waiting.pop())
            if step is None or step[-1] in seen:
                continue
            seen.add(step[-1])
            if step[0] == "call" and step[-1] in calls:
                return True
            if step[0] == "load":
                waiting += [store[4] for store in self.stores.get(step[2], ())]
            else:
                waiting += used_registers(step)
        return False

    def orders(self, test: object) -> Iterator[Instruction]:
        """The comparisons by size that a test is made of."""
        waiting, seen = [test], set[object]()
        while waiting:
            register = waiting.pop()
            step = self.made.get(register)
            if step is None or register in seen:
                continue
            seen.add(register)
            if step[0] == "compare" and step[2] in _ORDERS:
                yield step
            elif step[0] == "load" and step[2].startswith("%"):  # the value of `a and b`
                waiting += [store[4] for store in self.stores.get(step[2], ())]
            elif step[0] != "load":
                waiting += used_registers(step)

    def loads(self, registers: Collection[object]) -> set[str]:
        """The names that registers were loaded from."""
        steps = (self.made.get(register) for register in registers)
        return {step[2] for step in steps if step is not None and step[0] == "load"}

    def is_number(self, register: object) -> bool:
        """A number that is written out, or infinity."""
        step = self.made.get(register)
        if step is None:
            return False
        if step[0] == "const":
            return type(step[2]) in (int, float)
        if step[0] == "unop":
            return self.is_number(step[3])
        if step[0] == "attr":
            return step[3] == "inf"
        return step[0] == "call" and self.words(step[2]) == ("float",)

    def counts(self, store: Instruction) -> bool:
        """`count += 1`"""
        step = self.made.get(store[4])
        if step is None or step[0] not in ("augment", "binop") or step[2] != "Add":
            return False
        one = self.made.get(step[4])
        is_one = one is not None and one[0] == "const" and one[2] == 1
        return is_one and self.loads(step[3:4]) == {store[2]}

    def source(self, register: object) -> Instruction | None:
        """The call that a register, or an element of which, comes from."""
        step = self.made.get(register)
        if step is not None and step[0] in ("unpack", "item"):
            whole = self.made.get(step[2])
            if whole is not None and whole[0] == "unpack":
                return self.source(step[2])  # `(model, average), state = step(...)`
            if step[0] == "unpack" and whole is not None and whole[0] == "build":
                parts, place = whole[3], step[3].index(register)
                return self.source(parts[place][1]) if len(parts) == len(step[3]) else None
            step = whole
        return step if step is not None and step[0] == "call" else None

    def takes(self, register: object, name: str) -> bool:
        """Does the call that gives the new value take the old one: `key, one = split(key)`?"""
        call = self.source(register)
        loaded = self._loaded(call[1], False) if call is not None else ()
        return any(name in (each, _path(each, part)) for each, part in loaded)

    def splits(self, register: object, name: str) -> bool:
        """Is the new value a part of the split of the old one?"""
        call = self.source(register)
        return (
            call is not None
            and _is_random(self.words(call[2]), ("split",))
            and self.takes(register, name)
        )

    def kind(self, register: object, depth: int = 0) -> str:
        """Is it a new random key, or the first state of an optimizer? Through `replicate(...)`."""
        call = self.source(register)
        if call is None or depth > _DEPTH:
            return ""
        words, given = self.words(call[2]), [r for _, r in call[3]]
        if words[-2:] in _OBJECTS:
            return OBJECT
        if words[-1:] == ("PRNGKey",) or _is_random(words, _MAKES_KEY):
            return KEY
        helper = self.helpers.get(words[0]) if len(words) == 1 else None
        if helper is not None and (own := _kind_of_result(helper, self._place(register), depth)):
            return own
        if len(given) != 1 or call[4]:
            return ""
        inner = self.kind(given[0], depth + 1)
        if (words[-1:] == ("init",) and len(words) > 1) or self._is_init(call[2]):
            return "" if inner else OPTIMIZER
        return inner

    def _is_init(self, callee: object) -> bool:
        """`opt_init, opt_update = optax.adam(rate)`"""
        step = self.made.get(callee)
        stored = self.stores.get(step[2], []) if step is not None and step[0] == "load" else []
        made = self.made.get(stored[0][4]) if len(stored) == 1 else None
        if made is None or made[0] != "unpack" or made[3].index(stored[0][4]):
            return False
        call = self.source(stored[0][4])
        return call is not None and self.words(call[2])[:1] == ("optax",)

    def _place(self, register: object) -> int | None:
        """Which element of a result it is."""
        step = self.made.get(register)
        return step[3].index(register) if step is not None and step[0] == "unpack" else None

    def given_to(self, call: Instruction, saved: Saved) -> set[object]:
        """The registers of the arguments that reach the file, and of the object."""
        _, _, callee, args, keywords, _ = call
        if saved is None:
            return {register for _, register in (*args, *keywords)}
        found: set[object] = {r for i, (star, r) in enumerate(args) if star or i in saved}
        found |= {register for name, register in keywords if name is None or name in saved}
        step = self.made.get(callee)
        if ITSELF in saved and step is not None and step[0] == "attr":
            found.add(step[2])
        return found


def _path(*parts: str) -> str:
    return ".".join(part for part in parts if part)


def _functions_around(function: Function) -> dict[str, Function]:
    """The functions of the module, by the name of its `def`, also under decorators."""
    top = function
    while top.parent is not None:
        top = top.parent
    found = {i[1]: i[2] for i in top.body if i[0] == "closure"}
    for i in top.body:
        if i[0] == "call" and i[3] and i[3][0][1] in found:
            found[i[1]] = found[i[3][0][1]]
    return {i[2]: found[i[4]] for i in top.body if i[0] == "store" and i[4] in found}


def _kind_of_result(function: Function, place: int | None, depth: int) -> str:
    """What a function of the module returns, or an element of it: the same at all returns."""
    code, kinds = Code.of(function), set[str]()
    for step in steps_of(function):
        if step[0] != "return" or step[2] is None:
            continue
        register: object = step[2]
        built = code.made.get(register)
        if place is not None:
            if built is None or built[0] != "build" or len(built[3]) <= place:
                return ""
            register = built[3][place][1]
        kinds.add(held_kind(code, register, depth + 1))
    return kinds.pop() if len(kinds) == 1 else ""


def held_kind(code: Code, register: object, depth: int) -> str:
    step = code.made.get(register)
    if step is not None and step[0] == "load":
        stores = code.stores.get(step[2], [])
        kinds = {code.kind(store[4], depth) for store in stores}
        return kinds.pop() if len(kinds) == 1 else ""
    return code.kind(register, depth)


def _is_random(words: tuple[str, ...], names: Collection[str]) -> bool:
    return words[-1:] != () and words[-1] in names and words[-2:-1] != () and words[-2] in _RANDOM


def reaching(function: Function, call: Span, saved: Saved) -> Saved:
    """Which arguments of a helper reach the file that it writes by the call at `call`.

    Where it fills containers, all arguments that it reads.
    """
    code = Code.of(function)
    fills = any(step[0] in _FILLS for step in steps_of(function))
    names: set[str] = set()
    for step in steps_of(function):
        if step[0] == "call" and step[-1] == call:
            found = code.names(code.given_to(step, saved), ())
            names |= {name.partition(".")[0] for name in found}
    method = function.parent is not None and function.parent.is_class
    own: list[int | str] = []
    for place, parameter in enumerate(function.parameters):
        if parameter.name in names or (fills and reads_name(function.body, parameter.name)):
            is_receiver = method and place == 0
            own += [ITSELF] if is_receiver else [parameter.name, place - method]
    return frozenset(own)


def unsaved(
    function: Function, saves: Mapping[Span, Saved], restores: Collection[Span] = ()
) -> tuple[list[Span], list[Carried], Span | None]:
    """The calls at `saves` that are in a loop, what the loop carries beside them, and its place.

    `restores`: the calls in the function that read a checkpoint. Nothing where no call is in a
    loop, or none saves what the loop carries.
    """
    loop = next(_loops_with(function.body, saves), None)
    if loop is None:
        return [], [], None
    code = Code.of(function)
    inside = list(instructions([loop]))
    spans = {step[-1] for step in inside}
    renewed = [s for s in inside if s[0] == "store" and code.takes(s[4], s[2])]
    within = {step[2] for step in renewed}
    parameters = {p.name for p in function.parameters}
    before = {name: [s for s in code.stores.get(name, ()) if s[-1] not in spans] for name in within}
    around = parameters | function.globals | function.nonlocals
    carried = {name for name in within if before[name] or name in around}
    objects = dict(_changed_in_place(code, function, inside, spans))
    carried |= {name for _, names in objects.values() for name in names}
    attributes = {
        f"{base[2]}.{s[3]}"
        for s in inside
        if s[0] == "setattr"
        and (base := code.made.get(s[2])) is not None
        and base[0] == "load"
        and code.takes(s[4], f"{base[2]}.{s[3]}")
    }
    given, kept = set[str](), set[str]()
    each: dict[Span, set[str]] = {}  # of the saves in the loop: what they write
    for step in steps_of(function):
        if step[0] == "call" and step[-1] in saves:
            arguments = code.given_to(step, saves[step[-1]])
            given |= code.names(arguments, carried)
            whole = code.names(arguments, carried, whole=True)
            kept |= whole
            if step[-1] in spans:
                each[step[-1]] = whole
    found = list(_known(code, carried & within, before, renewed))
    found += [Carried(n, OPTIMIZER, at, at is not None) for n, (at, _) in objects.items()]
    held = carried | attributes
    weights = {n for n in held if n in kept} - {one.name for one in found}
    weights |= {path for name in objects if (path := f"{name}.{_MODEL}") in kept}
    states = [n for n in held if n not in given and f"{n}.{_PARAMS}" in kept]
    if not weights and not states:
        return [], [], None
    found += [Carried(f"{n}.{_STATE}", OPTIMIZER, None, False) for n in states]
    of_weights = weights | {f"{n}.{_PARAMS}" for n in states}
    places = [span for span, names in each.items() if names & of_weights] or [*each]
    found += _begun_again(code, loop, saves, restores)
    lost = (o for o in found if not given & {o.name, o.name.rpartition(".")[0]})
    return places, sorted(lost, key=lambda one: one.name), loop[-1]


def _known(
    code: Code,
    carried: set[str],
    before: Mapping[str, list[Instruction]],
    renewed: list[Instruction],
) -> Iterator[Carried]:
    """Keys and states of optimizers among the names that a loop carries."""
    for name in carried:
        made = next(((k, s) for s in before[name] if (k := code.kind(s[4]))), None)
        if made is not None:
            kind = OPTIMIZER if made[0] == OBJECT else made[0]
            yield Carried(name, kind, made[1][-1])
        elif any(step[2] == name and code.splits(step[4], name) for step in renewed):
            yield Carried(name, KEY, before[name][0][-1] if before[name] else None, False)


def _changed_in_place(
    code: Code, function: Function, inside: list[Instruction], spans: Collection[Span]
) -> Iterator[tuple[str, tuple[Span | None, set[str]]]]:
    """Optimizers that are objects: where each is made, and what a step of the loop gets with it.

    One that a caller gives is known by a step that drops what its `update` returns.
    """
    made: dict[str, Span | None] = {
        name: stores[0][-1]
        for name, stores in code.stores.items()
        if len(stores) == 1 and stores[0][-1] not in spans and code.kind(stores[0][4]) == OBJECT
    }
    given = {p.name for p in function.parameters if _OPTIMIZER in p.name} - code.stores.keys()
    calls = [step for step in inside if step[0] == "call"]
    made |= dict.fromkeys(n for n in given if any(_updates(code, call, n) for call in calls))
    for name, span in made.items():
        beside = set[str]()
        for step in calls:
            loaded = code.loads([register for _, register in (*step[3], *step[4])])
            if name in loaded or code.words(step[2]) == (name, "update"):
                beside |= loaded | {name}
        beside = {each for each in beside if not _is_bound_in(code, each, spans)}
        if beside:
            yield name, (span, beside)


def _updates(code: Code, call: Instruction, name: str) -> bool:
    """`step(model, optimizer)`, which drops what `optimizer.update` gives."""
    words = code.words(call[2])
    helper = code.helpers.get(words[0]) if len(words) == 1 else None
    places = [at for at, (_, r) in enumerate(call[3]) if code.words(r) == (name,)]
    if helper is None or not places or places[0] >= len(helper.parameters):
        return False
    inner, parameter = Code.of(helper), helper.parameters[places[0]].name
    steps = steps_of(helper)
    dropped = {register for step in steps if step[0] == "discard" for register in step[2:3]}
    return any(
        step[0] == "call" and step[1] in dropped and inner.words(step[2]) == (parameter, "update")
        for step in steps
    )


def _is_bound_in(code: Code, name: str, spans: Collection[Span]) -> bool:
    return any(store[-1] in spans for store in code.stores.get(name, ()))


def _begun_again(
    code: Code, loop: Instruction, saves: Collection[Span], restores: Collection[Span]
) -> Iterator[Carried]:
    """What begins as in a first run before a loop that goes on where a checkpoint ends."""
    inside = list(instructions([loop]))
    spans = {step[-1] for step in inside}
    begins = {span for span in restores if span not in spans and span < loop[-1]}
    if not begins or loop[0] != "for" or not code.comes_from(loop[2], begins):
        return
    for name, stores in code.stores.items():
        before = [s for s in stores if s[-1] not in spans and s[-1] < loop[-1]]
        renewed = [s for s in stores if s[-1] in spans]
        if len(before) != 1 or code.comes_from(before[0][4], begins):
            continue
        if not renewed:
            call = code.source(before[0][4])
            drawn = call is not None and code.words(call[2])[-1:] in _GENERATOR_CALLS
            if drawn and any(s[0] == "load" and s[2] == name for s in inside):
                yield Carried(name, GENERATOR, before[0][-1])
        elif not code.is_number(before[0][4]):
            continue
        elif all(code.counts(s) for s in renewed):
            if _is_asked(code, inside, name):
                yield Carried(name, COUNTER, before[0][-1])
        elif _keeps_best(code, inside, name, saves):
            yield Carried(name, BEST, before[0][-1])


def _is_asked(code: Code, inside: list[Instruction], name: str) -> bool:
    """Does anything in the loop depend on the counter? Not what is shown, nor a rate."""
    asked = False
    for step in inside:
        if step[0] == "binop":
            if step[2] in ("Div", "FloorDiv") and name in code.loads(step[3:5]):
                return False
            asked |= step[2] == "Mod" and name in code.loads(step[3:4])
        elif step[0] == "compare":
            asked |= name in code.loads(step[3:5])
        elif step[0] == "call" and code.words(step[2])[-1:] not in SHOWS:
            asked |= name in code.loads([r for _, r in (*step[3], *step[4])])
    return asked


def _keeps_best(code: Code, inside: list[Instruction], name: str, saves: Collection[Span]) -> bool:
    """`if loss < best: best = loss; save(...)`"""
    for step in inside:
        if step[0] != "if":
            continue
        then = list(instructions(step[3]))
        is_kept = any(s[0] == "store" and s[2] == name for s in then)
        is_saved = any(s[0] == "call" and s[-1] in saves for s in then)
        compared = (name in code.loads(i[3:5]) for i in code.orders(step[2]))
        if is_kept and is_saved and any(compared):
            return True
    return False


def _loops_with(code: Region, saves: Collection[Span]) -> Iterator[Instruction]:
    """The outermost loops that hold one of the calls."""
    for step in code:
        is_loop = step[0] == "while" or (step[0] == "for" and not step[6])
        if is_loop and any(i[0] == "call" and i[-1] in saves for i in instructions([step])):
            yield step
            continue
        for part in step:
            if isinstance(part, list) and part:
                for region in part if isinstance(part[0], list) else [part]:
                    yield from _loops_with(region, saves)
