"""Means over a data set that are means of what each batch gave (floor `patterns`; may).

`total += loss(batch)` in an evaluation, and then `total / len(loader)`: right where all batches
have the same size. A last one that is smaller counts as much as the others. Must where the engine
has seen such a one, and the text that a batch gives a mean; where neither is known, it may be so.
What a loop that trains sums up, and what is weighted, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, names_used, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import dotted, spelled

_SAME = frozenset(("float", "device_get", "asarray", "array", "block_until_ready", "stack"))
_MEANS = frozenset(("mean", "average", "nanmean", "fmean"))
_PROGRESS = frozenset(("tqdm", "enumerate", "progress_bar", "track", "iter"))
_NO_BATCHES = frozenset(
    ("range", "trange", "zip", "items", "keys", "values", "arange", "sorted", "product", "seeds",
     "split", "leaves", "take")
)  # fmt: skip
_BATCHES = ("batch", "loader", "data", "dl", "ds", "valid", "test", "iterator", "pipeline")
_TRAINS = ("train", "update", "learn", "fit")
_OPTIMIZERS = ("opt_state", "optim")
_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))
_KEYS = ("key", "rng", "prng")
_DROPS = frozenset(("drop_last", "drop_remainder"))
_STEPS = 8


@dataclass(frozen=True, slots=True)
class BatchMean:
    """`span` divides what `added` has gathered; `data`: what the loop goes through, as text."""

    span: Span
    added: Span
    data: str
    certain: bool


def batch_means(
    links: Links, function: Function, ragged: Mapping[Span, Function | None]
) -> Iterator[BatchMean]:
    """`ragged`: calls that surely get fewer rows in the last turn, and what they run."""
    name = function.name.lower()
    of_training = "train" in name and "eval" not in name
    for loop in steps_of(function):
        if loop[0] != "for" or loop[6]:
            continue
        cut = any(i[0] == "call" and i[-1] in ragged for i in instructions(loop[4]))
        if cut or _gives_batches(links, function, loop):
            yield from _Evaluation(links, function, loop, of_training, ragged).means()


def _gives_batches(links: Links, function: Function, loop: Instruction) -> bool:
    """Does the loop go through batches, by its words, of sizes that may differ?"""
    makers = links.makers(function)
    made = makers.get(_data(links, function, loop[2]))
    if made is None or made[0] not in ("load", "attr", "call", "item"):
        return False
    if made[0] == "call" and links.word(function, made[2]) in _NO_BATCHES:
        return False
    source = makers.get(made[2]) if made[0] == "call" else None
    while source is not None and source[0] == "attr":  # of `loader.batches()`: all its words
        source = makers.get(source[2])
    words = spelled(makers, made[1], longest=200)
    names = [i[2] for i in instructions(loop[4]) if i[0] == "store" and i[4] == loop[3]]
    text = " ".join((words, *names)).lower()
    return any(word in text for word in _BATCHES) and not _is_cut(links, function, made)


def _data(links: Links, function: Function, register: Register) -> Register:
    """What a progress bar, or `enumerate`, goes through."""
    made = links.makers(function).get(register)
    while made is not None and made[0] == "call" and made[3] and not made[3][0][0]:
        if links.word(function, made[2]) not in _PROGRESS:
            break
        register = made[3][0][1]
        made = links.makers(function).get(register)
    return register


def _is_cut(links: Links, function: Function, made: Instruction) -> bool:
    """Was it made so that the last batch is dropped, as far as this function shows?"""
    makers, seen = links.makers(function), 0
    while made[0] in ("load", "attr", "call") and seen < _STEPS:
        seen += 1
        if made[0] == "load":
            stored = links.stores(function).get(made[2], []) if made[3] == 0 else []
            following = makers.get(stored[0]) if len(stored) == 1 else None
        else:
            if made[0] == "call" and _DROPS & {name for name, _ in made[4]}:
                return True
            following = makers.get(made[2])
        if following is None:
            return False
        made = following
    return False


class _Evaluation:
    """A loop through batches, and what it gathers."""

    def __init__(
        self,
        links: Links,
        function: Function,
        loop: Instruction,
        of_training: bool,
        ragged: Mapping[Span, Function | None],
    ) -> None:
        self.links, self.function, self.loop = links, function, loop
        self.of_training, self.ragged = of_training, ragged
        self.makers: Mapping[Register, Instruction] = links.makers(function)
        self.inside = tuple(instructions(loop[4]))
        self.parts = {r: i for i in self.inside if i[0] == "unpack" for r in i[3]}
        self.batch = self._follows_from_batch()
        steps = steps_of(function)
        last = max((n for n, i in enumerate(steps) if i is loop), default=0)
        self.later = steps[last + 1 + len(self.inside) :]

    def means(self) -> Iterator[BatchMean]:
        gathered = {name: (added, certain) for name, added, certain in self._gathered()}
        if not gathered:
            return
        counts = self._counts()
        data = spelled(self.makers, _data(self.links, self.function, self.loop[2]))
        for step in self.later:
            name = self._averaged(step, counts)
            if name in gathered:
                yield BatchMean(step[-1], gathered[name][0], data, gathered[name][1])
                return  # one for a loop

    def _gathered(self) -> Iterator[tuple[str, Span, bool]]:
        """Names that what a batch gave is added or appended to, as it is; is it surely wrong?"""
        for i in self.inside:
            name, register = "", -1
            if i[0] == "augment" and i[2] == "Add":
                name, register = dotted(self.makers, i[3]), i[4]
            elif i[0] == "call" and len(i[3]) == 1 and not i[4] and not i[3][0][0]:
                callee = self.makers.get(i[2])
                if callee is not None and callee[0] == "attr" and callee[3] == "append":
                    name, register = dotted(self.makers, callee[2]), i[3][0][1]
            call = self._call_of(register) if name else None
            if call is not None and self._is_given_by_batch(call):
                yield name, i[-1], self._takes_mean(call)

    def _is_given_by_batch(self, call: Instruction) -> bool:
        """Does a call take the batch, and train nothing?"""
        given = [r for _, r in (*call[3], *call[4])]
        return bool(self.batch.intersection(given)) and not self._trains(call)

    def _takes_mean(self, call: Instruction) -> bool:
        function = self.ragged.get(call[-1])
        return function is not None and bool(_MEANS & _reached(self.links, function))

    def _call_of(self, register: Register) -> Instruction | None:
        """The call that gave a value, through casts, names, and parts of its result."""
        for _ in range(_STEPS):
            made = self.parts.get(register) or self.makers.get(register)
            if made is None or made[0] not in ("load", "unpack", "item", "call", "attr"):
                return None
            if made[0] == "load":
                stored = [i for i in self.inside if i[0] == "store" and i[2] == made[2]]
                if len(stored) != 1:
                    return None
                register = stored[0][4]
            elif made[0] == "call":
                callee = self.makers.get(made[2])
                if len(made[3]) == 1 and self.links.word(self.function, made[2]) in _SAME:
                    register = made[3][0][1]
                elif callee is not None and callee[0] == "attr" and callee[3] in ("item", "get"):
                    register = callee[2]
                else:
                    return made
            else:
                register = made[2]
        return None

    def _trains(self, call: Instruction) -> bool:
        """Is what it takes given back, does an optimizer stand with it, or a gradient within?"""
        makers = self.makers
        taken = {dotted(makers, r) for _, r in (*call[3], *call[4])} - {""}
        callee = self.links.word(self.function, call[2]).lower()
        if any(sign in callee for sign in _TRAINS) and "eval" not in callee:
            return True
        words = {word.rpartition(".")[2].lower() for word in taken}
        if any(word == "tx" or word.startswith(_OPTIMIZERS) for word in words):
            return True
        parts = [r for r, i in self.parts.items() if i[2] == call[1]]
        back = {i[2] for i in self.inside if i[0] == "store" and i[4] in (*parts, call[1])}
        back |= {
            f"{dotted(makers, i[2])}.{i[3]}"
            for i in self.inside
            if i[0] == "setattr" and i[4] in (*parts, call[1])
        }
        if any(not _is_key(name) for name in back & taken):
            return True
        link = self.links.of_register(self.function, call[2])
        if link is None:
            return self.of_training
        reached = _reached(self.links, link.function)
        sums = "sum" in reached and not ({*_MEANS, "/"} & reached)
        return sums or bool(_GRADIENTS & reached)

    def _follows_from_batch(self) -> set[Register]:
        """Registers that hold the batch, a part of it, or what is computed of it."""
        held, names = {self.loop[3]}, set[str]()
        for i in self.inside:
            used = used_registers(i)
            if (i[0] == "load" and i[2] in names) or held & used:
                held |= {r for r in (i[1], *(i[3] if i[0] == "unpack" else ())) if r is not None}
            if i[0] == "store" and i[4] in held:
                names.add(i[2])
        return held

    def _counts(self) -> set[str]:
        """Names that count the turns."""
        found = set[str]()
        for i in self.inside:
            one = self.makers.get(i[4]) if i[0] == "augment" and i[2] == "Add" else None
            if one is not None and one[0] == "const" and one[2] == 1:
                found.add(dotted(self.makers, i[3]))
        return found - {""}

    def _averaged(self, step: Instruction, counts: set[str]) -> str:
        """The name whose mean over the batches an instruction takes; else ""."""
        if step[0] == "binop" and step[2] == "Div":
            return self._divided(step, counts)
        if step[0] != "call" or self.links.word(self.function, step[2]) not in _MEANS:
            return ""
        callee = self.makers.get(step[2])
        if step[3] and not step[3][0][0]:
            return self._list(step[3][0][1])
        return self._list(callee[2]) if callee is not None and callee[0] == "attr" else ""

    def _divided(self, step: Instruction, counts: set[str]) -> str:
        _, _, _, left, right, _ = step
        whole = self.makers.get(left)
        if whole is not None and whole[0] == "call" and whole[3]:
            if self.links.word(self.function, whole[2]) != "sum":
                return ""
            name = self._list(whole[3][0][1])
            return name if name and self._length_of(right) == name else ""
        name = dotted(self.makers, left)
        data = dotted(self.makers, _data(self.links, self.function, self.loop[2]))
        length = self._length_of(right)
        counted = dotted(self.makers, self._least(right)) in counts
        return name if name and (counted or (length and length == data)) else ""

    def _least(self, register: Register) -> Register:
        """`n`, of `max(n, 1)`."""
        made = self.makers.get(register)
        if made is None or made[0] != "call" or len(made[3]) != 2:
            return register
        if self.links.word(self.function, made[2]) != "max":
            return register
        return next((r for _, r in made[3] if dotted(self.makers, r)), register)

    def _length_of(self, register: Register) -> str:
        """`x`, of `len(x)`, or of a name that holds it."""
        made = self.makers.get(self._least(register))
        if made is not None and made[0] == "load" and made[3] == 0:
            stored = self.links.stores(self.function).get(made[2], [])
            made = self.makers.get(stored[0]) if len(stored) == 1 else None
        if made is None or made[0] != "call" or len(made[3]) != 1:
            return ""
        is_length = self.links.word(self.function, made[2]) == "len"
        return dotted(self.makers, made[3][0][1]) if is_length else ""

    def _list(self, register: Register) -> str:
        """The list whose elements an array, or a comprehension, is made of."""
        for _ in range(_STEPS):
            made = self.makers.get(register)
            if made is None:
                return ""
            if made[0] == "call" and len(made[3]) == 1:
                if self.links.word(self.function, made[2]) not in _SAME:
                    return ""
                register = made[3][0][1]
            elif made[0] == "build" and not made[3]:
                loops = [i for i in self.later if i[0] == "for" and i[6]]
                own = [i for i in loops if any(a[0] == "append" and a[2] == register for a in i[4])]
                if len(own) != 1:
                    return ""
                register = own[0][2]
            elif made[0] == "load" and made[3] == 0:
                stored = self.links.stores(self.function).get(made[2], [])
                held = self.makers.get(stored[0]) if len(stored) == 1 else None
                if held is None or held[0] != "call" or not held[3]:
                    return made[2]
                register = stored[0]
            else:
                return dotted(self.makers, register)
        return ""


def _is_key(name: str) -> bool:
    return any(word in name.lower() for word in _KEYS)


def _reached(links: Links, function: Function) -> set[str]:
    """The names that a function uses, and those that it calls; "/" for a division."""
    found, todo, seen = set[str](), [function], set[Function]()
    while todo and len(seen) < _STEPS:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        found |= names_used(one)
        for i in steps_of(one):
            if i[:3:2] == ("binop", "Div"):
                found.add("/")
            called = links.of_register(one, i[2]) if i[0] == "call" else None
            if called is not None and called.kind == "function":
                todo.append(called.function)
            elif i[0] == "closure":
                todo.append(i[2])
    return found
