"""What a walrus binds, and where that is known to be true."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Test
from gotcha_lint.analysis.syntax import parents, source_of, walk
from gotcha_lint.facts.flags import FLAGS, WORDS
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_ARRAYS = ("jax.numpy.", "jax.lax.", "jax.nn.")
_LOGIC = (cst.BitAnd, cst.BitOr, cst.BitXor)


class WalrusBindsComparison(Rule):
    """Binds the answer of a comparison by `:=`, and goes on as if it were the value compared.

    ## What happens
    `:=` has the lowest precedence: `if mask := batch.get("mask") is not None:` makes `mask` True,
    whatever the batch holds. True is a mask for `jnp.where`, a number for `*`, an index for
    `x[mask]`, so that nothing fails: the mask is without effect.

    ## Instead
    `if (mask := batch.get("mask")) is not None:`

    ## Not reported
    Names that are only asked for their truth, handed to an argument by name, or called like a flag
    (`has_mask`, `training`); what is bound again under the `if`; comparisons by `==` and `in`.

    ## In a run
    Nothing: no error, and no operation that should not be there.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                batch = {"x": jnp.arange(4.0), "mask": jnp.array([True, True, False, False])}
                x = batch["x"]
                if mask := batch.get("mask") is not None:  # ! walrus-binds-comparison
                    x = jnp.where(mask, x, 0.0)
            """,
            good="""
                import jax.numpy as jnp

                batch = {"x": jnp.arange(4.0), "mask": jnp.array([True, True, False, False])}
                x = batch["x"]
                if (mask := batch.get("mask")) is not None:
                    x = jnp.where(mask, x, 0.0)
            """,
            shows="float(x.sum()) == 6.0",
        ),
    )

    def check(self, site: Test) -> Iterator[Report]:
        walrus, compared = site.node, _compared_in(site.node)
        if not isinstance(walrus, cst.NamedExpr) or compared is None:
            return
        branch = _branch_of(site.body, walrus)
        if branch is None:
            return
        name, left = text_of(walrus.target), source_of(compared.left, 40)
        reads = _reads(site.body, branch.body, name)
        handed = _is_optional(compared) and not _is_flag(name)
        above = parents(branch.body)
        uses = [read for read in reads if _wants_value(site.body, read, above, handed)]
        if uses:
            every = [read for read in names_read(site.body.function.node) if read.value == name]
            yield Report(
                walrus,
                f"`{name}` is True, not `{left}`: `:=` binds the whole comparison; write "
                f"`({name} := {left})`",
                Rewrite(
                    f"Bind `{left}`",
                    (Change(walrus.target, before="("), Change(compared.left, after=")")),
                    safe=len(uses) + 1 == len(every),  # and the walrus itself
                ),
                ((uses[0], "used as a value"),),
            )


def _reads(body: Body, block: cst.CSTNode, name: str) -> list[cst.Name]:
    """Where a block reads the name; nowhere, where the name gets another value there."""
    inside = {id(node) for node in walk(block, into_functions=name in body.function.shared)}
    if any(bind.name == name and id(bind.node) in inside for bind in body.of(Bind)):
        return []
    return [read for read in names_read(block) if read.value == name and id(read) in inside]


def _is_optional(compared: cst.Comparison) -> bool:
    return isinstance(compared.comparisons[0].operator, cst.IsNot)


def _is_flag(name: str) -> bool:
    words = name.lower().split("_")
    return name in FLAGS or words[-1].endswith("ed") or not WORDS.isdisjoint(words)


def _wants_value(body: Body, read: cst.Name, above: dict[int, cst.CSTNode], handed: bool) -> bool:
    """It is computed with, looked into, or handed on to where True would be of no use."""
    outer = above.get(id(read))
    match outer:
        case cst.Attribute() | cst.Subscript() | cst.Index():
            return True
        case cst.BinaryOperation(operator=operator):
            return not isinstance(operator, _LOGIC)
        case cst.Arg(keyword=None):
            call = body.call_of(above.get(id(outer)))
            if call is None or call.name.startswith(_ARRAYS):
                return call is not None
            shows = call.name.startswith("builtins.") or body.fact(call).effect in ("print", "log")
            return handed and not shows
    return False


# Other comparisons are answered by True or False alone: nobody wants the value besides.
_ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


def _compared_in(walrus: cst.CSTNode) -> cst.Comparison | None:
    """The comparison that a walrus binds, where the value compared could be of use besides."""
    node = walrus.value if isinstance(walrus, cst.NamedExpr) else walrus
    while isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.And):
        node = node.left
    match node:
        case cst.Comparison(
            left=cst.Call() | cst.Subscript() | cst.Attribute() | cst.BinaryOperation(),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=other)],
        ) if not node.lpar:
            none = isinstance(operator, cst.IsNot) and text_of(other) == "None"
            return node if none or isinstance(operator, _ORDER) else None
    return None


def _branch_of(body: Body, walrus: cst.CSTNode) -> cst.If | cst.While | None:
    """The `if` or `while` whose body runs only where the walrus is true."""
    for node in walk(body.function.node):
        if isinstance(node, cst.If | cst.While) and any(p is walrus for p in _needed(node.test)):
            return node
    return None


def _needed(test: cst.BaseExpression) -> Iterator[cst.CSTNode]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _needed(test.left)
        yield from _needed(test.right)
    else:
        yield test
