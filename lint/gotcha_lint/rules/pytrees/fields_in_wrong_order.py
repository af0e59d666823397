from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, last_word, literal
from gotcha_lint.analysis.values import ClassId, Kind
from gotcha_lint.facts.classes import DATACLASS_DECORATORS, NAMED_TUPLE
from gotcha_lint.facts.fields import FIELDS
from gotcha_lint.queries.constants import constant
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_FEWEST = 2  # that can be exchanged
_BEFORE = ("new_", "next_", "updated_")
_AFTER = ("_new", "_next", "_inc", "_fn", "_")
# Functions that exchange on purpose what is alike.
_TURNS = ("swap", "transpose", "reverse", "flip", "invert", "inverse", "mirror", "exchange")


class FieldsInWrongOrder(Rule):
    """Fills the fields of a state in another order than the class has them.

    ## What happens
    `ScaleByAdamState(count, nu, mu)` puts the second moment where the first belongs. Both are trees
    of the same shapes, so that nothing fails: the optimizer takes the root of a momentum, and the
    parameters become NaN, or train badly. Where the shapes differ, the next step of a `lax.scan` or
    a restore fails far from here, with two structures that are not alike.

    ## Instead
    Give the fields by name: `ScaleByAdamState(count=count, mu=mu, nu=nu)`.

    ## Not reported
    Arguments whose names are not those of fields; one that is out of place alone, as in a history
    that moves on (`History(new, last)`); two attributes of one object, exchanged; functions that
    say so (`swap`, `transpose`, `reverse`); names of one letter.

    ## In a run
    Nothing: what is meant for which field only the names tell.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                count = jnp.asarray(10)
                mu, nu = {"w": jnp.full(3, -0.1)}, {"w": jnp.full(3, 0.01)}
                state = optax.ScaleByAdamState(count, nu, mu)  # ! fields-in-wrong-order
                updates, state = optax.scale_by_adam().update({"w": jnp.ones(3)}, state)
            """,
            good="""
                import jax.numpy as jnp
                import optax

                count = jnp.asarray(10)
                mu, nu = {"w": jnp.full(3, -0.1)}, {"w": jnp.full(3, 0.01)}
                state = optax.ScaleByAdamState(count, mu, nu)
                updates, state = optax.scale_by_adam().update({"w": jnp.ones(3)}, state)
            """,
            shows="bool(jnp.isnan(updates['w']).any())",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        given = [arg.value for arg in site.node.args if arg.keyword is None]
        if site.decorator or site.starred or sum(map(bool, map(last_word, given))) < _FEWEST:
            return
        fields = _fields_filled(site)
        given = given[: len(fields)]
        meant = [_field_of(value, fields) for value in given]
        turn = _exchanged(meant, fields) if len(set(fields)) == len(fields) else []
        if not turn or _on_purpose(site, [given[place] for place in turn]):
            return
        if expected_to_fail(site.body, site.node):
            return
        wrong = ", ".join(f"`{text_of(given[place])}` into `{fields[place]}`" for place in turn)
        at = {meant[place]: given[place] for place in turn}
        changes = (Change(given[place], like=at[fields[place]]) for place in turn)
        yield Report(
            site.node,
            f"this puts {wrong}: `{text_of(site.node.func)}` has its fields in the order "
            f"{', '.join(fields)}",
            Rewrite("Put them in the order of the fields", tuple(changes), safe=False),
        )


def _field_of(value: cst.BaseExpression, fields: Sequence[str]) -> str:
    """The field that a variable or an attribute is named after; empty where it is none."""
    word = last_word(value)
    if word in fields:
        return word if len(word) > 1 else ""
    bare = (word.removeprefix(one) for one in _BEFORE)
    bare = (*bare, *(word.removesuffix(one) for one in _AFTER))
    return next((one for one in bare if one in fields and len(one) > 1), "")


def _exchanged(meant: Sequence[str], fields: Sequence[str]) -> list[int]:
    """Places of which each holds what belongs to the next, and the last to the first."""
    belongs = {place: fields.index(name) for place, name in enumerate(meant) if name}
    for start in belongs if len(set(belongs.values())) == len(belongs) else ():
        turn = [start]
        while (after := belongs.get(turn[-1])) not in (None, *turn):
            turn.append(after)
        if len(turn) > 1 and after == start:
            return turn
    return []


def _on_purpose(site: Call, values: Sequence[cst.BaseExpression]) -> bool:
    attributes = [value for value in values if isinstance(value, cst.Attribute)]
    owners = {dotted(attribute.value) for attribute in attributes}
    both = len(attributes) == len(values) == _FEWEST and len(owners) == 1
    name = site.body.function.qualname.lower()
    return both or any(word in name for word in _TURNS)


_BASES = frozenset({"flax.struct.PyTreeNode", "equinox.Module", "builtins.object", "object"})


def _fields_filled(call: Call) -> tuple[str, ...]:
    """Nothing where what is called is no such class, or its order is not known."""
    project, callee = call.body.project, call.callee
    if project is not None and callee.kind is Kind.CLASS and callee.cls is not None:
        return _of_class(project, callee.cls)
    if isinstance(call.node.func, cst.Name) and callee.kind is not Kind.FUNCTION:
        return FIELDS.get(call.name) or _of_factory(constant(call.body, call.node.func.value))
    return FIELDS.get(call.name, ())


def _of_class(project: Project, cid: ClassId) -> tuple[str, ...]:
    own, outside = project.ancestors(cid)
    if any(project.method(cid, name) for name in ("__init__", "__new__")):
        return ()
    if outside == {NAMED_TUPLE}:
        return project.cls(cid).fields if len(own) == 1 else ()
    known = outside <= _BASES and all(len(project.cls(one).bases) <= 1 for one in own)
    if known and (outside or not project.decorators(cid).isdisjoint(DATACLASS_DECORATORS)):
        every = (field for one in reversed(own) for field in project.cls(one).fields)
        return tuple(dict.fromkeys(every))
    return ()


def _of_factory(made: cst.BaseExpression | None) -> tuple[str, ...]:
    """`Step = namedtuple("Step", ["state", "action"])`, also with the names in one string."""
    match made:
        case cst.Call(
            func=cst.Name(value="namedtuple") | cst.Attribute(attr=cst.Name(value="namedtuple")),
            args=[_, cst.Arg(value=names), *_],
        ):
            told = literal(names)
            words = told.replace(",", " ").split() if isinstance(told, str) else told
            return tuple(words or ())
    return ()
