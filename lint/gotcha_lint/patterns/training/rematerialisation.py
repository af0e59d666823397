"""`remat` with options that do something else than was meant (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.remat import LIFTED, LIFTED_STATIC, WRAPPERS
from gotcha_lint.program.data_flow import steps_of, uncaught
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.origins import Origins

_LAST = -1
_LIFTED = frozenset(name.rpartition(".")[2] for name in LIFTED)
_PARTIAL = "functools.partial"
_NAMES = 8  # that are followed to what they are set to


def negative_statics(links: Links, function: Function) -> Iterator[tuple[Span, int]]:
    """The static arguments of linen's `remat` with -1 among them and without -2.

    And the position of the last argument of `__call__`; 0 where that is not known.
    """
    for call in uncaught(function.body):
        if call[0] != "call" or links.word(function, call[2]) not in _LIFTED | {"partial"}:
            continue
        register = _static(links, function, call)
        made = links.makers(function).get(register) if register is not None else None
        numbers = _numbers(links, function, register, 0) if register is not None else ()
        if made is not None and _LAST in numbers and _LAST - 1 not in numbers:
            yield made[-1], _last(links, function, call)


def _static(links: Links, function: Function, call: Instruction) -> Register | None:
    """What `nn.remat(Block, static_argnums=...)` is given, or `partial(nn.remat, ...)`."""
    args = [register for star, register in call[3] if not star]
    if len(args) < len(call[3]):
        return None
    name = links.dotted(function, call[2])
    if name == _PARTIAL:
        if not args or links.dotted(function, args[0]) not in LIFTED:
            return None
    elif name not in LIFTED:
        return None
    elif len(args) > LIFTED_STATIC:
        return args[LIFTED_STATIC]
    return dict(call[4]).get("static_argnums")


def _last(links: Links, function: Function, call: Instruction) -> int:
    options = dict(call[4])
    target = call[3][0][1] if call[3] else options.get("target")
    link = links.of_register(function, target) if target is not None else None
    if link is None or link.kind != "class" or "methods" in options:
        return 0
    method = links.member(link, "__call__")
    if method is None or any(one.kind != "pos" for one in method.function.parameters):
        return 0
    return len(method.function.parameters) - 1


def _numbers(
    links: Links, function: Function, register: Register, depth: int
) -> tuple[object, ...]:
    """A number or a tuple, written there or where a name is set; a list is an error of JAX."""
    made = links.makers(function).get(register)
    if made is None or depth > _NAMES:
        return ()
    if made[0] == "const":
        return (made[2],)
    if made[0] == "unop" and made[2] == "USub":
        inner = _numbers(links, function, made[3], depth + 1)
        return tuple(-one for one in inner if isinstance(one, int))
    if made[0] == "build" and made[2] == "tuple" and not any(star for star, _ in made[3]):
        parts = (_numbers(links, function, part, depth + 1) for _, part in made[3])
        return tuple(part[0] if len(part) == 1 else None for part in parts)
    if made[0] != "load":
        return ()
    owner = links.finder.modules[function.path].top if made[3] == -1 else function
    stored = links.stores(owner).get(made[2], []) if made[3] <= 0 else []
    parameters = {parameter.name for parameter in owner.parameters}
    if len(stored) != 1 or made[2] in parameters | links.names_rebound(function.path):
        return ()
    return _numbers(links, owner, stored[0], depth + 1)


@dataclass(frozen=True, slots=True)
class Unprotected:
    """`span`: of `prevent_cse=False`'s call; `of_module`: what is wrapped is a class of modules."""

    span: Span
    of_module: bool


def unprotected(origins: Origins, function: Function) -> Iterator[Unprotected]:
    """Calls of `jax.checkpoint` and of what lifts it, with `prevent_cse=False` written out."""
    makers = origins.links.makers(function)
    for call in steps_of(function):
        if call[0] != "call":
            continue
        option = makers.get(dict(call[4]).get("prevent_cse", -1), ("",))
        if option[0] != "const" or option[2] is not False:
            continue
        name = origins.names.of_call(function, call)
        if name == _PARTIAL and call[3]:
            name = origins.of_argument(function, call)
        if name in WRAPPERS:
            yield Unprotected(call[-1], name in LIFTED)
