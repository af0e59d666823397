"""`guard=N`: JAX's own checks that are off by default, in another evaluation of captured steps.

Never in the program itself: the arguments of the first call of a few functions are copied, and
those of the latest one that was looked at (`training`) and had no NaN. At the end of the run each
function is evaluated again, N times, under one check after the other. What JAX raises is said as a
finding. What the functions print while they are traced is thrown away; a
function with effects of its own (callbacks, `jax.debug.print`) is traced again, but not run.
"""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks import Context, ending, internals, private, stack, training
from gotcha_sanitizer.hooks.filtered import filtered
from gotcha_sanitizer.hooks.jaxpr.jaxprs import Frame, opened
from gotcha_sanitizer.hooks.other_keys import another
from gotcha_sanitizer.hooks.summaries import copied
from gotcha_sanitizer.values.events import Fact
from gotcha_sanitizer.values.parts import Site

_FUNCTIONS = 4
_BYTES = 2**30  # of copied arguments
PROGRAM = "program"  # the name of a function that runs a traced program


@dataclass(frozen=True)
class Captured:
    """A function and the arguments of its first call, on the host."""

    function: str
    site: Site | None
    fun: Callable[..., Any]
    leaves: list[Any]
    dynamic: list[int]  # those of the leaves that are arrays
    tree: Any
    has_effects: bool
    program: Any  # as JAX has traced it
    parameters: tuple[str, ...] = ()  # none where the arguments are packed, as Equinox does
    number: int = 0  # of the call


@dataclass(frozen=True)
class Said:
    """What a check of JAX's has said of a function."""

    cause: str
    message: str
    advice: str
    severity: str
    site: Site | None


class Guarding:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.jax = context.jax
        self.captured: list[Captured] = []
        self.later: dict[str, Captured] = {}  # of a later call, by function
        self._bytes = 0

    def capture(self, jaxpr: Any, function: str, site: Site | None) -> None:
        call = internals.call(stack.find(sys._getframe(1), private.CALL))
        if call is None or len(self.captured) >= _FUNCTIONS:
            return
        if function in {each.function for each in self.captured}:
            return
        leaves, tree = self.jax.tree_util.tree_flatten((call.args, dict(call.kwargs)))
        arrays = [i for i, leaf in enumerate(leaves) if hasattr(leaf, "dtype")]
        self._bytes += sum(getattr(leaves[i], "nbytes", 0) for i in arrays)
        if self._bytes > _BYTES:
            self.context.degraded("guard", f"the arguments of `{function}` are too large to copy")
            return
        kept = [copied(leaf) if i in arrays else leaf for i, leaf in enumerate(leaves)]
        effects = bool(getattr(jaxpr, "effects", ()))
        names = () if filtered(self.jax, call) else tuple(training.parameters(call.fun))
        self.captured.append(
            Captured(function, site, call.fun, kept, arrays, tree, effects, jaxpr, names)
        )

    def called(self, function: str, number: int, given: dict[str, Any]) -> None:
        """A later call: its arguments are copied; those that are not known stay the first ones."""
        first = next((each for each in self.captured if each.function == function), None)
        if first is None or first.has_effects or self._bytes > _BYTES:
            return
        new = with_arguments(self.jax, first, given)
        if new is None:
            return
        leaves = [copied(leaf) if i in new.dynamic else leaf for i, leaf in enumerate(new.leaves)]
        if not any(_has_nan(leaves[i]) for i in new.dynamic):
            self.later[function] = replace(new, leaves=leaves, number=number + 1)

    def last(self) -> None:
        if self.captured and ending.is_under_way():
            self.context.degraded("guard", "a signal ended the run: nothing was evaluated again")
            self.captured.clear()
        for each in self.captured:
            for check in CHECKS:
                said, told = self._try(check, each), each
                if said is None and check in OF_PROGRAMS and each.function in self.later:
                    told = self.later[each.function]
                    said = self._try(check, told)
                if said is not None:
                    self.context.emit(_fact(self.context.now(), told, said))
        self.captured.clear()
        self.later.clear()

    def _try(self, check: Check, captured: Captured) -> Said | None:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return check(self.jax, captured, self.context.options.guard)
        except Exception as error:  # the function cannot run again, or JAX lacks the check
            if check in OF_PROGRAMS and (again := _of_program(self.jax, captured)) is not None:
                return self._try(check, again)
            why = f"{check.__name__} of `{captured.function}`: {type(error).__name__}: {error}"
            self.context.degraded("guard", why[:200])
            return None


def with_arguments(jax: Any, first: Captured, given: dict[str, Any]) -> Captured | None:
    """Another call of the same program; None where its arguments are of other kinds."""
    args, kwargs = jax.tree_util.tree_unflatten(first.tree, first.leaves)
    named = zip(first.parameters, args, strict=False)
    new = [given.get(name, arg) for name, arg in named]
    new += args[len(new) :]
    tree = tuple(new), {name: given.get(name, arg) for name, arg in kwargs.items()}
    leaves, structure = jax.tree_util.tree_flatten(tree)
    if not first.parameters or structure != first.tree:
        return None
    if any(_type(leaves[i]) != _type(first.leaves[i]) for i in first.dynamic):
        return None
    return replace(first, leaves=leaves)


def _type(leaf: Any) -> tuple[Any, str]:
    return getattr(leaf, "shape", None), str(getattr(leaf, "dtype", ""))


def _has_nan(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc" and bool(np.isnan(leaf).any())


def _of_program(jax: Any, captured: Captured) -> Captured | None:
    """The traced program in place of a function that cannot run twice, as that of `nnx.jit`."""
    import jax.extend.core as extended  # not imported with jax

    arrays = _arrays(captured)
    core, _ = opened(captured.program)
    fits = [tuple(each.shape) for each in arrays] == [tuple(v.aval.shape) for v in core.invars]
    if captured.has_effects or not fits or len(captured.leaves) == 0:
        return None
    if getattr(captured.fun, "__name__", "") == PROGRAM:
        return None
    run = extended.jaxpr_as_fun(captured.program)

    def program(*given: Any) -> Any:
        return run(*given)

    _, tree = jax.tree_util.tree_flatten((tuple(arrays), {}))
    return replace(
        captured, fun=program, leaves=arrays, dynamic=list(range(len(arrays))), tree=tree
    )


Check = Callable[[Any, Captured, int], Said | None]


def _call(captured: Captured, jax: Any) -> Callable[..., Any]:
    """A new function of the arrays alone: it is traced again."""

    def call(*arrays: Any) -> Any:
        whole = list(captured.leaves)
        for index, array in zip(captured.dynamic, arrays, strict=True):
            whole[index] = array
        args, kwargs = jax.tree_util.tree_unflatten(captured.tree, whole)
        return captured.fun(*args, **kwargs)

    return call


def _arrays(captured: Captured) -> list[Any]:
    return [captured.leaves[index] for index in captured.dynamic]


def _steps(
    jax: Any, captured: Captured, count: int, run: Callable[..., Any]
) -> Iterator[tuple[list[Any], Any]]:
    """Arguments and results of steps that follow each other: a result goes where it fits."""
    arrays = _arrays(captured)
    for number in range(1, count + 1):
        results = run(*arrays)
        yield arrays, results
        arrays = _next(jax, captured, arrays, results, number)


def _next(jax: Any, captured: Captured, arrays: list[Any], results: Any, number: int) -> list[Any]:
    whole = list(captured.leaves)
    for index, array in zip(captured.dynamic, arrays, strict=True):
        whole[index] = array
    args, kwargs = jax.tree_util.tree_unflatten(captured.tree, whole)
    parts = list(results) if isinstance(results, (tuple, list)) else [results]
    given = list(args)

    def other_keys(tree: Any) -> Any:
        return jax.tree_util.tree_map(lambda leaf: another(jax, leaf, number), tree)

    for index, argument in enumerate(given):
        kind = _kind(jax, argument)
        fits = next((part for part in parts if kind and _kind(jax, part) == kind), None)
        if fits is not None:
            given[index] = fits
            parts.remove(fits) if not hasattr(fits, "dtype") else None
        else:
            given[index] = other_keys(argument)
    leaves, _ = jax.tree_util.tree_flatten((tuple(given), other_keys(kwargs)))
    return [leaves[index] for index in captured.dynamic]


def _kind(jax: Any, tree: Any) -> object:
    leaves, structure = jax.tree_util.tree_flatten(tree)
    shapes = tuple((getattr(x, "shape", None), str(getattr(x, "dtype", ""))) for x in leaves)
    return (str(structure), shapes) if leaves else None


# -- the checks ------------------------------------------------------------------------------------


def not_finite(jax: Any, captured: Captured, steps: int) -> Said | None:
    from gotcha_sanitizer.user.first_nan import first_nan

    if captured.has_effects:
        return None
    run = jax.jit(_call(captured, jax))
    for number, (arrays, results) in enumerate(_steps(jax, captured, steps, run)):
        leaves = jax.tree_util.tree_leaves(results)
        floats = [x for x in leaves if "float" in str(getattr(x, "dtype", ""))]
        if any(bool(jax.numpy.isnan(x).any()) for x in floats):
            found = first_nan(_call(captured, jax), *arrays)
            text = str(found).splitlines()[0] if found else "only its compiled form gives one"
            return Said(
                "not-finite",
                f"a NaN comes out of step {number}: {text}",
                "`gotcha-sanitize nan` shows what the operation was given",
                "error",
                found.site if found else None,
            )
    return None


def out_of_bounds(jax: Any, captured: Captured, steps: int) -> Said | None:
    from jax.experimental import checkify

    if captured.has_effects:
        return None
    checked = jax.jit(checkify.checkify(_call(captured, jax), errors=checkify.index_checks))
    error, _ = checked(*_arrays(captured))
    text = error.get()
    if text is None:
        return None
    return Said(
        "out-of-bounds",
        f"{_first_line(text)}; JAX clamps or drops it silently",
        "correct the index, or say what is meant: `x.at[i].get(mode='fill')`",
        "warning",
        _place(error.get_exception()),
    )


def static_index(jax: Any, captured: Captured, steps: int) -> Said | None:
    if not hasattr(jax.config, "jax_check_static_indices"):
        return None
    with _flag(jax, "jax_check_static_indices", True):
        return _raised(
            jax,
            captured,
            (IndexError,),
            "static-index",
            "correct the index: JAX clamps or drops it silently",
        )


def rank_promotion(jax: Any, captured: Captured, steps: int) -> Said | None:
    with jax.numpy_rank_promotion("raise"):
        said = _raised(
            jax,
            captured,
            (ValueError,),
            "rank-promotion",
            "write the axis that is meant: `x[None, :]`; `jax_numpy_rank_promotion=raise` keeps it",
            "info",
        )
    return said if said is not None and "rank_promotion" in said.message else None


def leaked_tracer(jax: Any, captured: Captured, steps: int) -> Said | None:
    with jax.checking_leaks():
        said = _raised(
            jax,
            captured,
            (Exception,),
            "leaked-tracer",
            "return the value from the function instead of storing it",
        )
    return said if said is not None and "eaked" in said.message else None


def key_reuse(jax: Any, captured: Captured, steps: int) -> Said | None:
    with jax.debug_key_reuse(True):
        return _raised(
            jax,
            captured,
            (jax.errors.KeyReuseError,),
            "key-reuse",
            "split the key before each use",
            run=not captured.has_effects,
        )


def transfer(jax: Any, captured: Captured, steps: int) -> Said | None:
    """What is sent to the device at each call, once all is compiled."""
    if captured.has_effects:
        return None
    run, arrays = jax.jit(_call(captured, jax)), jax.device_put(_arrays(captured))
    run(*arrays)
    try:
        with jax.transfer_guard_host_to_device("disallow"):
            run(*arrays)
    except Exception as error:
        if "transfer" not in str(error).lower():
            raise
        return Said(
            "transfer",
            f"each call moves data to the device: {_first_line(str(error))}",
            "put constants on the device once, and pass them as arguments",
            "info",
            _users_line(error),
        )
    return None


CHECKS: tuple[Check, ...] = (
    not_finite,
    out_of_bounds,
    static_index,
    rank_promotion,
    leaked_tracer,
    key_reuse,
    transfer,
)

OF_PROGRAMS = (not_finite, out_of_bounds)  # need no code of the user's


def _raised(
    jax: Any,
    captured: Captured,
    errors: tuple[type[Exception], ...],
    cause: str,
    advice: str,
    severity: str = "warning",
    run: bool = False,
) -> Said | None:
    """What tracing the function again raises, or running it."""
    function = _call(captured, jax)
    try:
        if run:
            jax.block_until_ready(jax.jit(function)(*_arrays(captured)))
        else:
            jax.make_jaxpr(function)(*_arrays(captured))
    except errors as error:
        return Said(cause, _first_line(str(error)), advice, severity, _users_line(error))
    return None


@contextlib.contextmanager
def _flag(jax: Any, name: str, value: object) -> Iterator[None]:
    before = getattr(jax.config, name)
    jax.config.update(name, value)
    try:
        yield
    finally:
        jax.config.update(name, before)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300].rstrip(".")


def _place(raised: Any) -> Site | None:
    """The user's line of an operation that checkify speaks of."""
    held = getattr(raised, "traceback_info", None)
    if held is None:
        return None
    frames = map(Frame, *held.raw_frames())
    return next((f.site for f in frames if owner(f.code.co_filename) == "user"), None)


def _users_line(error: BaseException) -> Site | None:
    """The innermost line of the user's in a traceback."""
    frames = [
        (frame.f_code, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if owner(frame.f_code.co_filename) == "user"
    ]
    if not frames:
        return None
    code, line = frames[-1]
    return Site(code.co_filename, line, code.co_qualname)


def _fact(now: float, captured: Captured, said: Said) -> Fact:
    call = f" with the arguments of call {captured.number}" if captured.number else ""
    return Fact(
        at=now,
        gotcha="failed-guard",
        message=f"`{captured.function}`, evaluated again under JAX's own checks{call}: "
        f"{said.message}",
        site=said.site or captured.site,
        function=captured.function,
        cause=said.cause,
        advice=said.advice,
        severity=said.severity,
    )


_running: list[Guarding] = []


def at_trace_end(context: Context, jaxpr: Any, function: str, site: Site | None) -> None:
    if _running:
        _running[-1].capture(jaxpr, function, site)


def install(context: Context) -> Callable[[], None]:
    if not context.options.guard:
        return lambda: None
    guarding = Guarding(context)
    _running.append(guarding)
    training.listeners.append(guarding.called)
    context.at_end(guarding.last)

    def uninstall() -> None:
        training.listeners.remove(guarding.called)
        _running.remove(guarding)

    return uninstall
