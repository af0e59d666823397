"""Gradients of single examples that are only averaged."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class PerExampleGradients(Rule):
    """Takes the gradient of each example with `vmap(grad(loss))`, only to average them.

    ## What happens
    The result is right. `jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))` gives a whole tree of
    gradients for each example, and the mean of them is the gradient of the mean loss. Where the
    trees leave a compiled function, all of them lie in memory: 256 examples of a model of 68,000
    parameters take 69 MB where the gradient takes 0.3 MB, and the step took 546 ms in place of 3 ms
    on a CPU.

    ## Instead
    Take the gradient of the mean loss:

    ```python
    def mean_loss(params, x, y):
        return jnp.mean(jax.vmap(loss, in_axes=(None, 0, 0))(params, x, y))


    grads = jax.grad(mean_loss)(params, x, y)
    ```

    With `has_aux=True` the mean is taken of the first result alone.

    ## Not reported
    Gradients that are used for something else, too: clipped one by one, as for differential
    privacy, or asked for their norms. Where one compiled function makes and averages them, XLA
    removes the trees of dense layers, and not those of convolutions (78 ms in place of 19 ms); this
    is shown with `--all`.

    ## In a run
    Nothing: the numbers are right.

    ## References
    https://docs.jax.dev/en/latest/notebooks/autodiff_cookbook.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(params, x, y):
                    return jnp.square(x @ params["w"] - y).sum()


                example_grads = jax.jit(
                    jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))  # ! per-example-gradients
                )
                params = {"w": jnp.zeros((8, 4))}
                x, y = jnp.ones((16, 8)), jnp.ones((16, 4))
                grads = example_grads(params, x, y)
                grads = jax.tree.map(lambda g: g.mean(axis=0), grads)
                made = jax.eval_shape(example_grads, params, x, y)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(params, x, y):
                    return jnp.square(x @ params["w"] - y).sum()


                def mean_loss(params, x, y):
                    return jnp.mean(jax.vmap(loss, in_axes=(None, 0, 0))(params, x, y))


                mean_grads = jax.jit(jax.grad(mean_loss))
                params = {"w": jnp.zeros((8, 4))}
                x, y = jnp.ones((16, 8)), jnp.ones((16, 4))
                grads = mean_grads(params, x, y)
                made = jax.eval_shape(mean_grads, params, x, y)
            """,
            shows="made['w'].size > params['w'].size",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, (mean, whole) in programs.examples.items():
            yield Foreseen(
                place,
                "this makes a tree of gradients for each example, and only their mean is used: the "
                "gradient of the mean loss is the same, without a tree for each",
                ((mean.path, mean.span, "averaged here"),),
                certain=whole and not mean.maybe,
            )
