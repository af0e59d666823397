"""Arrays that a function computes, keeps under a name, and never reads (floor `patterns`).

What is an array, is read from the text: the result of a function of JAX, of a layer, and what
arithmetic, indices and methods make of such. It under-approximates. A name that begins with an
underscore, and a call that may be there for what it raises, or for its time, do not count.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of, used_registers
from gotcha_lint.program.dead_stores import dead_stores
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader, memoised

_DEPTH = 12
_CALLS = 4  # of own functions that are followed
_PURE = (
    "jax.numpy.", "jax.nn.", "jax.lax.", "jax.random.", "jax.dtypes.", "jax.scipy.", "optax.",
    "jax.sharding.",
)  # fmt: skip
_PLACING = frozenset(("jax.device_put", "jax.device_put_replicated", "jax.device_put_sharded"))
_NO_ARRAYS = ("jax.dtypes.", "optax.", "jax.sharding.")
_LAYERS = ("flax.linen.", "flax.nnx.", "equinox.nn.", "haiku.")
_EFFECTS = frozenset(
    ("cond", "switch", "while_loop", "scan", "fori_loop", "map", "debug", "use_mesh", "set_mesh")
)
_MAKING = frozenset(("array", "asarray", "arange", "zeros", "ones", "full", "eye", "linspace"))
_ACTIVATIONS = frozenset(
    ("softmax", "log_softmax", "relu", "gelu", "silu", "swish", "tanh", "sigmoid", "softplus",
     "elu", "leaky_relu", "normalize", "one_hot", "standardize")
)  # fmt: skip
_TIMING = frozenset(("time", "perf_counter", "perf_counter_ns", "timeit", "block_until_ready"))
_INITIAL = frozenset(("is_initializing", "is_mutable_collection", "has_variable", "init_mode"))


@dataclass(frozen=True)
class UnusedResult:
    """`name`: what it is kept under; `of`: "layer", "function" or "arithmetic"; `word`: of what."""

    name: str
    span: Span
    of: str
    word: str
    certain: bool  # it is not made of nothing but numbers
    replaced: bool  # a later line gives the name another value: that may have been the wish


def unused_results(
    module: Module, function: Function, links: Links | None = None
) -> Iterator[UnusedResult]:
    """Those of one function. `links`: of the program, whose own pure functions then count, too."""
    dead = dead_stores(function)
    if not dead or _TIMING & names_used(function):
        return
    reader = _Arrays(module, function)
    taken: dict[Hashable, int] = {}
    for i in steps_of(function):
        for register in used_registers(i):
            taken[register] = taken.get(register, 0) + 1
    hidden = _hidden(function)
    last = {i[2]: i for i in steps_of(function) if i[0] == "store"}
    for i in steps_of(function):
        if i[0] != "store" or i[-1] not in dead or id(i) in hidden or taken[i[4]] > 1:
            continue
        made = reader.makers.get(i[4])
        if i[2].startswith(("_", "dummy", "unused")) or made is None:
            continue
        if made[0] == "call":
            named = reader.called(made) or _own(links, function, made)
            if named is not None:
                if _EFFECTS & set(named[1].split(".")):
                    continue
                certain = named[1].rpartition(".")[2] not in _MAKING
                yield UnusedResult(i[2], made[-1], *named, certain, last[i[2]] is not i)
                continue
        if made[0] in ("binop", "augment", "call") and reader.is_array(i[4], 0):
            replaced = last[i[2]] is not i
            yield UnusedResult(i[2], made[-1], "arithmetic", "", not replaced, replaced)


_PLAIN = frozenset(
    ("load", "const", "attr", "item", "slice", "binop", "unop", "compare", "build", "dict", "if",
     "return", "call")
)  # fmt: skip


def _own(links: Links | None, function: Function, call: Instruction) -> tuple[str, str] | None:
    """Of a function of the program that does nothing but compute an array: its name."""
    link = links.of_register(function, call[2]) if links is not None else None
    if links is None or link is None or link.kind != "function" or link.virtual or link.annotated:
        return None
    name = link.function.name
    return ("function", name) if _is_pure(links, link.function, 0) else None


def _is_pure(links: Links, function: Function, depth: int) -> bool:
    """It ends in an array, and calls nothing but what makes arrays."""
    if function.is_generator or function.is_async or depth > _CALLS:
        return False
    module = links.finder.modules[function.path]
    reader = _Arrays(module, function)
    ends = False
    for i in steps_of(function):
        if i[0] == "store" and i[3] == 0:
            continue
        if i[0] not in _PLAIN:
            return False
        if i[0] == "call" and not _is_pure_call(links, reader, i, depth):
            return False
        if i[0] == "return":
            made = None if i[2] is None else reader.made(i[2])
            own = made is not None and made[0] == "call" and reader.called(made) is None
            if i[2] is None or not (own or reader.is_array(i[2], 0)):
                return False
            ends = True
    return ends


def _is_pure_call(links: Links, reader: _Arrays, call: Instruction, depth: int) -> bool:
    named = reader.called(call)
    if named is not None:
        return not _EFFECTS & set(named[1].split("."))
    if reader.dotted(call[2]).startswith(_LAYERS):
        return True
    operand = reader.operand(call)
    if reader.is_method(call) and operand is not None and reader.is_array(operand, 0):
        return True
    link = links.of_register(reader.function, call[2])
    known = link is not None and link.kind == "function" and not (link.virtual or link.annotated)
    return known and link is not None and _is_pure(links, link.function, depth + 1)


def _hidden(function: Function) -> set[int]:
    """Stores in a `try` whose errors are caught, or where parameters are made."""
    found: set[int] = set()
    makers = {i[1]: i for i in steps_of(function)}

    def walk(code: list[Instruction], inside: bool) -> None:
        for i in code:
            if i[0] == "store" and inside:
                found.add(id(i))
            within = inside
            if i[0] == "try" and i[3]:
                within = True
            elif i[0] == "if":
                within = inside or _asks_for_init(makers, i[2], 0)
            for part in i:
                if isinstance(part, list):
                    for region in part if part and isinstance(part[0], list) else [part]:
                        walk(region, within)

    walk(function.body, False)
    return found


def _asks_for_init(makers: dict[Register, Instruction], register: Register, depth: int) -> bool:
    i = makers.get(register)
    if i is None or depth > _DEPTH:
        return False
    if i[0] in ("attr", "load"):
        return (i[3] if i[0] == "attr" else i[2]) in _INITIAL
    parts = i[2:4] if i[0] in ("call", "unop", "compare") else ()
    return any(isinstance(part, int) and _asks_for_init(makers, part, depth + 1) for part in parts)


class _Arrays(NamedReader):
    """Which registers hold arrays of JAX, as the text says."""

    def __init__(self, module: Module, function: Function) -> None:
        super().__init__(module, function)
        self.layers = _attributes(function)
        self._known: dict[Register, bool] = {}

    def called(self, call: Instruction) -> tuple[str, str] | None:
        """Of a pure function of JAX, or a layer: which of both, and its name."""
        name = self.dotted(call[2])
        if name.startswith(_PURE) or name in _PLACING:
            return "function", name.replace("jax.numpy.", "jnp.")
        callee = self.makers.get(call[2])
        base = self.makers.get(callee[2]) if callee is not None and callee[0] == "attr" else None
        if callee is not None and base is not None and base[0] == "load" and base[2] == "self":
            return ("layer", f"self.{callee[3]}") if callee[3] in self.layers else None
        if name.startswith(_LAYERS) and name.rpartition(".")[2] in _ACTIVATIONS:
            return "function", name.rpartition(".")[2]
        made = self.made(call[2])
        if made is not None and made[0] == "call":
            name = self.dotted(made[2])
            word = name.rpartition(".")[2]
            if name.startswith(_LAYERS) and word[:1].isupper():
                return "layer", word
        return None

    def is_array(self, register: Register, depth: int) -> bool:
        i = self.made(register)
        if i is None or depth > _DEPTH:
            return False
        return memoised(self._known, i[1], False, lambda: self._is_array(i, depth))

    def _is_array(self, i: Instruction, depth: int) -> bool:
        if i[0] == "call":
            named = self.called(i)
            if named is not None:
                return not self.dotted(i[2]).startswith(_NO_ARRAYS)
            operand = self.operand(i)
            return self.is_method(i) and operand is not None and self.is_array(operand, depth + 1)
        if i[0] in ("binop", "augment"):
            return self.is_array(i[3], depth + 1) or self.is_array(i[4], depth + 1)
        if i[0] == "unop":
            return self.is_array(i[3], depth + 1)
        if i[0] == "attr":
            return i[3] in ("T", "mT", "at") and self.is_array(i[2], depth + 1)
        return i[0] == "item" and self.is_array(i[2], depth + 1)


def _attributes(function: Function) -> set[str]:
    """What the methods of its class write to `self`, if it is one of a class of modules."""
    cls = function.parent
    if cls is None or not cls.is_class:
        return set()
    found: set[str] = set()
    for i in steps_of(cls):
        if i[0] == "closure":
            makers = {step[1]: step for step in steps_of(i[2])}
            for step in steps_of(i[2]):
                base = makers.get(step[2]) if step[0] == "setattr" else None
                if base is not None and base[0] == "load" and base[2] == "self":
                    found.add(step[3])
    return found
