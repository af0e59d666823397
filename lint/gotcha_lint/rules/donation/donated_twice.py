from collections.abc import Iterator

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.queries.donated import donated_names, donating, is_buffer
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.given_back import gives_back
from gotcha_lint.queries.same import is_still, shared_in
from gotcha_lint.rule import Example, Report, Rule


class DonatedTwice(Rule):
    """Passes one array twice to a call that donates it.

    ## What happens
    `INVALID_ARGUMENT: Attempt to donate the same buffer twice in Execute()`; where only one of the
    two is donated: `Attempt to use a buffer that was previously donated in the same call`. It
    happens on the first step, while average and parameters are still the same arrays.

    ## Instead
    Start the second from a copy: `ema = jax.tree.map(jnp.copy, params)`.
    """

    severity = "error"
    roots = frozenset({"donate_argnums", "donate_argnames"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def average(params, ema):
                    return params * 1.0, 0.9 * ema + 0.1 * params


                average = jax.jit(average, donate_argnums=(0, 1))

                params = jnp.ones(4)
                params, ema = average(params, params)  # ! donated-twice
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def average(params, ema):
                    return params * 1.0, 0.9 * ema + 0.1 * params


                average = jax.jit(average, donate_argnums=(0, 1))

                params = jnp.ones(4)
                params, ema = average(params, jnp.copy(params))
            """,
            raises="donate the same buffer twice",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        via = donating(site)
        if via is None or site.body.trace is not None or site.decorator:
            return
        for name, arg in donated_names(site, via):
            if not is_buffer(site, arg) or expected_to_fail(site.body, site.node):
                continue
            others = [dotted(other.value) or "" for other in site.node.args if other is not arg]
            if name in others:
                yield Report(
                    site.node,
                    f"`{name}` is given twice to a call that donates it: one buffer cannot be "
                    "given away and used a second time",
                )
                return
            twice = shared_in(site, name)
            if twice is not None and gives_back(site.body, site, arg):
                yield Report(
                    site.node,
                    f"`{name}` holds the same arrays twice when it comes to this call, which "
                    "donates it: start one of the two from a copy",
                    places=((twice.node, "made of one tree given twice"),),
                )
                return
            for other in others:
                bind = is_still(site, name, other) or is_still(site, other, name)
                if bind is not None and gives_back(site.body, site, arg):
                    yield Report(
                        site.node,
                        f"`{name}` and `{other}` are still the same arrays in this call, which "
                        f"donates `{name}`: start one of them from a copy",
                        places=((bind.node, "the second name for the same arrays"),),
                    )
                    return
