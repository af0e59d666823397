from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.reaching import Reaching
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.facts.optax import INTEGER_LABELS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Report, Rule, text_of

_REDUCES = frozenset({"mean", "sum", "average"})


class LabelIgnoreIndex(Rule):
    """Marks labels to be ignored with -100 or -1 and averages the cross entropy of all of them.

    ## What happens
    Nothing is ignored. `optax.softmax_cross_entropy_with_integer_labels` takes the label as an
    index from the end: -1 is scored as the last class, and -100 of 200 classes as class 100. With
    fewer than 100 classes it is NaN, and so is the whole mean.

    ## Instead
    Keep the mask and average what it keeps: `jnp.mean(losses, where=mask)`, with
    `jnp.where(mask, labels, 0)` as labels.

    ## Not reported
    Losses that are masked afterwards, and labels that come from elsewhere.
    """

    severity = "error"
    preview = True
    roots = frozenset({"softmax_cross_entropy_with_integer_labels"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                logits = jnp.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
                tokens = jnp.array([0, 1])
                mask = jnp.array([True, False])
                labels = jnp.where(mask, tokens, -100)
                cross_entropy = optax.softmax_cross_entropy_with_integer_labels
                loss = cross_entropy(logits, labels).mean()  # ! label-ignore-index
            """,
            good="""
                import jax.numpy as jnp
                import optax

                logits = jnp.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
                tokens = jnp.array([0, 1])
                mask = jnp.array([True, False])
                labels = jnp.where(mask, tokens, 0)
                cross_entropy = optax.softmax_cross_entropy_with_integer_labels
                loss = cross_entropy(logits, labels).mean(where=mask)
            """,
            shows="bool(jnp.isnan(loss))",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        labels = site.arg_node(1, "labels") if site.name in INTEGER_LABELS else None
        if labels is None or "where" in site.kwargs or site.starred:
            return
        flowing = Reaching(site.body, site.at)
        made = flowing.origin(labels)[0]
        ignored = _ignored(site.body, made)
        if ignored is None or is_test(site.body.model.path) or not _reduced(flowing, site.node):
            return
        effect = "the last class" if ignored == -1 else "a class from the end, or NaN"
        yield Report(
            site.node,
            f"`{text_of(labels)}` holds {ignored}, which is scored as {effect}: mask the losses",
            places=((made, "labels made here"),) if made is not labels else (),
        )


def _ignored(body: Body, node: cst.CSTNode) -> int | None:
    """The negative label in `jnp.where(mask, labels, -100)` or `labels.at[0].set(-100)`."""
    call = body.call_of(node)
    if call is None:
        return None
    last = call.name.rpartition(".")[2]
    if call.name == "jax.numpy.where":
        given = [call.arg(1, "x"), call.arg(2, "y")]
    elif last == "set" and ".at[" in text_of(call.node.func):
        given = [call.arg(0, "values")]
    else:
        return None
    numbers = [one.literal for one in given if one is not None and not one.maybe]
    return next((n for n in numbers if type(n) is int and n < 0), None)


def _reduced(flowing: Reaching, node: cst.CSTNode) -> bool:
    """All losses are summed up, as they are: the call is reduced, or the one use of its name."""
    outer = flowing.above.get(id(node))
    if isinstance(outer, cst.Assign) and len(outer.targets) == 1:
        target = outer.targets[0].target
        if not isinstance(target, cst.Name):
            return False
        uses = [use for use in flowing.loads[target.value] if use is not target]
        return len(uses) == 1 and _is_reduced(flowing, uses[0])
    return _is_reduced(flowing, node)


def _is_reduced(flowing: Reaching, node: cst.CSTNode) -> bool:
    """`losses.mean()` or `jnp.mean(losses)`, without `where=` or weights."""
    outer = flowing.above.get(id(node))
    if isinstance(outer, cst.Attribute) and outer.attr.value in _REDUCES:
        call = flowing.above.get(id(outer))
        given = call.args if isinstance(call, cst.Call) and call.func is outer else None
        return given is not None and not any(_masks(arg) for arg in given)
    call = flowing.above.get(id(outer)) if isinstance(outer, cst.Arg) else None
    found = flowing.body.call_of(call) if isinstance(call, cst.Call) else None
    if found is None or found.name not in {f"jax.numpy.{word}" for word in _REDUCES}:
        return False
    return found.node.args[0] is outer and not any(_masks(arg) for arg in found.node.args[1:])


def _masks(arg: cst.Arg) -> bool:
    return bool(arg.star) or (arg.keyword is not None and arg.keyword.value in ("where", "weights"))
