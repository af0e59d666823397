from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.queries.classes import named_types
from gotcha_lint.rule import Example, Report, Rule, text_of

_HANDLED = frozenset({"_fields", "_make", "_asdict"})
_SEQUENCES = frozenset({"builtins.tuple", "collections.abc.Sequence", "collections.abc.Iterable"})


class NamedtupleRebuiltByType(Rule):
    """Rebuilds a tuple with `type(x)(items)`, which fails for named tuples.

    ## What happens
    `TypeError: __new__() missing 1 required positional argument`. A named tuple wants its fields
    one by one, a plain tuple wants one iterable. Every state of optax is a named tuple.

    ## Instead
    `jax.tree.map` rebuilds all containers. By hand: `x._make(items)` where `x` has `_fields`.
    """

    severity = "error"
    preview = True
    confirmed_by = (("namedtuple-rebuilt-by-type", ""),)
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax


                def halve(x):
                    if isinstance(x, (list, tuple)):
                        return type(x)(halve(v) for v in x)  # ! namedtuple-rebuilt-by-type
                    if isinstance(x, dict):
                        return {k: halve(v) for k, v in x.items()}
                    return x / 2


                state = halve(optax.adam(1e-3).init({"w": jnp.ones(3)}))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax


                def halve(x):
                    return jax.tree.map(lambda v: v / 2, x)


                state = halve(optax.adam(1e-3).init({"w": jnp.ones(3)}))
            """,
            raises="missing 2 required positional arguments",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        subject = _rebuilt(site)
        if subject is None or not _may_be_named(site, subject):
            return
        names = (
            node.value
            for node in walk(site.body.function.node)
            if isinstance(node, cst.Name | cst.SimpleString)
        )
        if any(_handles(name.strip("\"'")) for name in names):
            return
        yield Report(
            site.node,
            f"`{text_of(site.node.func)}` of a named tuple expects its fields one by one "
            "and raises TypeError; "
            "use `jax.tree.map`, or `_make`",
        )


def _handles(name: str) -> bool:
    return name in _HANDLED or "namedtuple" in name.lower().replace("_", "")


def _rebuilt(site: Call) -> str | None:
    """x, in `type(x)(<items>)` or `x.__class__(<items>)`."""
    if (
        site.decorator
        or len(site.node.args) != 1
        or site.node.args[0].star
        or site.node.args[0].keyword
    ):
        return None
    if not isinstance(
        site.node.args[0].value, cst.GeneratorExp | cst.ListComp | cst.List | cst.Name
    ):
        return None
    func = site.node.func
    if isinstance(func, cst.Name):  # kind = type(x)
        sources = [bind.source for bind in site.body.of(Bind) if bind.name == func.value]
        return _typed(sources[0]) if len(sources) == 1 else None
    return _typed(func)


def _typed(node: cst.CSTNode | None) -> str | None:
    """x, in `type(x)` or `x.__class__`."""
    match node:
        case cst.Call(func=cst.Name(value="type"), args=[one]):
            return dotted(one.value)
        case cst.Attribute(value=owner, attr=cst.Name(value="__class__")):
            return dotted(owner)
    return None


def _may_be_named(site: Call, subject: str) -> bool:
    """An `if` around it has found that x is a tuple, and nothing more special."""
    for guard in site.at.guards:
        match guard.test:
            case cst.Call(args=[cst.Arg(value=tested), cst.Arg(value=types)]) if guard.when:
                call = site.body.call_of(guard.test)
                if (
                    call is not None
                    and call.name == "builtins.isinstance"
                    and dotted(tested) == subject
                ):
                    return not _SEQUENCES.isdisjoint(named_types(site.body, types))
    return False
