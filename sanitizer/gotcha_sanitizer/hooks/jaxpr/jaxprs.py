"""Jaxprs as they are read here: the parts of an equation that JAX does not document."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from types import CodeType
from typing import Any, NamedTuple, TypeVar

from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks import Context, private, self_tests
from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.hooks.jaxpr import loops
from gotcha_sanitizer.hooks.self_tests import Name, has
from gotcha_sanitizer.values.parts import Site

T = TypeVar("T")
Walk = Generator[Any, Any, T]

NAMES = (
    Name(
        "equation source_info",
        lambda jax: (
            has(jax, private.SOURCE, private.TRACEBACK, private.SCOPE)
            and has(jax, private.EQUATION, private.SOURCE_INFO)
        ),
        "operations are not named with their lines; no key-reuse, no zero-gradient",
    ),
    Name(
        "frames instantiate_zeros, _vjp3_bwd",
        lambda jax: all(
            has(jax, module, name)
            for module, name in zip(private.ZEROS_IN, private.ZEROS, strict=True)
        ),
        "parameters without a gradient are not found; `check_gradients` finds them",
    ),
    Name(
        "DebugInfo.func_src_info",
        lambda jax: has(jax, private.DEBUG_INFO, private.DEFINED),
        "functions that are only called inside of another jitted one are not named",
        counts=True,
    ),
    Name(
        "DebugInfo.arg_names, result_paths",
        lambda jax: has(jax, private.DEBUG_INFO, private.INPUTS, private.RESULTS),
        "parameters without a gradient are not found; `check_gradients` finds them",
    ),
    loops.NAME,
    Name(
        "Primitive.get_bind_params",
        lambda jax: has(jax, private.PRIMITIVE, private.BIND),
        "`first_nan` cannot evaluate a function step by step",
    ),
)


class Frame(NamedTuple):
    """A frame of the stack that an equation was traced under."""

    code: CodeType
    instruction: int

    @property
    def site(self) -> Site:
        lines = (n for a, b, n in self.code.co_lines() if a <= self.instruction < b and n)
        path = self.code.co_filename
        return Site(path, next(lines, self.code.co_firstlineno), self.code.co_qualname)


def frames(equation: Any) -> tuple[Frame, ...]:
    """The stack of an equation's trace, innermost first; empty where JAX kept none."""
    traceback = getattr(getattr(equation, private.SOURCE_INFO, None), private.TRACEBACK, None)
    if traceback is None:
        return ()
    codes, instructions = traceback.raw_frames()
    return tuple(map(Frame, codes, instructions))


def users(equation: Any) -> tuple[Frame, ...]:
    """The user's frames of an equation, innermost first."""
    return tuple(f for f in frames(equation) if owner(f.code.co_filename) == "user")


def site(equation: Any, *callers: Any) -> Site | None:
    """The user's line that made an equation; inside of JAX's own functions, that of the call.

    `callers` are the equations that it is inside of, innermost first.
    """
    for each in (equation, *callers):
        if found := users(each):
            return found[0].site
    found = frames(equation)
    return found[0].site if found else None


def scope(equation: Any) -> str:
    """Transformations and named scopes: `transpose(jvp(encoder))/block`."""
    return str(getattr(getattr(equation, private.SOURCE_INFO, None), private.SCOPE, ""))


def is_forward(name: str) -> bool:
    """True for the scope of what is computed on the way to a loss that is differentiated."""
    return "jvp(" in name and "transpose(" not in name


def opened(closed: Any) -> tuple[Any, Sequence[Any]]:
    """A jaxpr and its constants; from jax 0.11 on both kinds of jaxpr are one class."""
    return getattr(closed, "jaxpr", closed), tuple(getattr(closed, "consts", ()) or ())


def body(equation: Any) -> Any:
    """The jaxpr of an equation that only calls it with its own operands, or None."""
    if equation.primitive.name not in private.CALLS:
        return None
    for name in private.BODIES:
        inner = equation.params.get(name)
        if inner is not None and hasattr(opened(inner)[0], "eqns"):
            return inner if len(opened(inner)[0].invars) == len(equation.invars) else None
    return None


class MissingInJax(RuntimeError):
    """This release of JAX lacks, or has renamed, what was asked of it."""


def bind(equation: Any, values: Sequence[Any]) -> list[Any]:
    """Evaluates one equation. Buffers are not donated: they are the user's.

    Raises MissingInJax where this JAX has another way to do it.
    """
    prepare = getattr(equation.primitive, private.BIND, None)
    if prepare is None:
        raise MissingInJax(
            f"this JAX has no Primitive.{private.BIND}: see `gotcha-sanitize doctor`"
        )
    params = prepare(equation.params)
    if private.DONATED in params:
        kept = (False,) * len(params[private.DONATED])
        params = {**params, private.DONATED: kept}
    found = equation.primitive.bind(*values, **params)
    return list(found) if equation.primitive.multiple_results else [found]


def labels(jaxpr: Any) -> tuple[list[str], list[str]]:
    """Paths of the inputs and of the outputs, like `params['w']` and `result[0]['w']`."""
    core, _ = opened(jaxpr)
    info = getattr(core, private.DEBUG, None)
    names = list(getattr(info, private.INPUTS, None) or ())
    results = list(getattr(info, private.RESULTS, None) or ())
    inputs = names if len(names) == len(core.invars) else [""] * len(core.invars)
    outputs = results if len(results) == len(core.outvars) else [""] * len(core.outvars)
    return [str(name) for name in inputs], [str(name) for name in outputs]


def pieces(label: str) -> list[str]:
    """The keys of a path: `p['a'].b[0]` has `['a']`, `.b` and `[0]`."""
    return re.findall(r"\[[^\]]*\]|\.\w+", label)


def defined(closed: Any) -> Site | None:
    """Where the function behind a jaxpr is defined, by JAX's text `name at path:line`."""
    info = str(getattr(getattr(opened(closed)[0], private.DEBUG, None), private.DEFINED, ""))
    name, _, where = info.partition(" at ")
    path, _, line = where.rpartition(":")
    return Site(path, int(line), name) if path and line.isdigit() else None


def is_jax_own(closed: Any) -> bool:
    """True for the body of a function that JAX itself jitted, like `jax.random.normal`."""
    site = defined(closed)
    return site is not None and owner(site.path) == "jax"


def inlined(jaxpr: Any) -> tuple[Site, ...]:
    """The user's jitted functions inside of a program: they get none of their own there."""
    bodies = (
        equation.params.get("jaxpr")
        for closed in inner_jaxprs(jaxpr)
        for equation in opened(closed)[0].eqns
        if equation.primitive.name in private.JITTED
    )
    sites = dict.fromkeys(filter(None, map(defined, bodies)))
    return tuple(site for site in sites if owner(site.path) == "user")


def self_test(jax: Any) -> dict[str, str]:
    """As `self_tests.self_test`, for the names of this file."""
    return self_tests.self_test(jax, NAMES)


def install(context: Context) -> Callable[[], None]:
    for feature, lost in self_test(context.jax).items():
        context.degraded(feature, lost)
    return lambda: None


def run_walk(walk: Walk[T]) -> T:
    """What a walk returns; an error in any part of it ends the whole.

    A walk is a generator that yields the walks inside it, is sent what they return, and returns its
    own result: it enters itself without the stack, most of which the program may have used up.
    """
    walks: list[Walk[Any]] = [walk]
    result: Any = None
    while walks:
        try:
            walks.append(walks[-1].send(result))
            result = None
        except StopIteration as end:
            walks.pop()
            result = end.value
    return result
