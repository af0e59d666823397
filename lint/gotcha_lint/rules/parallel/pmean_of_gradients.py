from collections.abc import Iterator

from gotcha_lint.analysis.replicated import made_here, summed
from gotcha_lint.analysis.sites import Call
from gotcha_lint.queries.sharded import averaged, gradient_of, is_summed
from gotcha_lint.rule import Example, Report, Rule

_SUMS = frozenset({"jax.lax.pmean", "jax.lax.psum", "jax.tree.map"})


class PmeanOfGradients(Rule):
    """Averages gradients inside `jax.shard_map` as one did under `pmap`.

    ## What happens
    The gradient of a replicated parameter is already summed over the devices, because
    differentiation inverts the replication. `pmean` of equal values changes nothing, so the
    gradient is N times too large on N devices (4.0 on 4), and with `psum` N squared times (16).
    Nothing fails. Under `jax.pmap`, or with `check_vma=False`, `pmean` is right.

    ## Instead
    Average the loss inside of the differentiated function, or make the parameters varying first
    with `jax.lax.pcast(params, axis, to="varying")`; each gives a factor of 1.0.

    ## References
    https://github.com/jax-ml/jax/issues/36886
    """

    severity = "error"
    roots = frozenset({"shard_map"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jnp.mean(w * x)


                def step(w, x):
                    grads = jax.grad(loss)(w, x)
                    return jax.lax.pmean(grads, "data")  # ! pmean-of-gradients


                specs = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=P())
                grads = run(1.0, jnp.ones(8))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jax.lax.pmean(jnp.mean(w * x), "data")


                def step(w, x):
                    return jax.grad(loss)(w, x)


                specs = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=specs, out_specs=P())
                grads = run(1.0, jnp.ones(8))
            """,
            shows="bool(grads > 1.5)",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        body = site.body
        if site.name not in _SUMS or not summed(body):
            return
        averages, value, word = averaged(site)
        made = gradient_of(site, averages) if word else None
        wrt = made.arg_node(0) if made is not None else None
        if (made is None and not is_summed(value)) or (wrt is not None and made_here(body, wrt)):
            return
        yield Report(
            site.node,
            f"inside shard_map gradients of replicated parameters are already summed over devices: "
            f"`{word}` leaves them {'N' if word == 'pmean' else 'N*N'} times too large",
            places=((made.node, "the gradients"),) if made is not None else (),
            why_traced=True,
        )
