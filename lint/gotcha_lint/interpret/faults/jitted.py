"""Static and donated arguments that the function lacks: `jax.jit` refuses it."""

from __future__ import annotations

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Constant, Object, Tuple, Value
from gotcha_lint.interpret.compiled import Inner
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.lost_stores import lost_stores
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function

LOST_STORE = "lost store"
NOT_A_PARAMETER = "not a parameter"
_SAME_SIGNATURE = frozenset(
    ("partial", "jit", "pmap", "grad", "value_and_grad", "vmap", "checkpoint")
)
_NAMES = ("static_argnames", "donate_argnames")
_POSITIONS = ("static_argnums", "static_broadcasted_argnums", "donate_argnums")
_LENIENT = ("pmap", "donate_argnums")  # it takes any position (jax 0.10.2 to 0.12.0)


def check_jit(machine: Machine, site: Site, span: Span) -> None:
    """Names and positions of arguments, against the parameters of the function."""
    given: dict[str, Value] = site.info["keywords"]
    asked = [word for word in (*_NAMES, *_POSITIONS) if word in given]
    inner = Inner(machine, site.info["inner"]) if asked else None
    if inner is None or inner.function is None or not _keeps_signature(site.info["inner"]):
        return
    parameters = inner.function.parameters
    kinds = {p.kind for p in parameters}
    positional = [p.name for p in parameters if p.kind == "pos"][inner.bound :]
    names = {*positional, *(p.name for p in parameters if p.kind == "kw")}
    count = len(positional)
    for word in asked:
        known = _written(machine, given[word])
        if word in _NAMES and "**" not in kinds:
            wrong = [each for each, _ in known if each not in names]
        elif word in _POSITIONS and "*" not in kinds and (site.info["word"], word) != _LENIENT:
            numbers = [each for each, _ in known if isinstance(each, int)]
            wrong = [each for each in numbers if not -count <= each < count]
        else:
            continue
        if wrong:
            text = (str(wrong[0]), word, str(tuple(each for each, _ in known)), str(count))
            remark(machine, NOT_A_PARAMETER, span, *text, at=_by_caller(machine, known))
            return


def _keeps_signature(value: Value) -> bool:
    """Does each transform around the function take what the function takes?"""
    atom = value.only
    while isinstance(atom, Object) and atom.site.kind == "transform":
        if atom.site.info["word"] not in _SAME_SIGNATURE:
            return False
        atom = atom.site.info["inner"].only
    return True


def _written(machine: Machine, value: Value) -> list[tuple[object, Origin | None]]:
    """The names or numbers that are written out, and where; none, where one is not known."""
    content = contents(machine, value)
    parts = content.items if isinstance(content, Tuple) else (value,)
    atoms = [part.only for part in parts]
    known = [(atom.value, atom.origin) for atom in atoms if isinstance(atom, Constant)]
    return known if len(known) == len(atoms) else []


def _by_caller(machine: Machine, known: list[tuple[object, Origin | None]]) -> Origin | None:
    """Where the option is written, if a caller of this function has written it."""
    function = machine.activation.function
    for _, origin in known:
        if origin is None or function.is_module or function.is_class:
            continue
        path, span = origin
        if path != function.path or not function.line <= span[0] <= function.end_line:
            return origin
    return None


REBUILDING = frozenset(("jit", "pmap", "shard_map", "vmap"))
"""Transforms that take their arguments apart and build them again."""


def check_stores(
    machine: Machine, inner: Value, word: str, static: set[str], library: str = ""
) -> None:
    """`params["w"] = w` in the function itself: the caller's dictionary stays as it was."""
    function = _itself(inner)
    if function is None or library.startswith("flax.nnx."):
        return
    names = {p.name for p in function.parameters if p.kind in ("pos", "kw")} - static
    stores = list(lost_stores(machine.modules[function.path], function, names))
    for store in stores if stores and not _is_called_plainly(machine, function) else ():
        at = function.path, store.span
        remark(machine, LOST_STORE, store.span, store.parameter, word, function.name, at=at)


def _itself(inner: Value) -> Function | None:
    """The function that is jitted, not what a gradient is taken of: that is given the same."""
    atom = inner.only
    while isinstance(atom, Object) and atom.site.info.get("word") == "partial":
        atom = atom.site.info["inner"].only
    if isinstance(atom, Object) and atom.site.kind == "function":
        return atom.site.info["function"]
    return None


def _is_called_plainly(machine: Machine, function: Function) -> bool:
    """Somewhere its plain name is called, where the caller sees what is stored."""
    parent = function.parent
    bound = [] if parent is None else [
        i for i in steps_of(parent) if i[0] == "store" and i[2] == function.name
    ]  # fmt: skip
    if function.first not in (0, function.line) or len(bound) > 1:
        return False
    method = parent is not None and parent.is_class
    for path in machine.visible:
        for other in machine.modules[path].functions:
            words = {
                i[1]: i[3] if method else i[2]
                for i in steps_of(other)
                if i[0] == ("attr" if method else "load")
            }
            calls = (i for i in steps_of(other) if i[0] == "call")
            if any(words.get(i[2]) == function.name for i in calls):
                return True
    return False
