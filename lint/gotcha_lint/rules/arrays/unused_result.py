"""An array that is computed, kept under a name, and never read."""

from collections.abc import Iterator

from gotcha_lint.facts.contexts import OPTIONS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.computed import OVERWRITTEN, UNUSED, VAIN_CONTEXT
from gotcha_lint.interpret.faults.written import NOT_RAISED
from gotcha_lint.patterns.data.dropped_datasets import DroppedStep
from gotcha_lint.patterns.local.repeated_casts import repeated_casts
from gotcha_lint.patterns.local.unbound_supers import unbound_supers
from gotcha_lint.program.ir import Function
from gotcha_lint.program.text import Text
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_WHAT = {
    "layer": "the result of `{word}`",
    "function": "the result of `{word}`",
    "arithmetic": "the result",
}


class UnusedResult(Rule):
    """Computes an array and never reads it.

    ## What happens
    No error. `h = self.norm(x)`, and then the next layer gets `x`: the norm has no effect, and its
    parameters get no gradient. `x = shared + routed`, and then `routed` is returned: the residual
    is lost. JAX removes such operations from a compiled program, so not even the time shows them;
    outside of `jax.jit` they cost what they cost. That the name was read before, with another
    value, hides the fault from checks of unused variables.

    `for layer in self.layers: h = layer(x)` gives `x` to each layer and keeps the last result: the
    other layers get no gradient. `jax.default_device(cpu)` as a statement makes a context manager
    and drops it: no device is set, no option either. `dataset.prefetch(2)` as a statement gives
    another data set and drops it: `tf.data`, Grain and Hugging Face change none in place.
    `ValueError("no checkpoint")` without `raise` makes an error and goes on.

    `labels = labels.astype(dtype)` twice in a row changes nothing the second time; mostly the line
    was copied, and `logits` is not cast. `super(Model).__init__()` makes a `super` object that is
    bound to nothing and initialises that one: no base class is reached.

    ## Instead
    Use the result, or delete the line. A name that begins with an underscore says that it is meant.
    `h = layer(h)`, from `h = x` on. `with jax.default_device(cpu):`, or `jax.config.update`, which
    sets it for the whole program; `jax.set_mesh(mesh)` works as a statement, too.
    `dataset = dataset.prefetch(2)`. `super().__init__()`.

    ## Not reported
    - names that an inner function, a loop's next iteration, or a handler of an exception may read;
    - calls of functions that are not of JAX, which may do something else;
    - functions that measure time;
    - loops that do anything else in a turn, and loops of code that JAX does not trace;
    - context managers in a `try`;
    - tests.

    What a later line replaces is a note: the line may be left of an experiment. Arrays that are
    made of nothing but numbers, as by `jnp.arange`, and replaced arithmetic are shown with `--all`.

    ## In a run
    Nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def residual(x, w):
                    y = jnp.tanh(x @ w)
                    x = x + y  # ! unused-result
                    return y


                x = jnp.ones((2, 4))
                jaxpr = jax.make_jaxpr(residual)(x, jnp.zeros((4, 4)))
                out = jax.jit(residual)(x, jnp.zeros((4, 4)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def residual(x, w):
                    y = jnp.tanh(x @ w)
                    x = x + y
                    return x


                x = jnp.ones((2, 4))
                jaxpr = jax.make_jaxpr(residual)(x, jnp.zeros((4, 4)))
                out = jax.jit(residual)(x, jnp.zeros((4, 4)))
            """,
            shows="float(out.sum()) == 0.0",
        ),
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Mlp(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        for width in (8, 16, 4):
                            h = nn.tanh(nn.Dense(width)(x))  # ! unused-result
                        return h


                model, x = Mlp(), jnp.ones((2, 3))
                params = model.init(jax.random.key(0), x)
                grads = jax.grad(lambda p: model.apply(p, x).sum())(params)
                first = grads["params"]["Dense_0"]["kernel"]
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Mlp(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        h = x
                        for width in (8, 16, 4):
                            h = nn.tanh(nn.Dense(width)(h))
                        return h


                model, x = Mlp(), jnp.ones((2, 3))
                params = model.init(jax.random.key(0), x)
                grads = jax.grad(lambda p: model.apply(p, x).sum())(params)
                first = grads["params"]["Dense_0"]["kernel"]
            """,
            shows="bool((first == 0).all())",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                jax.default_matmul_precision("float32")  # ! unused-result
                precision = jax.config.jax_default_matmul_precision
            """,
            good="""
                import jax
                import jax.numpy as jnp

                with jax.default_matmul_precision("float32"):
                    precision = jax.config.jax_default_matmul_precision
            """,
            shows="precision is None",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(VAIN_CONTEXT):
            yield Foreseen((fault.path, fault.span), _of_context(*fault.text))
        for fault in programs.faults.of(NOT_RAISED):
            yield Foreseen(
                (fault.path, fault.span),
                f"`{fault.text[0]}` is made and not raised: the program goes on; write `raise`",
            )
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                yield from _of_text(text, function)
        for step in programs.dropped:
            yield Foreseen((step.path, step.span), _of_dropped(step))
        for fault in programs.faults.of(OVERWRITTEN):
            name, given = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"each turn of the loop overwrites `{name}`, and no turn reads it: all results "
                f"but the last are lost; the layer is given the same each time ({given})",
            )
        for fault in programs.faults.of(UNUSED):
            name, of, word, replaced = fault.text
            before = " before a later line replaces it" if replaced else ""
            yield Foreseen(
                (fault.path, fault.span),
                f"{_WHAT[of].format(word=word)} is kept as `{name}`, and nothing reads it{before}: "
                "use it, or delete the line",
                fault.places,
                fault.certain,
                severity="info" if replaced else None,
            )


def _of_text(text: Text, function: Function) -> Iterator[Foreseen]:
    for one in repeated_casts(text.origins, function):
        message = (
            f"`{one.name} = {one.text}` stands on the line before, too, and changes nothing here: "
            "is another name meant?"
        )
        places = ((function.path, one.first, "the same before"),)
        yield Foreseen((function.path, one.span), message, places)
    for span, name, method, is_own in unbound_supers(text.origins.links, function):
        if is_own:
            message = (
                f"`super({name})` is bound to no object, so `{method}` of no base class runs: "
                f"write `super().{method}(...)`"
            )
            yield Foreseen((function.path, span), message)


def _of_dropped(step: DroppedStep) -> str:
    name, method = step.name, step.method
    cure = f"write `{name} = {name}.{method}(...)`" if name.isidentifier() else "keep the result"
    return (
        f"`{method}` gives a new data set and leaves this one as it is, and nothing keeps the "
        f"result: {cure}"
    )


def _of_context(name: str) -> str:
    option = OPTIONS.get(name)
    update = f', or call `jax.config.update("{option}", ...)`' if option else ""
    return (
        f"`{name}` gives a context manager, and nothing enters it, so this changes nothing: write "
        f"`with {name}(...):`{update}"
    )
