"""A training loss that keeps the dropout off."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import DROPOUT_OFF
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DropoutNeverOn(Rule):
    """Takes the gradient of a loss that runs the model in evaluation mode.

    ## What happens
    No error. The loss calls the model with `train=False` or `deterministic=True`, and no other call
    of the program gives the flag another value: the dropout of the model never drops, whatever its
    rate is, and a batch norm keeps the statistics that it was made with. The option for the rate
    changes nothing.

    ## Instead
    `train=True` in the loss, with `rngs={"dropout": key}` and a new key in each step; or delete the
    dropout.

    ## Not reported
    Programs in which any call turns the flag on, or gives it a value that is not written out, or
    gives flags by position; programs without a dropout; dropouts of rate 0; `model.train()`.

    ## In a run
    Nothing.

    ## References
    https://flax-linen.readthedocs.io/en/latest/guides/training_techniques/dropout.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp
                import optax

                net, tx = nn.Dropout(0.5), optax.sgd(0.1)
                params = {"w": jnp.ones(64)}
                state, key = tx.init(params), jax.random.key(0)


                def step(params, state, key):
                    def loss(params):
                        out = net.apply({}, params["w"], deterministic=True)  # ! dropout-never-on
                        return out.sum()

                    grads = jax.grad(loss)(params)
                    updates, state = tx.update(grads, state, params)
                    return optax.apply_updates(params, updates), state


                params, state = jax.jit(step)(params, state, key)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp
                import optax

                net, tx = nn.Dropout(0.5), optax.sgd(0.1)
                params = {"w": jnp.ones(64)}
                state, key = tx.init(params), jax.random.key(0)


                def step(params, state, key):
                    def loss(params):
                        rngs = {"dropout": key}
                        out = net.apply({}, params["w"], deterministic=False, rngs=rngs)
                        return out.sum()

                    grads = jax.grad(loss)(params)
                    updates, state = tx.update(grads, state, params)
                    return optax.apply_updates(params, updates), state


                params, state = jax.jit(step)(params, state, key)
            """,
            shows='bool((params["w"] == params["w"][0]).all())',
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(DROPOUT_OFF):
            (flag,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"this loss is trained with `{flag}`, and nothing in the program turns the mode of "
                "training on: its dropout never drops",
                fault.places,
                fault.certain,
            )
