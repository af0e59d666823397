from collections.abc import Iterator

from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, Value, Via
from gotcha_lint.queries.jitted import is_own_jit
from gotcha_lint.rule import Example, Report, Rule

_SAME_SIGNATURE = frozenset({"grad", "value_and_grad", "vmap", "checkpoint"})
_POSITIONAL = ("positional",)
_LENIENT = frozenset({"pmap", "nnx.pmap"})  # they take any position (jax 0.10.2 to 0.12.0)


class UnknownStaticName(Rule):
    """Declares a static or donated argument that the function does not have.

    ## What happens
    `ValueError: Jitted function has invalid argnames {'trian'} in static_argnames. Function does
    not take these args.` The same for `donate_argnames`. A position that is out of range fails in
    the same way, at decoration: `ValueError: Jitted function has donate_argnums=(3,), but only
    accepts 1 positional arguments.` Parameters after a `*` have no position.

    ## Instead
    Name a parameter of the function.

    ## Not reported
    `jax.pmap(f, donate_argnums=3)`: it takes any position, and donates nothing there.
    """

    severity = "error"
    roots = frozenset({"static_argnums", "static_argnames", "donate_argnums", "donate_argnames"})
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
        Example(
            bad="""
                import jax


                def double(x):
                    return x * 2


                doubled = jax.jit(double, donate_argnums=1)  # ! unknown-static-name
            """,
            good="""
                import jax


                def double(x):
                    return x * 2


                doubled = jax.jit(double, donate_argnums=0)
            """,
            raises="donate_argnums=(1,), but only accepts 1 positional arguments",
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
        for word, numbers in (("static", via.static_nums), ("donate", _donated(via))):
            if "star" not in kinds and any(not -count <= n < count for n in numbers):
                yield Report(
                    site.node,
                    f"{word}_argnums {numbers} is out of range: {count} positional parameters",
                )
                return


def _donated(via: Via) -> tuple[int, ...]:
    return () if via.name in _LENIENT else via.donate_nums


def _parameters(site: Call, function: Value) -> list[tuple[str, str]] | None:
    """The parameters of the function that is jitted, None where they are not sure."""
    project = site.body.project
    if function.kind is not Kind.FUNCTION or function.maybe or len(function.targets) != 1:
        return None
    if project is None or any(via.name not in _SAME_SIGNATURE for via in function.via):
        return None
    every = project.function(next(iter(function.targets))).params
    return [(name, kind) for name, kind, _ in every][function.bound :]
