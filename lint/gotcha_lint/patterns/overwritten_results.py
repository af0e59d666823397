"""Results of layers that the next turn of a loop overwrites (floor `patterns`).

`for layer in self.layers: h = layer(x)`: `x` is the same in each turn and no turn reads `h`, so all
layers but the last are computed for nothing. By definitions and uses within the body of the loop.
It under-approximates (must): a body with a condition, an inner loop or an exit, a name that an
inner function reads, a call that may do something else, and a value that differs from turn to turn
for another reason are all taken as wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import decorators, names_used, steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Module, Region, Register, Span
from gotcha_lint.program.reader import NamedReader

IsModule = Callable[[Function, Register], bool]
"""Does the register of a function hold a class of layers that the program defines?"""

_PLAIN = frozenset(
    ("load", "const", "attr", "item", "slice", "binop", "unop", "compare", "build", "dict", "call",
     "store", "unpack")
)  # fmt: skip
_PURE = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.scipy.")
_LAYERS = ("flax.linen.", "flax.nnx.", "equinox.nn.", "haiku.")
_CALLING = frozenset(("cond", "switch", "while_loop", "scan", "fori_loop", "map"))
_TRACED = frozenset(
    ("jit", "filter_jit", "pmap", "vmap", "filter_vmap", "grad", "value_and_grad", "checkpoint",
     "remat", "compact")
)  # fmt: skip
_TIMING = frozenset(("time", "perf_counter", "perf_counter_ns", "timeit", "block_until_ready"))
_INITIAL = frozenset(("is_initializing", "is_mutable_collection", "has_variable", "init_mode"))


@dataclass(frozen=True)
class Overwritten:
    """`name`: what it is kept under; `given`: the names that the layer reads: none changes."""

    name: str
    span: Span
    given: tuple[str, ...]


def overwritten_results(
    module: Module, function: Function, is_module: IsModule
) -> Iterator[Overwritten]:
    """One for each loop of a function that JAX traces, or that makes the layers it calls."""
    if function.is_module or function.is_class or function.is_async:
        return
    loops = [i for i in steps_of(function) if i[0] == "for" and not i[6]]
    if not loops or (_TIMING | _INITIAL) & names_used(function):
        return
    layers = _Layers(module, function, is_module)
    for loop in loops:
        if not _at_most_once(layers, loop):
            found = _of_loop(layers, loop)
            if found is not None:
                yield found


def _at_most_once(layers: _Layers, loop: Instruction) -> bool:
    """`range(1)`, `[x]`."""
    made = layers.made(loop[2])
    if made is None:
        return False
    if made[0] == "build":
        return len(made[3]) < 2 and not any(star for star, _ in made[3])
    if made[0] != "call" or layers.function_of(made) != "range":
        return False
    bounds = [layers.made(register) for _, register in made[3]]
    known = [bound[2] for bound in bounds if bound is not None and bound[0] == "const"]
    return len(known) == len(bounds) and len(range(*known)) < 2


def _of_loop(layers: _Layers, loop: Instruction) -> Overwritten | None:
    body: Region = loop[4]
    if any(i[0] not in _PLAIN for i in body):
        return None
    function = layers.function
    shared = function.captured | function.globals | function.nonlocals
    first: dict[str, int] = {}  # where the body stores a name, and where it does so last
    last: dict[str, int] = {}
    for at, i in enumerate(body):
        if i[0] == "store":
            if i[3] != 0 or i[2] in shared:
                return None
            first.setdefault(i[2], at)
            last[i[2]] = at
    loads = [(at, i[2]) for at, i in enumerate(body) if i[0] == "load"]
    carried = {name for at, name in loads if name in first and at <= first[name]}
    read_later = {name for at, name in loads if name in last and at > last[name]}
    ends = [at for name, at in last.items() if name not in carried | read_later]
    turning = _targets(loop)
    for at in sorted(ends, reverse=True):
        if body[at][2] in turning or body[at][2].startswith("_"):
            continue
        found = _of_store(layers, body, at, carried, turning)
        if found is not None:
            return found
    return None


def _targets(loop: Instruction) -> set[str]:
    """The names that the loop itself binds: those stored from its element."""
    held: set[Hashable] = {loop[3]}
    found: set[str] = set()
    for i in loop[4]:
        if i[0] == "unpack" and i[2] in held:
            held.update(i[3])
        elif i[0] == "store" and i[4] in held:
            found.add(i[2])
    return found


def _of_store(
    layers: _Layers, body: Region, at: int, carried: set[str], turning: set[str]
) -> Overwritten | None:
    """The body keeps there what a layer gives for what no turn changes."""
    makers = {register: i for i in body for register in _written(i)}
    stores = [(number, i) for number, i in enumerate(body) if i[0] == "store"]
    order = {id(i): number for number, i in enumerate(body)}
    outer: list[str] = []
    called = False
    todo: list[Register] = [body[at][4]]
    seen: set[Register] = set()
    while todo:
        register = todo.pop()
        made = makers.get(register)
        if made is None or register in seen:
            continue
        seen.add(register)
        if made[0] == "load":
            name = made[2]
            if name in carried:
                return None
            before = [i for n, i in stores if i[2] == name and n < order[id(made)]]
            if before and name not in turning:
                todo.append(before[-1][4])
            elif name not in turning and made[3] >= 0 and name != "self":
                outer.append(name)
            continue
        if made[0] == "call":
            kind = layers.kind(made, turning)
            if kind is None:
                return None
            called |= kind == "layer"
            if kind == "layer":
                operands = [r for _, r in (*made[3], *made[4])]
                made_here = makers.get(made[2])
                if made_here is not None and made_here[0] == "call":
                    operands += [] if layers.makes_layer(made_here) else [made[2]]
                todo += operands
                continue
        todo += [one for one in used_registers(made) if isinstance(one, int)]
    if not called or not outer:
        return None
    value = makers.get(body[at][4])
    span = value[-1] if value is not None else body[at][-1]
    return Overwritten(body[at][2], span, tuple(dict.fromkeys(reversed(outer))))


def _written(i: Instruction) -> list[Register]:
    own = [i[1]] if isinstance(i[1], int) else []
    return [*own, *i[3]] if i[0] == "unpack" else own


class _Layers(NamedReader):
    """Which calls are of layers, and which of functions that only compute."""

    def __init__(self, module: Module, function: Function, is_module: IsModule) -> None:
        super().__init__(module, function)
        self.is_module = is_module
        self.in_module = self._is_method()
        self.traced = self.in_module or self._is_decorated()

    def _is_method(self) -> bool:
        """Of a class of layers, or a function in one of its methods."""
        around: Function | None = self.function
        while around is not None and not around.is_class:
            around = around.parent
        return around is not None and self.is_module(around, -1)

    def _is_decorated(self) -> bool:
        around: Function | None = self.function
        while around is not None and not around.is_module:
            if not around.is_class and _TRACED & decorators(around):
                return True
            around = around.parent
        return False

    def kind(self, call: Instruction, turning: set[str]) -> str | None:
        """ "layer", "function" for one that only computes, None for all others."""
        name = self.dotted(call[2])
        if name.startswith(_PURE):
            return None if name.rpartition(".")[2] in _CALLING else "function"
        if name.startswith(_LAYERS) and not name.rpartition(".")[2][:1].isupper():
            return "function"
        made = self.makers.get(call[2])
        if made is None:
            return None
        if made[0] == "call" and self.makes_layer(made):
            return "layer"
        if not self.traced:
            return None
        if made[0] == "load" and made[2] in turning:
            return "layer"
        if made[0] == "item" and self.in_module and self._of_self(made[2]):
            return "layer"
        return None

    def makes_layer(self, call: Instruction) -> bool:
        """`nn.Dense(8)`, `Block(width=8)`: of linen and haiku, made where they are called."""
        name = self.dotted(call[2])
        if name.startswith(("flax.linen.", "haiku.")):
            return name.rpartition(".")[2][:1].isupper()
        return self.is_module(self.function, call[2])

    def _of_self(self, register: Register) -> bool:
        made = self.makers.get(register)
        base = self.makers.get(made[2]) if made is not None and made[0] == "attr" else None
        return base is not None and base[0] == "load" and base[2] == "self"
