from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import ZERO_PAIR
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ZeroGradient(Rule):
    """Differentiates a loss that its parameters cannot change.

    ## What happens
    Rounding, `argmax`, comparisons and integers have no slope, and `stop_gradient` lets none
    through. JAX never says that a gradient is missing: it is zero, the optimizer works, and these
    parameters stay as they were.

    Two layers in a row whose kernels start at zero do not learn either: the gradient of each is a
    product with the other's weights, or with what the first one gives.

    ## Instead
    Use the logits or probabilities in place of the decision, as
    `optax.softmax_cross_entropy_with_integer_labels` does, or a straight-through estimator:
    `soft + jax.lax.stop_gradient(hard - soft)`. An accuracy is a metric: return it beside the loss,
    with `has_aux=True`.

    ## Not reported
    A loss that a parameter reaches in one other way, or through code that the linter does not
    know; tests. Single parameters without a gradient: the sanitizer sees those.

    ## The price
    Parameters that never learn.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x, labels):
                    predicted = jnp.argmax(x @ w, axis=-1)  # ! zero-gradient
                    return jnp.mean(predicted != labels)


                @jax.jit
                def update(w, x, labels):
                    return w - jax.grad(loss)(w, x, labels)


                x, labels = jnp.ones((4, 3)), jnp.array([0, 1, 2, 0])
                w = update(jnp.eye(3), x, labels)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x, labels):
                    log_p = jax.nn.log_softmax(x @ w)
                    return -jnp.mean(jnp.take_along_axis(log_p, labels[:, None], axis=-1))


                @jax.jit
                def update(w, x, labels):
                    return w - jax.grad(loss)(w, x, labels)


                x, labels = jnp.ones((4, 3)), jnp.array([0, 1, 2, 0])
                w = update(jnp.eye(3), x, labels)
            """,
            shows="float(w[0, 0]) == 1",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import nnx

                zeros = nnx.initializers.zeros_init()


                class Mlp(nnx.Module):
                    def __init__(self, rngs):
                        self.up = nnx.Linear(4, 8, kernel_init=zeros, rngs=rngs)  # ! zero-gradient
                        self.down = nnx.Linear(8, 4, kernel_init=zeros, rngs=rngs)

                    def __call__(self, x):
                        return self.down(nnx.gelu(self.up(x)))


                x = jnp.ones((2, 4))
                grads = nnx.grad(lambda model: (model(x) - x).sum())(Mlp(nnx.Rngs(0)))
                largest = jnp.abs(grads["down"]["kernel"][...]).max()
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import nnx

                zeros = nnx.initializers.zeros_init()


                class Mlp(nnx.Module):
                    def __init__(self, rngs):
                        self.up = nnx.Linear(4, 8, rngs=rngs)
                        self.down = nnx.Linear(8, 4, kernel_init=zeros, rngs=rngs)

                    def __call__(self, x):
                        return self.down(nnx.gelu(self.up(x)))


                x = jnp.ones((2, 4))
                grads = nnx.grad(lambda model: (model(x) - x).sum())(Mlp(nnx.Rngs(0)))
                largest = jnp.abs(grads["down"]["kernel"][...]).max()
            """,
            shows="float(largest) == 0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("unread"):
            (name,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"the gradient is taken of `{name}`, on which the loss does not depend: it is zero",
                fault.places,
                fault.certain,
            )
        for fault in programs.faults.of(ZERO_PAIR):
            yield Foreseen(
                (fault.path, fault.span),
                "this layer and the one behind it start at zero: each has a gradient of zero as "
                "long as the other is zero, so neither learns; start one of them at random",
                fault.places,
                fault.certain,
            )
        for fault in programs.faults.of("cut"):
            word, leaf, name = fault.text
            what = f"`{name}{leaf}`" if name else "the parameters"
            yield Foreseen(
                (fault.path, fault.span),
                f"no gradient comes through `{word}`, and the loss depends on {what} in no other "
                "way: it is zero",
                fault.places,
                fault.certain,
            )
