from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, last_word
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.fields import fields_filled
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
        fields = fields_filled(site)
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
