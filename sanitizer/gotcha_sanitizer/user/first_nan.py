"""`first_nan(step, *args)`: the operation that made the first NaN, and what it was given."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gotcha_sanitizer.explain.non_finite import Reason, reason
from gotcha_sanitizer.guard import unseen
from gotcha_sanitizer.values.parts import Site

if TYPE_CHECKING:
    from gotcha_sanitizer.hooks.jaxpr.evaluate import Operation, Origin
    from gotcha_sanitizer.hooks.jaxpr.ranges import Range


@dataclass(frozen=True)
class NonFinite:
    """The first operation that made a NaN (or an infinity, where no NaN is made).

    `path` leads there: names of jitted functions, `scan iteration 1 of 3`, `branch 0 of cond`.
    `scope` holds the named scopes. `argument` is set, and the rest empty, where no operation made
    it: an argument had it. `cause` is the infinity that a NaN was made from.
    """

    kind: str  # nan or inf
    primitive: str
    site: Site | None
    scope: str
    path: tuple[str, ...]
    backward: bool
    operands: tuple[Range, ...]
    argument: str = ""
    cause: NonFinite | None = None

    def __str__(self) -> str:
        return "\n".join(self._lines())

    @property
    def reason(self) -> Reason | None:
        """Why the operation made it, with a name; None where its operands do not show that."""
        return reason(self.kind, self.primitive, self.backward, self.operands)

    def _lines(self) -> Iterator[str]:
        if self.argument:
            yield f"no operation made the {self.kind}: {self.argument} already contains it"
            return
        passes = "backward" if self.backward else "forward"
        where = f" at {self.site.path}:{self.site.line}" if self.site else ""
        function = f" in `{self.site.function}`" if self.site and self.site.function else ""
        yield f"first {self.kind}: `{self.primitive}`{where}{function}, {passes} pass"
        if self.site and (line := linecache.getline(self.site.path, self.site.line).strip()):
            yield f"  {self.site.line:>5} | {line}"
        if (why := self.reason) is not None:
            yield f"  why: {why}"
        if self.path:
            yield f"  in: {' > '.join(self.path)}"
        if self.scope:
            yield f"  scope: {self.scope}"
        for operand in self.operands:
            yield f"  given: {_words(operand)}"
        if self.cause is not None and self.cause.argument:
            yield f"  from an infinity in {self.cause.argument}"
        elif self.cause is not None:
            head, *rest = str(self.cause).splitlines()
            yield f"  from an infinity: {head.removeprefix('first inf: ')}"
            yield from (f"  {line}" for line in rest)


def _words(operand: Range) -> str:
    shape = f"{operand.dtype}[{','.join(map(str, operand.shape))}]"
    if operand.low is None:
        values = "no finite element"
    elif operand.low == operand.high:
        values = f"all {operand.low:.6g}"
    else:
        values = f"min {operand.low:.6g}, max {operand.high:.6g}"
    counts = ((operand.nans, "nan"), (operand.infs, "inf"))
    return ", ".join([f"{shape} {values}", *(f"{n} x {what}" for n, what in counts if n)])


def first_nan(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> NonFinite | None:
    """Evaluates `fn(*args, **kwargs)` step by step and names what made its first NaN.

    Only a NaN that reaches a result counts: one that `jnp.where` takes out again is none. Without a
    NaN, the first infinity that was made of finite values and reaches a result is told. A mask of
    `-inf` constants is no such thing.

    None: all results are finite when evaluated like this. The compiled program may still differ: it
    fuses operations and keeps other intermediate precisions.

    Inner functions, scans and loops run compiled and are entered only where the NaN appears.
    Nothing is donated. Arrays are arguments of the program, all else in `args` is as good as
    static. What `fn` does on the host (callbacks) happens at least once. Raises what tracing `fn`
    raises, and MissingInJax where this JAX has renamed what evaluates one operation.
    """
    with unseen():
        return _first_nan(fn, args, kwargs)


def _first_nan(fn: Callable[..., Any], args: Any, kwargs: Any) -> NonFinite | None:
    import jax

    from gotcha_sanitizer.hooks.jaxpr.evaluate import Evaluation, Inside

    leaves, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    dynamic = [i for i, (_, leaf) in enumerate(leaves) if _is_array(leaf)]

    def call(*arrays: Any) -> Any:
        whole = [leaf for _, leaf in leaves]
        for index, array in zip(dynamic, arrays, strict=True):
            whole[index] = array
        given, named = jax.tree_util.tree_unflatten(tree, whole)
        return fn(*given, **named)

    arrays = [leaves[index][1] for index in dynamic]
    names = [_name(jax.tree_util.keystr(leaves[index][0])) for index in dynamic]
    jaxpr = jax.make_jaxpr(call)(*arrays)
    found = None
    for through in (False, True):
        run = Evaluation(jax, through)
        values = [run.argument(a, name) for a, name in zip(arrays, names, strict=True)]
        outputs = run.run(jaxpr, values, Inside())
        found = _first([value.origin for value in outputs if value.origin]) or found
        if found is None or not found.argument:
            break
    return found


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and hasattr(leaf, "shape") and hasattr(leaf, "ndim")


def _name(key: str) -> str:
    """`[0][1]['w']` is `args[1]['w']`, `[1]['x']` is `x`."""
    if key.startswith("[0]"):
        return f"args{key[3:]}"
    name = re.match(r"\[1\]\['(\w+)'\]", key)
    return f"{name[1]}{key[name.end() :]}" if name else key


def _first(outputs: list[Origin]) -> NonFinite | None:
    """The earliest operation that a NaN in the outputs goes back to; else an infinity's."""
    nans = [origin for origin in outputs if origin.nan]
    if nans:
        return _earliest(nans, "nan")
    found = _earliest(outputs, "inf")
    return None if found is None or found.argument else found


def _earliest(starts: list[Origin], kind: str) -> NonFinite | None:
    sources = sorted(_sources(starts, kind), key=lambda origin: origin.number)
    made = next((origin for origin in sources if origin.operation), None)
    if made is not None and made.operation is not None:
        return _result(made, made.operation, kind)
    given = next((origin for origin in sources if origin.argument), None)
    return given and NonFinite(kind, "", None, "", (), False, (), given.argument)


def _sources(starts: list[Origin], kind: str) -> Iterator[Origin]:
    """Follows a NaN (or an infinity) back to where its operands had none."""
    todo, seen = list(starts), set()
    while todo:
        origin = todo.pop()
        if id(origin) in seen:
            continue
        seen.add(id(origin))
        before = [p for p in origin.parents if kind == "inf" or p.nan]
        todo += before
        if not before:
            yield origin


def _result(origin: Origin, operation: Operation, kind: str) -> NonFinite:
    infinite = [parent for parent in origin.parents if parent.inf and not parent.nan]
    cause = _earliest(infinite, "inf") if kind == "nan" and infinite else None
    return NonFinite(
        kind=kind,
        primitive=operation.primitive,
        site=operation.site,
        scope=_scopes(operation.scope),
        path=operation.path,
        backward="transpose(" in operation.scope,
        operands=operation.operands,
        cause=cause,
    )


def _scopes(scope: str) -> str:
    """`transpose(jvp(encoder))/block` is `encoder/block`."""
    plain = re.sub(r"\b(transpose|jvp|vmap|jit|pjit|checkpoint|rematted_computation)\b", "", scope)
    return "/".join(filter(None, re.sub(r"[()]", "", plain).split("/")))
