"""Initial weights from which a layer does not learn (floor `patterns`).

Must: it is a property of the initializers, which are written out. Two layers in a row whose
kernels start at zero have no gradient: that of each is a product with the other, or with what the
first one gives. An activation that is not zero at zero would change that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_KERNEL, _BIAS = "kernel_init", "bias_init"
_MODULES = ("jax.nn.initializers", "flax.linen.initializers", "flax.nnx.initializers")
_ZEROS = frozenset(f"{module}.zeros" for module in _MODULES)
_ZEROS_MADE = frozenset(f"{module}.zeros_init" for module in _MODULES)
_CONSTANT = frozenset(f"{module}.constant" for module in _MODULES)
_ZERO_AT_ZERO = frozenset(
    f"{module}.{name}"
    for module in ("jax.nn", "flax.linen", "flax.nnx", "jax.numpy")
    for name in ("relu", "gelu", "silu", "swish", "tanh", "leaky_relu", "elu", "selu", "celu")
)
_DENSE = frozenset(("flax.linen.Dense", "flax.nnx.Linear", "flax.linen.Conv", "flax.nnx.Conv"))
_OWN = frozenset(("__call__", "forward"))
_PAIR = 2


@dataclass(frozen=True)
class ZeroPair:
    """`span`: the first of two layers that start at zero; `second`: the one behind it."""

    span: Span
    second: Span


def zero_pairs(module: Module, function: Function) -> Iterator[ZeroPair]:
    """The layers of one class, or of one compact method, of which two in a row start at zero."""
    if function.is_class or function.name not in _OWN:
        return
    body = function.parent
    makers = [f for f in module.functions if f.parent is body and body is not None]
    if sum(_KERNEL in dict(i[4]) for f in makers for i in steps_of(f) if i[0] == "call") < _PAIR:
        return
    reader = NamedReader(module, function)
    own = {name: call for f in makers for name, call in _kept(NamedReader(module, f))}
    zeros = {
        name: call[-1] for name, (r, call) in own.items() if r is not None and _is_zero(r, call)
    }
    calls = [i for i in steps_of(function) if i[0] == "call"]
    for second in calls:
        at = _layer(reader, second, zeros)
        first = _before(reader, second) if at is not None else None
        start = _layer(reader, first, zeros) if first is not None else None
        if at is not None and start is not None and at != start:
            yield ZeroPair(start, at)


def _kept(reader: NamedReader) -> Iterator[tuple[str, tuple[NamedReader | None, Instruction]]]:
    """What a method keeps as attributes; None where it does so twice."""
    seen: set[str] = set()
    for i in steps_of(reader.function):
        made = reader.made(i[4]) if i[0] == "setattr" else None
        if made is not None:
            yield i[3], (None if i[3] in seen or made[0] != "call" else reader, made)
            seen.add(i[3])


def _layer(reader: NamedReader, call: Instruction, zeros: dict[str, Span]) -> Span | None:
    """Where the layer was made that is called, if it starts at zero."""
    callee = reader.makers.get(call[2])
    if callee is None:
        return None
    if callee[0] == "attr":
        base = reader.makers.get(callee[2])
        own = base is not None and base[0] == "load" and base[2] == "self"
        return zeros.get(callee[3]) if own else None
    made = reader.made(call[2])
    is_made = made is not None and made[0] == "call" and _is_zero(reader, made)
    return made[-1] if made is not None and is_made else None


def _before(reader: NamedReader, call: Instruction) -> Instruction | None:
    """The call whose result, through an activation that keeps zero, nothing but this one reads."""
    given: Instruction | None = call
    while given is not None and len(given[3]) == 1 and not given[3][0][0]:
        register = given[3][0][1]
        made = reader.made(register)
        if made is None or made[0] != "call" or _reads(reader, made) > 1:
            return None
        if reader.dotted(made[2]) not in _ZERO_AT_ZERO:
            return made
        given = made
    return None


def _reads(reader: NamedReader, made: Instruction) -> int:
    """How often the value is read by name."""
    loads = [i for i in steps_of(reader.function) if i[0] == "load"]
    return sum(reader.made(i[1]) is made for i in loads)


def _is_zero(reader: NamedReader, call: Instruction) -> bool:
    """A layer whose kernel starts at zero, and its bias."""
    options = dict(call[4])
    if reader.dotted(call[2]) not in _DENSE or None in options:
        return False
    kernel, bias = options.get(_KERNEL), options.get(_BIAS)
    return (
        kernel is not None
        and _gives_zero(reader, kernel)
        and (bias is None or _gives_zero(reader, bias))
    )


def _gives_zero(reader: NamedReader, register: Register) -> bool:
    made = reader.made(register)
    kept = _of_module(reader, made) if made is not None else None
    if kept is not None:
        return _gives_zero(*kept)
    if reader.dotted(register) in _ZEROS:
        return True
    if made is None or made[0] != "call":
        return False
    name = reader.dotted(made[2])
    if name in _ZEROS_MADE:
        return True
    value = reader.made(made[3][0][1]) if name in _CONSTANT and made[3] else None
    return value is not None and value[0] == "const" and value[2] in (0, 0.0)


def _of_module(reader: NamedReader, made: Instruction) -> tuple[NamedReader, Register] | None:
    """What the module stores once under the name that is read."""
    top = reader.module.top
    if made[0] != "load" or made[3] >= 0 or reader.function is top:
        return None
    of_top = NamedReader(reader.module, top)
    stores = of_top.stores.get(made[2], [])
    return (of_top, stores[0][4]) if len(stores) == 1 else None
