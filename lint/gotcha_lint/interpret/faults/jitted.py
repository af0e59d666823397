"""Static and donated arguments that the function lacks: `jax.jit` refuses it."""

from __future__ import annotations

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Constant, Object, Tuple, Value
from gotcha_lint.interpret.compiled import Inner
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine

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
