"""`jax.checkpoint` that the compiler undoes."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.remat import LOOPS
from gotcha_lint.patterns.training.rematerialisation import unprotected
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class RematUndone(Rule):
    """Switches off what keeps the compiler from undoing `jax.checkpoint`, outside of a scan.

    ## What happens
    `jax.checkpoint` computes the activations a second time in the backward pass, so that nothing
    has to keep them. To the compiler these are the same operations on the same inputs: it computes
    them once, and keeps them. `prevent_cse=True`, the default, puts a barrier between both;
    `prevent_cse=False` takes it away. Measured with jax 0.10.2 on the CPU, six layers: 11 `tanh` in
    the compiled gradient with the barrier, 6 without it, as without any `jax.checkpoint`. So the
    layer needs the memory of one that is not rematerialised at all.

    ## Instead
    Leave the option out. `prevent_cse=False` is meant for the body of `jax.lax.scan` or `nn.scan`,
    whose iterations no compiler joins: there the barrier only costs.

    ## Not reported
    Projects with a compiled loop that may go round the layer: `scan`, `lax.map`, `fori_loop`. Of
    layers of Flax those of `jax.lax` do not count: they go round whole steps.

    ## In a run
    Nothing.
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import functools

                import jax
                import jax.numpy as jnp


                @functools.partial(jax.checkpoint, prevent_cse=False)  # ! remat-undone
                def layer(w, x):
                    return jnp.tanh(jnp.sin(x @ w))


                def loss(ws, x):
                    for w in ws:
                        x = layer(w, x)
                    return x.sum()


                ws, x = [jnp.ones((8, 8))] * 4, jnp.ones((2, 8))
                program = jax.jit(jax.grad(loss)).lower(ws, x).compile().as_text()
            """,
            good="""
                import functools

                import jax
                import jax.numpy as jnp


                @jax.checkpoint
                def layer(w, x):
                    return jnp.tanh(jnp.sin(x @ w))


                def loss(ws, x):
                    for w in ws:
                        x = layer(w, x)
                    return x.sum()


                ws, x = [jnp.ones((8, 8))] * 4, jnp.ones((2, 8))
                program = jax.jit(jax.grad(loss)).lower(ws, x).compile().as_text()
            """,
            shows='program.count(" tanh(") <= 4',
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.origins.links.bodies(text.module):
                for found in unprotected(text.origins, function):
                    but, loops = ("lax", LOOPS - {"lax.map"}) if found.of_module else ("", LOOPS)
                    if not programs.elsewhere.calls(loops, but=but):
                        yield Foreseen((function.path, found.span), _MESSAGE)


_MESSAGE = (
    "without `prevent_cse` the compiler joins both computations of the activations and keeps the "
    "result, as if nothing were rematerialised: leave the option out, as no scan goes round this"
)
