from collections.abc import Iterator

from gotcha_lint.interpret.faults.nnx_objects import STALE_WEIGHTS
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class NnxClosureStale(Rule):
    """Evaluates an nnx model that the jitted function captured, while training changes it.

    ## What happens
    The weights are constants of the program that is compiled at the first call. Training updates
    the model in place, and the compiled program does not see it: in the example below the loss is
    1.37 after each of twenty steps, where it was 0.0 in the end. Nothing fails; `jax.jit` and
    `nnx.jit` do the same.

    ## Instead
    Pass the model: `evaluate(model, x)`, under `nnx.jit`.

    ## Not reported
    Functions that are called only after the training, and those that are jitted again by then.
    What `stale-capture` tells: the function, its calls and the training stand together.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
                x = jnp.ones((4, 2))


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @nnx.jit
                def train_step(model, optimizer, x):
                    optimizer.update(model, nnx.grad(loss_of)(model, x))


                @nnx.jit
                def evaluate(x):
                    return loss_of(model, x)  # ! nnx-closure-stale


                def fit(steps):
                    losses = []
                    for _ in range(steps):
                        train_step(model, optimizer, x)
                        losses.append(evaluate(x))
                    return losses


                losses = fit(20)
            """,
            good="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
                x = jnp.ones((4, 2))


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @nnx.jit
                def train_step(model, optimizer, x):
                    optimizer.update(model, nnx.grad(loss_of)(model, x))


                @nnx.jit
                def evaluate(model, x):
                    return loss_of(model, x)


                def fit(steps):
                    losses = []
                    for _ in range(steps):
                        train_step(model, optimizer, x)
                        losses.append(evaluate(model, x))
                    return losses


                losses = fit(20)
            """,
            shows="float(losses[0]) == float(losses[-1])",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(STALE_WEIGHTS):
            name, function = fault.text
            what = "this" if function in ("", "<lambda>") else f"`{function}`"
            yield Foreseen(
                (fault.path, fault.span),
                f"{what} was compiled with the weights that `{name}` had at its first call: it "
                f"does not see later changes; pass `{name}` as an argument",
                fault.places,
                fault.certain,
            )
