"""A linen module looks for a random stream among its variables."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.ir import Function, Instruction
from gotcha_lint.program.spelled import Makers, dotted, spelled
from gotcha_lint.program.text import Text
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_STREAMS = frozenset(("rngs", "rng"))  # how `apply` and `init` call them
_READS = frozenset(("has_variable", "get_variable"))
_WRITES = frozenset(("variable", "put_variable", "sow"))
_COLLECTIONS = frozenset(("batch_stats", "cache", "intermediates", "spectral_stats"))


class RngAskedAsVariable(Rule):
    """Asks for a random stream as if it were a variable of the module, or the other way round.

    ## What happens
    No error. The `rngs` of `apply` are no collection, so `self.has_variable("rngs", "noise")` is
    `False` and `self.get_variable("rngs", "noise")` is `None`, whatever `apply` is given. The
    module runs without noise: a dropout never drops, a generator is deterministic, and the scale of
    the noise gets no gradient. `self.has_rng("batch_stats")` is `False`, too: a collection is no
    stream.

    ## Instead
    `self.has_rng("noise")`; and `self.has_variable("batch_stats", "mean")` for variables.

    ## Not reported
    Collections that a file of the project writes under this name.

    ## In a run
    Nothing.

    ## References
    https://flax-linen.readthedocs.io/en/latest/api_reference/flax.linen/module.html
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Noise(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        if self.has_variable("rngs", "noise"):  # ! rng-asked-as-variable
                            x = x + jax.random.normal(self.make_rng("noise"), x.shape)
                        return x


                x = jnp.zeros(3)
                y = Noise().apply({}, x, rngs={"noise": jax.random.key(0)})
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Noise(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        if self.has_rng("noise"):
                            x = x + jax.random.normal(self.make_rng("noise"), x.shape)
                        return x


                x = jnp.zeros(3)
                y = Noise().apply({}, x, rngs={"noise": jax.random.key(0)})
            """,
            shows="bool((y == 0).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            found = list(_questions(text))
            written = _constants(text, _WRITES) if found else frozenset[str]()
            drawn = _constants(text, frozenset(("make_rng",))) if found else frozenset[str]()
            for function, call, asked, first, other in found:
                if first in written:
                    continue
                if asked == "has_rng":
                    message = (
                        f"`{first}` is a collection of variables and no random stream, so this is "
                        f"`False`: ask `has_variable({first!r}, ...)`"
                    )
                elif first in _STREAMS or (
                    first in drawn - _COLLECTIONS
                    and not programs.elsewhere.says([first], function.path)
                ):
                    always = "False" if asked == "has_variable" else "its default"
                    stream = other if first in _STREAMS else repr(first)
                    message = (
                        f"random streams are no variables, so this is `{always}` whatever `apply` "
                        f"is given: ask `has_rng({stream})`"
                    )
                else:
                    continue
                yield Foreseen((function.path, call[-1]), message)


def _questions(text: Text) -> Iterator[tuple[Function, Instruction, str, str, str]]:
    """What is asked, for which collection or stream, and the second argument as it is written."""
    for function, call in text.steps("call"):
        makers = text.origins.links.makers(function)
        asked = dotted(makers, call[2]).rpartition(".")[2]
        first = _constant(makers, call)
        if asked in _READS and first and len(call[3]) > 1:
            yield function, call, asked, first, spelled(makers, call[3][1][1])
        elif asked == "has_rng" and first in _COLLECTIONS:
            yield function, call, asked, first, ""


def _constants(text: Text, names: frozenset[str]) -> frozenset[str]:
    """What calls of these methods are given first, in the file."""
    return frozenset(
        _constant(text.origins.links.makers(function), call)
        for function, call in text.steps("call")
        if dotted(text.origins.links.makers(function), call[2]).rpartition(".")[2] in names
    )


def _constant(makers: Makers, call: Instruction) -> str:
    made = makers.get(call[3][0][1]) if call[3] and not call[3][0][0] else None
    return made[2] if made is not None and made[0] == "const" and isinstance(made[2], str) else ""
