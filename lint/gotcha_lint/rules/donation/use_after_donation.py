from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, DonatedUse
from gotcha_lint.analysis.syntax import parents
from gotcha_lint.queries.donated import (
    donated_names,
    donating,
    gives_back,
    is_buffer,
    needs_the_buffer,
)
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Example, Report, Rule


class UseAfterDonation(Rule):
    """Reads an array whose buffer was donated to a jitted call before.

    ## What happens
    `RuntimeError: Array has been deleted with shape=float32[4,4].` Passed to another jitted
    function: `INVALID_ARGUMENT: ... Buffer has been deleted or donated.` It fails on CPU too. A
    common case is `best_params = params`, which copies nothing: the next step gives both away; so
    is `state = TrainState.create(params=params)`, whose steps give `params` away too. `.shape` and
    `.is_deleted()` still work. A buffer is only taken for a result of the same shape and type:
    where there is none, JAX warns that it was not usable, and the array stays.

    ## Instead
    Bind the result to the donated name in the same statement, `state = step(state, batch)`, and
    keep what must live on as a copy: `jax.tree.map(jnp.copy, params)`. `jnp.asarray` does not copy.
    """

    severity = "error"
    roots = frozenset({"donate_argnums", "donate_argnames", "donate"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                step = jax.jit(lambda p, x: p - 0.1 * x, donate_argnums=0)

                params = jnp.ones(4)
                best_params = params
                params = step(params, jnp.ones(4))
                print(best_params)  # ! use-after-donation
            """,
            good="""
                import jax
                import jax.numpy as jnp

                step = jax.jit(lambda p, x: p - 0.1 * x, donate_argnums=0)

                params = jnp.ones(4)
                best_params = jnp.copy(params)
                params = step(params, jnp.ones(4))
                print(best_params)
            """,
            raises="Array has been deleted",
        ),
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, donate_argnames="state")
                def step(state, x):
                    return state + x


                state = jnp.zeros(4)
                new_state = step(state, jnp.ones(4))
                print(jnp.abs(new_state - state).max())  # ! use-after-donation
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, donate_argnames="state")
                def step(state, x):
                    return state + x


                state = jnp.zeros(4)
                before = jnp.copy(state)
                state = step(state, jnp.ones(4))
                print(jnp.abs(state - before).max())
            """,
            raises="Array has been deleted",
        ),
    )

    def check(self, site: DonatedUse) -> Iterator[Report]:
        body = site.body
        call = body.call_of(site.donation)
        via = donating(call)
        if call is None or via is None or body.trace is not None or not _is_first(body, site):
            return
        given = dict(donated_names(call, via))
        if not given or not all(is_buffer(call, arg) for arg in given.values()):
            return
        if not needs_the_buffer(site.node, body, parents(site.at.statement)):
            return
        if expected_to_fail(body, site.node):
            return
        taken = [given[site.name]] if site.name in given else given.values()
        if not any(gives_back(body, call, arg) for arg in taken):
            return
        places = ((call.node, "donated here"),)
        if site.again:
            text = f"`{site.name}` is donated in every iteration: the second has none left"
        elif site.name in given:
            text = (
                f"`{site.name}` was donated, so its buffer is gone: reading it raises RuntimeError"
            )
        else:
            others = " and ".join(f"`{name}`" for name in given)
            text = f"`{site.name}` shares its buffers with {others}, which was donated: keep a copy"
        yield Report(site.node, text, places=places)


def _is_first(body: Body, site: DonatedUse) -> bool:
    """Of all reads after one donation, one report is enough."""
    same = [
        use for use in body.of(DonatedUse) if (use.name, use.donation) == (site.name, site.donation)
    ]
    return all(use.at.order >= site.at.order for use in same) and same[0] is site
