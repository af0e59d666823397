from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import At, Body, Call, Test
from gotcha_lint.analysis.syntax import dotted, last_word, literal, names_in, target_names, walk
from gotcha_lint.facts.removed import REMOVED, Removed
from gotcha_lint.queries.removed_uses import qualified
from gotcha_lint.rule import Example, Report, Rule, text_of


class RemovedBehindHasattr(Rule):
    """Asks for a name that is gone with `hasattr`, and has no other way for newer releases.

    ## What happens
    No error. `hasattr` is False from the release on that no longer has the name, and what stands
    under the `if` never runs again: caches stay full, the report lacks a line.

    ## Instead
    Write the new way; the old one into an `else` branch, if older releases are still served. The
    message names the replacement. The releases to check against are those of `target-jax`,
    `target-flax` and `target-optax`.

    ## Not reported
    An `if` with `else` or `elif`, or that leaves the function; blocks that set a name which is used
    elsewhere; functions that use the replacement as well, or ask for a version; classes, asked for
    to tell old objects; names that nothing replaces, as what they did is always on now.

    ## In a run
    Nothing: code that does not run leaves no trace.

    ## References
    https://docs.jax.dev/en/latest/changelog.html
    """

    roots = frozenset({"hasattr", "getattr"})
    examples = (
        Example(
            bad="""
                import jax

                report = [jax.__version__]
                if hasattr(jax.lib, "xla_bridge"):  # ! removed-behind-hasattr
                    report.append(jax.lib.xla_bridge.get_backend().platform)
            """,
            good="""
                import jax

                report = [jax.__version__]
                report.append(jax.default_backend())
            """,
            shows="len(report) == 1",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        for asked in _asked_for(site):
            row = asked.row
            gone = row.instead and self.options.has_reached(row.library, row.since)
            if gone and _does_nothing_else(site, asked):
                yield Report(
                    asked.test,
                    f"`{asked.name}` is gone from {row.by}, and without an `else` this silently "
                    f"does nothing there; use {row.instead}",
                )


_LEAVES = (cst.Return, cst.Raise, cst.Continue, cst.Break, cst.Yield)
_KEEPS = (cst.FunctionDef, cst.ClassDef, cst.Del, cst.Global, cst.Nonlocal)
_ASKING = frozenset({"builtins.hasattr", "builtins.getattr"})
_NAME = re.compile(r"\w+(?:\.\w+)+")


class _Asked(NamedTuple):
    block: cst.If
    test: cst.BaseExpression
    name: str
    row: Removed


def _asked_for(body: Body) -> Iterator[_Asked]:
    """The `if`s without another branch whose body uses the removed name that they ask for."""
    if not any(call.name in _ASKING for call in body.of(Call)):
        return
    tests = {id(site.node): site.at for site in body.of(Test)}
    nodes = list(walk(body.function.node, into_functions=False))
    chained = {id(node.orelse) for node in nodes if isinstance(node, cst.If)}
    for node in nodes:
        if not isinstance(node, cst.If) or node.orelse is not None or id(node) in chained:
            continue
        for part in _joined(node.test):
            call = _call(body, tests.get(id(part)), part)
            name = _asked(body, call) if call is not None else ""
            if call is not None and name in REMOVED and _uses(node, part, name):
                yield _Asked(node, part, name, REMOVED[name])


def _does_nothing_else(body: Body, asked: _Asked) -> bool:
    """Nothing reads what the block makes, and nothing beside it does the same in another way."""
    nodes = list(walk(asked.block.body))
    if any(isinstance(node, (*_LEAVES, *_KEEPS)) for node in nodes):
        return False
    kept = set(_kept(nodes))
    new = _NAME.search(asked.row.instead)
    if new is not None:
        word = new[0].rpartition(".")[2]
        kept |= {word, repr(word)}
    inside = {id(node) for node in walk(asked.block)}
    outside = [n for n in walk(body.function.node) if id(n) not in inside]
    return "" not in kept and kept.isdisjoint(_mentioned(outside)) and not _by_version(outside)


def _joined(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The conditions that `and` joins."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from (*_joined(test.left), *_joined(test.right))
    else:
        yield test


def _call(body: Body, at: At | None, part: cst.CSTNode) -> cst.Call | None:
    """`hasattr(x, "n")`, `getattr(x, "n", None)`, that `is not None`, or a name for it."""
    match part:
        case cst.Comparison(
            left=left,
            comparisons=[
                cst.ComparisonTarget(operator=cst.IsNot(), comparator=cst.Name(value="None"))
            ],
        ):
            part = left
    if isinstance(part, cst.NamedExpr):
        part = part.value
    part = Flowing(body, at).resolve(part)
    return part if isinstance(part, cst.Call) else None


def _asked(body: Body, call: cst.Call) -> str:
    """The qualified name that the call asks for."""
    match call:
        case cst.Call(func=cst.Name(value="hasattr"), args=[owner, name]):
            pass
        case cst.Call(
            func=cst.Name(value="getattr"), args=[owner, name, cst.Arg(cst.Name(value="None"))]
        ):
            pass
        case _:
            return ""
    whole, word = dotted(owner.value), literal(name.value)
    known = whole is not None and isinstance(word, str)
    return qualified(body, f"{whole}.{word}", body.function.scope) if known else ""


def _uses(block: cst.If, part: cst.BaseExpression, name: str) -> bool:
    """The block works with what was asked for; a class is asked for to tell old objects."""
    word = name.rpartition(".")[2]
    own = {word} | (names_in(part) - {"hasattr", "getattr", "None"} - set(name.split(".")))
    return word.islower() and not own.isdisjoint(names_in(block.body))


def _kept(nodes: list[cst.CSTNode]) -> Iterator[str]:
    """The names that the block sets, keys in quotes; "" for what else it stores in."""
    for node in nodes:
        match node:
            case cst.AssignTarget(target=target) | cst.NamedExpr(target=target):
                yield from _target(target)
            case cst.AnnAssign(target=target) | cst.AugAssign(target=target):
                yield from _target(target)
            case cst.ImportAlias():
                yield last_word(node.asname.name if node.asname else node.name)


def _target(target: cst.CSTNode) -> Iterator[str]:
    match target:
        case cst.Name() | cst.Tuple() | cst.List():
            yield from (name.value for name in target_names(target))
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=key))]):
            word = literal(key)
            yield repr(word) if isinstance(word, str) else ""
        case _:
            yield ""


def _mentioned(nodes: list[cst.CSTNode]) -> Iterator[str]:
    """Names, and strings in quotes."""
    for node in nodes:
        if isinstance(node, cst.Name):
            yield node.value
        elif isinstance(node, cst.SimpleString):
            yield repr(literal(node))


def _by_version(nodes: list[cst.CSTNode]) -> bool:
    return any(isinstance(node, cst.If) and "version" in text_of(node.test) for node in nodes)
