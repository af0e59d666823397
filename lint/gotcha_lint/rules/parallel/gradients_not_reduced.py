from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.computed import UNREDUCED
from gotcha_lint.patterns.training.unchecked_maps import unchecked_gradients
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class GradientsNotReduced(Rule):
    """Trains on each device with gradients that no device has summed or averaged.

    ## What happens
    `out_specs=P()` promises that all devices return the same, and with `check_vma=False` nothing
    looks: the result is what the first device has, the gradient of its own part of the batch. Below
    it moves the weight to 0.5 instead of -2.5. A `pmean` of the loss, inside of the differentiated
    function, does not help there: the gradient of each device stays its own. Under `jax.pmap` each
    device gives its gradient to its own optimizer: there are as many models as devices, each
    trained on its part of the data, and code that takes the first one drops the others.

    ## Instead
    `grads = jax.lax.pmean(grads, "data")`. Or keep the check, and average the loss: `shard_map`
    then reduces the gradient itself.

    ## Not reported
    Under `pmap`: steps without an axis name, which may be meant to train several models; steps in
    which any function exchanges anything. Under `shard_map`: specs that are not written out;
    gradients that are given to other functions, which may reduce them, or to an optimizer of which
    not all parts are known; losses of other files; tests.

    ## In a run
    Nothing: on each device the numbers are right.

    ## References
    https://docs.jax.dev/en/latest/301/sharding-ad.html
    """

    severity = "error"
    confidence = "medium"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for one in unchecked_gradients(text.origins, text.module):
                yield Foreseen(
                    (one.function.path, one.span),
                    "nothing sums these gradients over the devices, and with `check_vma=False` "
                    "`out_specs=P()` returns those of the first device",
                    ((*one.mapped, "not checked here"),),
                )
        for fault in programs.faults.of(UNREDUCED):
            yield Foreseen(
                (fault.path, fault.span),
                "each device gives these gradients to its own optimizer: the axis of `pmap` has a "
                "name, and nothing averages over it; `grads = jax.lax.pmean(grads, axis_name)`",
                fault.places,
                fault.certain,
            )
