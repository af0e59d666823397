"""Weights that start as positive numbers, all of them."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.text import Text
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

# What draws from 0 to a scale, and where a lower bound would stand.
_ONE_SIDED = {
    "jax.nn.initializers.uniform": "",
    "flax.linen.initializers.uniform": "",
    "flax.nnx.initializers.uniform": "",
    "haiku.initializers.RandomUniform": "minval",
}
_KERNELS = frozenset(("kernel_init", "w_init"))
_OTHERS = frozenset(("bias_init", "b_init", "embedding_init"))
_PARAMETERS = frozenset(("kernel", "weight", "weights", "w", "W"))


class OneSidedInitializer(Rule):
    """Draws the weights of a layer with `uniform`, which gives positive numbers only.

    ## What happens
    No error. `jax.nn.initializers.uniform(scale)` draws from `[0, scale)`, not from `-scale` to
    `scale` as in other libraries. All weights of the layer have one sign, so after `relu` all its
    outputs have it, too, and they are nearly equal: in a layer of 300 inputs and 4 outputs the mean
    of the outputs was ten times their spread. The first actions of a policy, or the first values of
    a critic, are off to one side.

    ## Instead
    An initializer that is symmetric: `lecun_uniform()`, `he_uniform()`, `variance_scaling(...)`.
    For a bound of your own:

    ```python
    def symmetric(bound):
        def init(key, shape, dtype=jnp.float32, **_):
            return jax.random.uniform(key, shape, dtype, -bound, bound)

        return init
    ```

    ## Not reported
    Parameters that are no kernel, such as positions or frequencies. Biases and embeddings are shown
    with `--all`, where a scale is given.

    ## In a run
    Nothing: the numbers are finite.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.nn.initializers.uniform.html
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Policy(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        init = nn.initializers.uniform(3e-3)  # ! one-sided-initializer
                        return nn.Dense(4, kernel_init=init)(x)


                variables = Policy().init(jax.random.key(0), jnp.ones((1, 300)))
                kernel = jax.tree.leaves(variables)[-1]
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Policy(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        init = nn.initializers.lecun_uniform()
                        return nn.Dense(4, kernel_init=init)(x)


                variables = Policy().init(jax.random.key(0), jnp.ones((1, 300)))
                kernel = jax.tree.leaves(variables)[-1]
            """,
            shows="bool((kernel >= 0).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function, register, what in _given(text):
                found = text.origins.of(function, register)
                if found is None:
                    continue
                owner, made = found
                if isinstance(made, str) or not _is_one_sided(text, owner, made):
                    continue
                if not what and not (made[3] or made[4]):
                    continue  # a hundredth, in a bias
                yield Foreseen(
                    (owner.path, made[-1]),
                    f"this draws from 0 to a scale: all {what or 'numbers'} begin with one sign; "
                    "an initializer that is symmetric, such as `lecun_uniform()`, does not",
                    certain=bool(what),
                )


def _given(text: Text) -> Iterator[tuple[Function, Register, str]]:
    """What layers and parameters are initialised with; "" for what is no kernel."""
    for function, call in text.steps("call"):
        for word, register in call[4]:
            if word in _KERNELS:
                yield function, register, "weights"
            elif word in _OTHERS:
                yield function, register, ""
        if _is_kernel(text, function, call):
            yield function, call[3][1][1], "weights"
    for function, store in text.steps("store"):
        if function.is_class and store[2] in _KERNELS:
            yield function, store[4], "weights"


def _is_kernel(text: Text, function: Function, call: Instruction) -> bool:
    """`self.param("kernel", init, shape)`"""
    makers = text.origins.links.makers(function)
    callee = makers.get(call[2])
    if callee is None or callee[0] != "attr" or callee[3] != "param" or len(call[3]) < 2:
        return False
    name = makers.get(call[3][0][1])
    return name is not None and name[0] == "const" and name[2] in _PARAMETERS


def _is_one_sided(text: Text, owner: Function, made: Instruction) -> bool:
    """Does it begin at zero, and has no lower bound?"""
    name = text.origins.names.of_call(owner, made) if made[0] == "call" else ""
    bound = _ONE_SIDED.get(name)
    if bound is None:
        return False
    return not bound or not (made[3] or any(word in (bound, None) for word, _ in made[4]))
