"""`x.at[i].set(v)` and other updates that return a new value, as statements of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.known import STATIC_ATTRIBUTES
from gotcha_lint.analysis.model import Imported
from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, literal, source_of, walk
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value
from gotcha_lint.facts import Fact
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.updates import (
    ARRAY_UPDATES,
    AT_UPDATES,
    COMPARISONS,
    PURE,
    STATE_UPDATES,
    STRUCTS,
)
from gotcha_lint.interpret.faults.remarks import CAST_UNDONE
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.rebind import rebindable
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.notebook import SEPARATOR


class DiscardedUpdate(Rule):
    """Throws away the result of an update that does not happen in place.

    ## What happens
    Nothing fails, and there is no message: `x.at[i].set(v)`, `state.replace(...)`,
    `state.apply_gradients(...)` and every `jnp` function return a new value and leave the old one
    as it was. A trainer that drops `apply_gradients` stays at step 0; a sampler that drops
    `logits.at[pad].set(-inf)` goes on drawing the pad token. A cast that is written to its own
    array, as in `weight[...] = weight[...].astype(jnp.bfloat16)` of a variable of nnx, only rounds:
    what is written is cast to the type that is there.

    ## Instead
    Bind the result: `x = x.at[i].set(v)`.

    ## Not reported
    Flax NNX objects and references (`jax.new_ref`, Pallas), which do change in place; the last
    expression of a notebook's cell, which is shown; calls that only look at shapes and structure.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                logits = jnp.ones(4)
                logits.at[0].set(-jnp.inf)  # ! discarded-update
            """,
            good="""
                import jax.numpy as jnp

                logits = jnp.ones(4)
                logits = logits.at[0].set(-jnp.inf)
            """,
            shows="bool(jnp.all(jnp.isfinite(logits)))",
        ),
    )

    def check(self, site: Discard) -> Iterator[Report]:
        call = site.body.call_of(site.node)
        if call is None or not isinstance(call.node, cst.Call):
            return
        subject = _subject(site.body, call)
        if subject is None or expected_to_fail(site.body, site.node) or _shown_below_cell(site):
            return
        name = rebindable(site.body, subject)
        fix = None
        if name:
            title = f"Bind the result to `{name}`"
            fix = Rewrite(title, (Change(site.node, before=f"{name} = "),), safe="." not in name)
        hint = f"; write `{name} = ...`" if name else ""
        yield Report(
            site.node,
            f"`{source_of(call.node.func, 40)}(...)` returns a new value and changes nothing, "
            f"and its result is thrown away{hint}",
            fix,
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["dropped"].values():
            yield Foreseen(
                (effect.path, effect.span),
                f"this returns a new `{effect.what}` and changes nothing, and its result is "
                "thrown away",
                tuple((*place, "the new one is made here") for place in effect.origins),
                certain=not effect.maybe,
            )
        for fault in programs.faults.of(CAST_UNDONE):
            yield Foreseen(
                (fault.path, fault.span),
                "`[...] =` casts back to the type that is there: the cast only rounds, and the "
                "array keeps its type",
                fault.places,
                fault.certain,
            )


def _subject(body: Body, call: Call) -> cst.CSTNode | None:
    """What was meant to be updated; the call itself where it is nothing that can be named."""
    func = call.node.func
    method = func.attr.value if isinstance(func, cst.Attribute) else ""
    if method in AT_UPDATES:
        updated = _through_at(func)
        if updated is not None:
            other = _is_reference(body, call.base, updated) or _has_its_own(body, updated)
            return None if other else updated
    if isinstance(func, cst.Attribute) and call.base is not None:
        return func.value if _updates_object(body, call.base, method) else None
    if call.name in PURE:
        return call.arg_node(PURE[call.name]) or call.node
    if not call.name.startswith("jax."):
        return None
    if call.name == "jax.tree.map" and len(call.args) > 1 and _maps_purely(body, call):
        return None if is_test(body.model.path) else call.arg_node(1) or call.node
    fact = body.fact(call)
    if fact.effect or fact.transform or fact.key is not None or fact.calls is not None:
        return None
    if is_test(body.model.path) and call.name not in COMPARISONS:
        return None  # that it runs is what is tested
    pure = call.name.startswith(("jax.numpy.", "jax.nn.")) and fact.returns.startswith("array")
    return call.node if pure and not _of_literals(call.node) else None


def _has_its_own(body: Body, node: cst.CSTNode) -> bool:
    """An object of a class of the project, whose `.at` is not that of an array."""
    value = body.names.get(dotted(node) or "", UNKNOWN)
    return value.kind is Kind.OBJECT and value.cls is not None


def _of_literals(node: cst.Call) -> bool:
    """`jnp.divide(0.0, 0.0)`: no array that was meant to change."""
    return all(literal(arg.value) is not None for arg in node.args)


_BETWEEN = SEPARATOR.strip("\n")
# `# %%` of editors, `# +` and `# -` of jupytext, `# In[3]:` of nbconvert.
_MARKER = re.compile(r"#\s?(%%|\+(\s|$)|-$|In\s?\[)")

_Statement = cst.BaseCompoundStatement | cst.SimpleStatementLine


def _shown_below_cell(site: Discard) -> bool:
    """The last expression of a cell: the notebook shows its value."""
    model = site.body.model
    if site.body.function.number != 0:
        return False
    statements: list[_Statement] = list(model.tree.body)
    for number, statement in enumerate(statements):
        if statement is site.at.statement:
            if after := statements[number + 1 : number + 2]:
                return _begins_cell(after[0])
            return model.path.endswith(".ipynb") or any(map(_begins_cell, statements))
    return False


def _begins_cell(statement: _Statement) -> bool:
    comments = [line.comment.value for line in statement.leading_lines if line.comment]
    return any(text == _BETWEEN or _MARKER.match(text) for text in comments)


def _through_at(func: cst.CSTNode) -> cst.BaseExpression | None:
    """`x` of `x.at[...].set`."""
    match func:
        case cst.Attribute(
            value=cst.Subscript(value=cst.Attribute(value=base, attr=cst.Name(value="at")))
        ):
            return base
    return None


def _is_reference(body: Body, base: Value | None, updated: cst.CSTNode) -> bool:
    # What a kernel is given looks like an array to the analysis, and so does what it hands on.
    if body.trace is not None and "pallas" in body.trace.roles:
        return True
    if _named_reference(body, updated):
        return True
    if base is not None and base.kind is Kind.OBJECT and base.of == "jax.at" and not base.maybe:
        return False
    return _imports_pallas(body)


def _named_reference(body: Body, updated: cst.CSTNode) -> bool:
    """`o_ref`, but for a name of this function's own that it gives an array to."""
    name = source_of(updated)
    held = body.names.get(name)
    return name.lower().endswith(("ref", "refs")) and not (
        held is not None and held.kind is Kind.ARRAY and not held.maybe and not held.param
    )


def _imports_pallas(body: Body) -> bool:
    """Its kernels store in place, through references of many names."""
    bound = body.model.module.scope.bound.values()
    return any("pallas" in str(how) for hows in bound for how in hows if isinstance(how, Imported))


def _updates_object(body: Body, base: Value, method: str) -> bool:
    if base.maybe:
        return False
    if base.kind is Kind.ARRAY:
        return method in ARRAY_UPDATES
    if base.kind is not Kind.OBJECT or method not in STATE_UPDATES:
        return False
    if base.cls is None:
        return base.of in STRUCTS
    project = body.project
    if project is None or project.method(base.cls, method) is not None:
        return False
    return project.is_a(base.cls, *STRUCTS) or not project.decorators(base.cls).isdisjoint(STRUCTS)


def _maps_purely(body: Body, call: Call) -> bool:
    """`jax.tree.map(lambda g: 2 * g, grads)`: its function computes, and does nothing else."""
    function = call.args[0]
    if function.kind is Kind.NAMED:
        return function.of.startswith(_PURE_MODULES) and _gives_arrays(body, function.of)
    node = call.arg_node(0)
    if not isinstance(node, cst.Lambda) or _only_looks(node.body):
        return False
    parts = list(walk(node.body))
    return not any(
        isinstance(part, cst.NamedExpr | cst.Await | cst.Yield) for part in parts
    ) and all(_computes(body, part) for part in parts if isinstance(part, cst.Call))


def _gives_arrays(body: Body, name: str) -> bool:
    """Not `jnp.shape`, `jnp.ndim`, `jnp.result_type`."""
    fact = body.project.facts.get(name) if body.project else Fact()
    return fact.returns.startswith("array")


def _only_looks(result: cst.BaseExpression) -> bool:
    """`None` for each leaf, which asks whether the trees are alike, or a leaf's shape and type."""
    match result:
        case cst.Name(value="None"):
            return True
        case cst.Attribute(attr=cst.Name(value=name)):
            return name in STATIC_ATTRIBUTES
        case cst.Tuple(elements=elements):
            return all(_only_looks(element.value) for element in elements)
    return False


def _computes(body: Body, call: cst.Call) -> bool:
    name = dotted(call.func) or ""
    _head, _, tail = name.partition(".")
    hows = lookup(body.function.scope, name) or []
    return bool(hows) and all(
        isinstance(how, Imported) and f"{how}.{tail}".startswith(_PURE_MODULES) for how in hows
    )


_PURE_MODULES = ("jax.numpy.", "jax.nn.")
