from collections.abc import Iterator

from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.jitted import is_own_jit
from gotcha_lint.rule import Example, Report, Rule

_SAME_SIGNATURE = frozenset({"grad", "value_and_grad", "vmap", "checkpoint"})
_POSITIONAL = ("positional",)


class UnknownStaticName(Rule):
    """Declares a static or donated argument that the function does not have.

    ## What happens
    `ValueError: Jitted function has invalid argnames {'trian'} in static_argnames. Function does
    not take these args.` The same for `donate_argnames`. A position that is out of range fails in
    the same way, at decoration.

    ## Instead
    Name a parameter of the function.
    """

    severity = "error"
    roots = frozenset({"static_argnums", "static_argnames", "donate_argnames"})
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax


                @partial(jax.jit, static_argnames="trian")  # ! unknown-static-name
                def step(x, train):
                    return x * 2 if train else x
            """,
            good="""
                from functools import partial

                import jax


                @partial(jax.jit, static_argnames="train")
                def step(x, train):
                    return x * 2 if train else x
            """,
            raises="invalid argnames",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        function = site.arg(0, "fun")
        via = site.result.via[-1] if site.result.via else None
        if via is None or via.name not in BOUNDARIES or not via.known or function is None:
            return
        if site.callee.kind is not Kind.NAMED and not is_own_jit(site):
            return  # a decorator of the project: the names may be another function's
        params = _parameters(site, function)
        if params is None:
            return
        kinds = {kind for _, kind in params}
        names = {name for name, kind in params if kind != "star"}
        count = sum(kind in _POSITIONAL for _, kind in params)
        for word, given in (("static", via.static_names), ("donated", via.donate_names)):
            wrong = [n for n in given if n not in names and "kwargs" not in kinds]
            if wrong:
                yield Report(site.node, f"the function has no parameter `{wrong[0]}` to be {word}")
                return
        if "star" not in kinds and any(not -count <= n < count for n in via.static_nums):
            yield Report(
                site.node,
                f"static_argnums {via.static_nums} is out of range: {count} positional parameters",
            )


def _parameters(site: Call, function: Value) -> list[tuple[str, str]] | None:
    """The parameters of the function that is jitted, None where they are not sure."""
    project = site.body.project
    if function.kind is not Kind.FUNCTION or function.maybe or len(function.targets) != 1:
        return None
    if project is None or any(via.name not in _SAME_SIGNATURE for via in function.via):
        return None
    every = project.function(next(iter(function.targets))).params
    return [(name, kind) for name, kind, _ in every][function.bound :]
