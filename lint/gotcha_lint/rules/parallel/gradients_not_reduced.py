from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.specs import sharding
from gotcha_lint.queries.unreduced import unreduced
from gotcha_lint.rule import Example, Report, Rule


class GradientsNotReduced(Rule):
    """Returns gradients out of `shard_map(check_vma=False)` that no device has summed or averaged.

    ## What happens
    `out_specs=P()` promises that all devices return the same, and with `check_vma=False` nothing
    looks: the result is what the first device has, the gradient of its own part of the batch. Below
    it moves the weight to 0.5 instead of -2.5. A `pmean` of the loss, inside of the differentiated
    function, does not help there: the gradient of each device stays its own.

    ## Instead
    `grads = jax.lax.pmean(grads, "data")`. Or keep the check, and average the loss: `shard_map`
    then reduces the gradient itself.

    ## Not reported
    Specs that are not written out; gradients that are given to other functions, which may reduce
    them, or to an optimizer of which not all parts are known; losses of other files; tests.

    ## In a run
    Nothing: on each device the numbers are right.

    ## References
    https://docs.jax.dev/en/latest/301/sharding-ad.html
    """

    severity = "error"
    preview = True
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
                    grads = jax.grad(loss)(w, x)  # ! gradients-not-reduced
                    return w - grads


                ins = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=ins, out_specs=P(), check_vma=False)
                w = run(1.0, jnp.arange(8.0))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jnp.mean(w * x)


                def step(w, x):
                    grads = jax.lax.pmean(jax.grad(loss)(w, x), "data")
                    return w - grads


                ins = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=ins, out_specs=P(), check_vma=False)
                w = run(1.0, jnp.arange(8.0))
            """,
            shows="bool(w > 0)",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        given, function = sharding(site), site.function
        if given is None or not given.unchecked or not given.gives_replicated:
            return
        if is_test(site.model.path):
            return
        for call in unreduced(site, given.replicated(function), given.split(function)):
            yield Report(
                call.node,
                "nothing sums these gradients over the devices, and with `check_vma=False` "
                "`out_specs=P()` returns those of the first device",
                places=((given.call, "not checked here"),),
            )
