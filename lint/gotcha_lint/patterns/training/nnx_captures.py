"""Models of nnx whose weights a compiled function captured, while they change (`patterns`; may).

By the order of one body: the function is called, the model changes, it is called again; or both are
in one loop, and the function is not compiled again there. The model is known by its name, by that
of the argument of the function that made the compiled one, or by that given to a `partial`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.training.nnx_changes import GRADIENT, MODULE, Change
from gotcha_lint.patterns.training.nnx_traces import NnxTraces, Traced
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span

_COMPILES = frozenset(("jit", "nnx.jit", "pmap", "nnx.pmap"))
# What reads only the structure of a model.
_STRUCTURE = frozenset(("graphdef", "isinstance", "type", "len", "print", "display", "tabulate"))
_LOOPS = frozenset(("for", "while"))
_DEPTH = 4

Name = tuple[Function, str]


@dataclass(frozen=True)
class StaleWeights:
    """`read`: where `function` reads the model `name`; none of a `partial`.

    `changed` and `called`: in `body`.
    """

    function: Function | None
    name: str
    path: str
    read: Span
    body: Function
    changed: Span
    called: Span | None


class NnxCaptures:
    def __init__(self, traces: NnxTraces, bodies: list[Function]) -> None:
        self.traces, self.changes = traces, traces.changes
        self.links, self.origins = traces.links, traces.changes.origins
        self.bodies = bodies
        compiled = [t for b in bodies for t in traces.traced(b) if t.role in _COMPILES]
        self.compiled: dict[Function, Traced] = {each.function: each for each in compiled}

    def stale(self, body: Function) -> Iterator[StaleWeights]:
        """What the calls and changes of one body show."""
        own = [
            c
            for c in self.changes.changes(body)
            if c.within is body and c.kind == MODULE and c.how != GRADIENT
        ]
        if not own:
            return
        yield from self._of_partials(body, own)
        calls: dict[Function, list[tuple[Instruction, Register]]] = {}
        for call in steps_of(body):
            if call[0] == "call":
                for function, register in self._run_by(body, call):
                    calls.setdefault(function, []).append((call, register))
        for function, runs in calls.items():
            places = [call for call, _ in runs]
            for name, read in self._weights_read(function).items():
                made, here = self._made_here(body, function, name, runs[0][1])
                changes = [c for c in own if (c.holder, c.name) == here]
                change = self._changed(body, places, changes, made)
                if change is not None:
                    yield StaleWeights(
                        function, name[1], function.path, read, body, change.span, places[0][-1]
                    )

    def _run_by(self, body: Function, call: Instruction) -> Iterator[tuple[Function, Register]]:
        """The compiled function that is called, or is handed on to what calls it."""
        if self.changes.transform(body, call)[0] is not None:
            return
        for register in _registers(call):
            made = self.origins.reader(body).made(register)
            if made is not None and made[0] == "closure" and register != call[2]:
                continue
            function = self.changes.function_of(body, register)
            if function in self.compiled and function is not body:
                yield function, register

    def _made_here(
        self, body: Function, function: Function, name: Name, held: Register
    ) -> tuple[Instruction | None, Name | None]:
        """Where this body compiles the function, and the name that its model has here."""
        if function.parent is body:
            makes = (i for i in steps_of(body) if i[0] == "closure" and i[2] is function)
            return next(makes, None), name
        maker, params = name[0], [p.name for p in name[0].parameters]
        if maker.is_module or name[1] not in params:
            return None, name
        made = self.origins.reader(body).made(held)
        link = self.links.of_register(body, made[2]) if made and made[0] == "call" else None
        if made is None or link is None or link.function is not maker:
            return None, name if maker is body else None
        given = dict(zip(params[link.bound :], (r for _, r in made[3]), strict=False))
        given |= {word: register for word, register in made[4] if word is not None}
        register = given.get(name[1])
        return made, None if register is None else self.changes.root(body, register)

    def _weights_read(self, function: Function) -> dict[Name, Span]:
        """Captured models that are called, or handed on to what calls them."""
        found: dict[Name, Span] = {}
        for inner in _with_inner(function):
            makers = self.links.makers(inner)
            uses: dict[Register, list[Instruction]] = {}
            for i in steps_of(inner):
                given = [r for _, r in (*i[3], *i[4])] if i[0] == "call" else []
                for register in {*given, *i[2:3]} if i[0] != "const" else ():
                    if isinstance(register, int):
                        uses.setdefault(register, []).append(i)
            for load in steps_of(inner):
                if load[0] != "load":
                    continue
                name = self.changes.root(inner, load[1])
                if name is None or not _is_outside(name[0], function) or name in found:
                    continue
                if any(self._reads_weights(inner, makers, uses, load[1], use)
                       for use in uses.get(load[1], ())):  # fmt: skip
                    found[name] = load[-1]
        return found

    def _reads_weights(
        self,
        function: Function,
        makers: dict[Register, Instruction],
        uses: dict[Register, list[Instruction]],
        register: Register,
        use: Instruction,
        depth: int = 0,
    ) -> bool:
        if use[0] == "call":
            if use[2] == register:
                return depth == 0 or bool(use[3] or use[4])
            return depth == 0 and self.links.word(function, use[2]) not in {"", *_STRUCTURE}
        if use[0] == "item":
            key = makers.get(use[3])
            return depth > 0 and key is not None and key[0] == "const" and key[2] is Ellipsis
        if use[0] != "attr" or use[2] != register or depth > _DEPTH:
            return False
        if use[3] == "value" and depth > 0:
            return True
        below = uses.get(use[1], ())
        if depth > 0:  # `model.block.out(x)` may be a function of anything
            below = [each for each in below if each[0] != "call"]
        return any(
            self._reads_weights(function, makers, uses, use[1], each, depth + 1) for each in below
        )

    def _changed(
        self,
        body: Function,
        calls: list[Instruction],
        changes: list[Change],
        made: Instruction | None,
    ) -> Change | None:
        """A change of the weights between two calls of the function."""
        reader = self.origins.reader(body)
        order, around = reader.order, reader.around
        outer = _blocks(around[id(made)], _LOOPS) if made is not None else set[int]()
        for change in changes:
            if any(change.step is call for call in calls):
                continue
            turns = _blocks(around[id(change.step)], _LOOPS) - outer
            if any(turns & _blocks(around[id(call)], _LOOPS) for call in calls):
                return change
            branches = _branches(around[id(change.step)])
            orders = [order[id(c)] for c in calls if _branches(around[id(c)]) <= branches]
            at = order[id(change.step)]
            between = bool(orders) and min(orders) < at < max(orders)
            if between and (made is None or order[id(made)] < at):
                return change
        return None

    def _of_partials(self, body: Function, own: list[Change]) -> Iterator[StaleWeights]:
        """`score = nnx.jit(partial(loss, model))`, which is the same."""
        makers, names = self.links.makers(body), self.origins.names
        for made in steps_of(body):
            inner = makers.get(made[3][0][1]) if made[0] == "call" and made[3] else None
            if inner is None or inner[0] != "call" or self.changes.transform(body, made)[0] is None:
                continue
            if names.of_call(body, inner) != "functools.partial":
                continue
            calls = [
                call
                for call in steps_of(body)
                if call[0] == "call"
                and any(self.origins.reader(body).made(r) is made for r in _registers(call))
            ]
            for _, register in (*inner[3][1:], *inner[4]):
                here = self.changes.root(body, register)
                changes = [c for c in own if (c.holder, c.name) == here]
                change = self._changed(body, calls, changes, made)
                if change is not None:
                    at = makers[register][-1]
                    name = change.name
                    yield StaleWeights(None, name, body.path, at, body, change.span, None)


def _registers(call: Instruction) -> list[Register]:
    """What is called, and what is given."""
    return [call[2], *(r for _, r in call[3]), *(r for _, r in call[4])]


def _with_inner(function: Function) -> Iterator[Function]:
    yield function
    for i in steps_of(function):
        if i[0] == "closure":
            yield from _with_inner(i[2])


def _is_outside(owner: Function, function: Function) -> bool:
    """Is it a module, or a function around this one?"""
    outer = function.parent
    while outer is not None and outer is not owner:
        outer = outer.parent
    return owner.is_module or outer is owner


def _blocks(around: tuple[tuple[Instruction, int], ...], kinds: frozenset[str]) -> set[int]:
    return {id(block) for block, _ in around if block[0] in kinds}


def _branches(around: tuple[tuple[Instruction, int], ...]) -> set[tuple[int, int]]:
    return {(id(block), part) for block, part in around if block[0] == "if"}
