"""Is this value abstract here: would Python fail to see its number?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import libcst as cst

from gotcha_lint.analysis.flags import unseen
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Body, Place, Test, Trace
from gotcha_lint.analysis.syntax import ends, walk
from gotcha_lint.analysis.values import Kind, Value, is_tracer
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import text_of

# Under these alone Python still sees the numbers: `if`, `int` and `.item` work.
CONCRETE_ROLES = frozenset({"grad", "value_and_grad", "jvp", "custom", "inline"})
_CAREFUL = ("Tracer", "is_concrete", "disable_jit", "concrete_or_error", "is_traced")
# Checks that are switched off where the code is traced.
_OPTIONAL = ("check", "valid", "debug")


def surely_traced(body: Body) -> bool:
    """Seen to be given to a transform, or called from such a function, and not by a test alone."""
    return body.trace is not None and not body.trace.soft and not _traced_by_test(body)


def _traced_by_test(body: Body) -> bool:
    """What a test traces, or gives to code that traces it, works, or fails on purpose."""
    chain = body.trace.chain if body.trace else ()
    return bool(chain) and (is_test(chain[0][0][0]) or is_test(body.model.path))


def abstract(body: Body) -> bool:
    """Traced so that arrays have no values: under jit, scan and their kin, not under grad alone."""
    trace = body.trace
    if trace is None or not surely_traced(body):
        return False
    return trace.staged or _mapped(body)


def _mapped(body: Body) -> bool:
    """The only parameter of a vmapped function is mapped; others may be `in_axes=None`."""
    trace = body.trace
    if trace is None or not trace.direct or not trace.roles <= CONCRETE_ROLES | {"vmap"}:
        return False
    return (
        "vmap" in trace.roles and sum(p.name not in trace.static for p in body.function.params) == 1
    )


def is_traced(value: Value) -> bool:
    """Surely a traced array, or a pytree of them: as a number or a size both fail."""
    return is_tracer(value) or (value.tracer and not value.maybe and value.kind is Kind.UNKNOWN)


def tracers(value: Value) -> Iterator[Value]:
    """The surely traced arrays in a value: itself, or those of a tuple or a list."""
    if is_traced(value):
        yield value
    elif value.kind in (Kind.TUPLE, Kind.LIST) and not value.maybe and value.of != "dict":
        for item in value.items:
            yield from tracers(item)


def guarded(place: Place) -> bool:
    """An `if` before it asks whether the value is a tracer at all, or a `try` takes the failure."""
    return foreseen(place) or expected_to_fail(place.body, place.node)


def foreseen(place: Place) -> bool:
    """An `if` before it asks whether the value is a tracer, or it waits for what is never given."""
    body, names = place.body, [n.value for n in walk(place.node) if isinstance(n, cst.Name)]
    words = (*_CAREFUL, *(f"isinstance({name}," for name in names))
    tests = [text_of(t.node) for t in body.of(Test) if t.at.order <= place.at.order]
    around = [text_of(guard.test) for guard in place.at.guards]
    return (
        any(word in test for test in tests for word in words)
        or _asked_around(body.function.parent)
        or any(word in test for test in around for word in _OPTIONAL)
        or left_before(place)
        or not_asked_for(place)
    )


def _asked_around(function: Function | None) -> bool:
    """A function around it refuses tracers, or takes another way for them."""
    while function is not None and function.number != 0:
        tests = (node.test for node in walk(function.node) if isinstance(node, cst.If))
        if any(word in text_of(test) for test in tests for word in _CAREFUL):
            return True
        function = function.parent
    return False


def is_flag(site: Test) -> bool:
    """A parameter annotated as bool, of a helper: its callers give it True or False."""
    trace = site.body.trace
    name = site.node.value if isinstance(site.node, cst.Name) else ""
    annotations = [p.annotation for p in site.body.function.params if p.name == name]
    helper = trace is not None and not trace.direct
    return helper and any(a is not None and "bool" in text_of(a) for a in annotations)


# Branches of an inner function for a None that the function around has returned on already


def left_before(place: Place) -> bool:
    """Under `if given is None`, of a captured `given`: what is traced later has one."""
    function, trace = place.body.function, place.body.trace
    outer = function.parent
    if outer is None or isinstance(outer.node, cst.Module) or trace is None or not trace.direct:
        return False
    asked = {_none(guard.test) for guard in place.at.guards if guard.when} & set(function.captured)
    return bool(asked) and not asked.isdisjoint(_returned_on(outer.node, function.name))


def _returned_on(function: cst.CSTNode, inner: str) -> set[str]:
    """The names of which it leaves where they are None, before it gives `inner` to anybody."""
    left, also = set[str](), dict[str, str]()
    for node in lines_of(function).statements:
        if inner in _given_away(node):
            break
        match node.body[0] if isinstance(node, cst.SimpleStatementLine) else node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=new))], value=cst.Name(value=old)
            ):
                also[new] = old
            case cst.If(test=test, body=cst.IndentedBlock(body=[*_, last])) if _leaves(last):
                left.add(_none(test))
    return left | {also[name] for name in left & also.keys()}


def _given_away(statement: cst.CSTNode) -> set[str]:
    """Names that stand for themselves there, and are not only called."""
    if isinstance(statement, cst.FunctionDef):
        return set()
    called = {id(node.func) for node in walk(statement) if isinstance(node, cst.Call)}
    return {n.value for n in walk(statement) if isinstance(n, cst.Name) and id(n) not in called}


def _none(test: cst.CSTNode) -> str:
    """`x` of `x is None`."""
    match test:
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[
                cst.ComparisonTarget(operator=cst.Is(), comparator=cst.Name(value="None"))
            ],
        ):
            return name
    return ""


def _leaves(statement: cst.CSTNode) -> bool:
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return any(isinstance(part, cst.Return | cst.Raise) for part in small)


# The statements of a function's body in order, and which of them mention a name


class Lines(NamedTuple):
    statements: tuple[cst.CSTNode, ...]
    places: dict[int, int]  # of each statement, by its id
    mentions: dict[str, list[int]]  # places of the statements that have the name somewhere

    def after(self, place: int, names: set[str]) -> list[int]:
        """The places behind this one whose statements mention one of the names."""
        return sorted({at for name in names for at in self.mentions.get(name, ()) if at > place})


@lru_cache(maxsize=4)
def lines_of(function: cst.CSTNode) -> Lines:
    body: Any = function if isinstance(function, cst.Module) else getattr(function, "body", None)
    statements = tuple(getattr(body, "body", ()))
    mentions: dict[str, list[int]] = {}
    for place, statement in enumerate(statements):
        for name in {part.value for part in walk(statement) if type(part) is cst.Name}:
            mentions.setdefault(name, []).append(place)
    return Lines(statements, {id(each): n for n, each in enumerate(statements)}, mentions)


# Places that wait for an optional argument, which no traced call is seen to give or leave out


def not_asked_for(place: Place) -> bool:
    """In a helper of traced code, under `if n is None:`, where all calls seem to give `n`.

    So too under `if debug:`, and behind an `if n is None: return ...`.
    """
    body = place.body
    if body.trace is None or not body.said or _is_boundary(body.trace):
        return False
    around = ((guard.test, guard.when) for guard in place.at.guards)
    return any(unseen(body.said, test, when) for test, when in (*around, *_left_on(place)))


def _is_boundary(trace: Trace) -> bool:
    """Given to jit itself: who calls it then is not seen. A loop's body is called by the loop."""
    role = trace.chain[-1][1].partition(" of ")[0] if trace.chain else ""
    return trace.direct and (not role or role in BOUNDARIES)


def _left_on(place: Place) -> list[tuple[cst.CSTNode, bool]]:
    """The conditions on which the function has returned before."""
    node = place.body.function.node
    found: list[tuple[cst.CSTNode, bool]] = []
    for part in node.body.body if isinstance(node, cst.FunctionDef) else ():
        if any(each is place.at.statement for each in walk(part)):
            break
        if isinstance(part, cst.If) and part.orelse is None and ends(part.body):
            found.append((part.test, False))
    return found
