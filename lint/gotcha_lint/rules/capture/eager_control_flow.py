from collections.abc import Iterator

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, Value, holds_tracer
from gotcha_lint.queries.captured import is_new
from gotcha_lint.queries.host import driven_by_host, runs_often_on_host
from gotcha_lint.queries.places import happens_once, is_memoised, repeated
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs

_LOOPS = frozenset({"scan", "while", "fori", "cond", "switch", "map"})


class EagerControlFlow(Rule):
    """Calls `lax.scan`, `cond`, `while_loop` or `fori_loop` outside of `jit` with a new function.

    ## What happens
    Outside of `jit` these functions compile their body by themselves, and find what they compiled
    by the identity of the body. A lambda or a local `def` is a new object each time: scan, while
    and fori compiled 5 times in 5 calls, cond 6 times, against once with a function of the module.

    ## Instead
    Jit the function around it, or move the body to module level and pass what it captures.
    """

    preview = True
    roots = frozenset({"lax"})
    confirmed_by = (("eager-control-flow", ""),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def total(xs):
                    def body(carry, x):
                        return carry + x, None

                    return jax.lax.scan(body, 0.0, xs)[0]  # ! eager-control-flow


                for _ in range(5):
                    print(total(jnp.ones(3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(xs):
                    def body(carry, x):
                        return carry + x, None

                    return jax.lax.scan(body, 0.0, xs)[0]


                for _ in range(5):
                    print(total(jnp.ones(3)))
            """,
            compiles=3,
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        row = site.body.fact(site).transform
        if row is None or row.gives != "result" or row.role not in _LOOPS or not site.body.eager:
            return
        if any(map(holds_tracer, site.args)) or happens_once(site) or is_memoised(site.body):
            return
        new = [v for v in _functions(site, row.functions) if is_new(site, v)]
        if not new or not (runs_often_on_host(site) or driven_by_host(site)):
            return
        what = {"lambda": "a lambda", "partial": "a partial"}.get(new[0].made, "a local function")
        yield Report(
            site.node,
            f"`{site.name}` runs outside of `jit` with {what}, which is new at each "
            f"{repeated(site)}: it compiles each time",
            why_hot=True,
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for body in programs.eager:
            if not body.certain:
                yield Foreseen(
                    (body.path, body.span),
                    f"`{body.what}` gets a new body at each call of `{body.within.name}`: "
                    "outside of a trace it compiles each time; move the body to module "
                    "level, or `jit` the function around it",
                    body.places,
                    certain=False,
                )
                continue
            each = each_turn(body.loops, body.path)
            yield Foreseen(
                (body.path, body.span),
                f"`{body.what}` runs outside of `jit` with a body that is a new function at each "
                f"{each}: it compiles each time; `jit` the function around it, or move the body to "
                "module level",
                (*body.places, *loop_places(body.loops)),
            )


def _functions(site: Call, positions: tuple[int, ...]) -> Iterator[Value]:
    for position in positions:
        value = site.arg(position)
        if value is not None and value.kind is Kind.FUNCTION:
            yield value
