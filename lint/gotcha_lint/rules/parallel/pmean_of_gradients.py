from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.replicated import AVERAGED, gradient_places
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_CALLS = 3  # that are shown for the way to the place


class PmeanOfGradients(Rule):
    """Averages gradients inside `jax.shard_map` as it is done under `pmap`.

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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, effect in programs.effects[AVERAGED].items():
            gradients = [at for value in effect.values for at in gradient_places(value)]
            calls = ((*at, "called here") for at in effect.calls[-_CALLS:])
            yield Foreseen(
                place,
                "inside shard_map gradients of replicated parameters are already summed over "
                f"devices: `{effect.what}` leaves them "
                f"{'N' if effect.what == 'pmean' else 'N*N'} times too large",
                (*gradients[:1], *calls),
                certain=not effect.maybe,
            )
