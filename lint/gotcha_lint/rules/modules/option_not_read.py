"""An option that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import FIXED_FLAG, METADATA
from gotcha_lint.program.options import Option
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.options import IgnoredArgument
from gotcha_lint.solve.programs import Programs

_VAIN = "setting it changes nothing"


class OptionNotRead(Rule):
    """Offers an option that no code reads: setting it changes nothing.

    ## What happens
    A rate of dropout, a norm to clip at, or a coefficient of the loss is accepted, kept, and
    forgotten. The run trains without it, and nothing fails: two runs with different values of the
    option are equal. A parameter that the function overwrites before it reads it is no better: all
    calls are equal. The same holds for what a variable of nnx gets by name: in
    `nnx.Param(jnp.ones(8), dtype=jnp.bfloat16)` the `dtype` is metadata, and the array is float32.
    A flag of the command line that has one value, whatever is given, is none: `store_true` with
    `default=True`, or `type=bool`, which makes `True` of the text `False`.

    ## Instead
    Use it, or delete it; `raise NotImplementedError` for what is planned.

    ## Not reported
    - an option whose name is read anywhere in the project, be it of another object, tests apart;
      `self.width` in another class is no read of a field `width` of a module that nothing extends;
    - attributes of classes with a base of an unknown library, which may read them;
    - fields without a default of classes that are no modules, but for numbers and texts beside
      others that have one: they hold results;
    - fields of a plain dataclass that nothing in the project names: it is read from elsewhere;
    - parameters of functions that share their name with another one, or that have a decorator.

    Shown with `--all`, as `info`: fields and attributes that no call gives by name; parameters that
    no call gives, or of `__init__` without a default; flags and fields of a project that passes
    options on as `**config` or reads them with `getattr(config, name)`.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Block(nn.Module):
                    width: int = 4
                    dropout: float = 0.1  # ! option-not-read

                    @nn.compact
                    def __call__(self, x, train):
                        return nn.relu(nn.Dense(self.width)(x))


                x, key = jnp.ones((2, 4)), jax.random.key(0)
                block = Block(dropout=0.9)
                params = block.init(key, x, train=False)
                y = block.apply(params, x, train=True, rngs={"dropout": key})
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Block(nn.Module):
                    width: int = 4
                    dropout: float = 0.1

                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.relu(nn.Dense(self.width)(x))
                        return nn.Dropout(self.dropout, deterministic=not train)(x)


                x, key = jnp.ones((2, 4)), jax.random.key(0)
                block = Block(dropout=0.9)
                params = block.init(key, x, train=False)
                y = block.apply(params, x, train=True, rngs={"dropout": key})
            """,
            shows="bool((y == block.apply(params, x, train=False)).all())",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def attend(q, k, mask=None):  # ! option-not-read
                    scores = q @ k.T
                    mask = jnp.tri(*scores.shape, dtype=bool)
                    return jax.nn.softmax(jnp.where(mask, scores, -jnp.inf))


                q, k = jnp.ones((3, 4)), jnp.ones((3, 4))
                weights = attend(q, k, mask=jnp.eye(3, dtype=bool))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def attend(q, k, mask=None):
                    scores = q @ k.T
                    if mask is None:
                        mask = jnp.tri(*scores.shape, dtype=bool)
                    return jax.nn.softmax(jnp.where(mask, scores, -jnp.inf))


                q, k = jnp.ones((3, 4)), jnp.ones((3, 4))
                weights = attend(q, k, mask=jnp.eye(3, dtype=bool))
            """,
            shows="float(weights[2, 0]) > 0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for one in programs.unread:
            line, column = one.option.span[:2]
            place = one.path, (line, column, line, column)
            severity = None if one.is_set else "info"
            yield Foreseen(place, _words(one.option), certain=one.certain, severity=severity)
        yield from _ignored(programs.ignored)
        for fault in programs.faults.of(FIXED_FLAG):
            yield Foreseen((fault.path, fault.span), _fixed(*fault.text))
        for fault in programs.faults.of(METADATA):
            variable, word, made = fault.text
            what = f"the array stays {made}" if made else "the array is what it is given"
            yield Foreseen(
                (fault.path, fault.span),
                f"`nnx.{variable}` keeps `{word}` as metadata alone: {what}",
                fault.places,
                fault.certain,
            )


def _ignored(found: list[IgnoredArgument]) -> Iterator[Foreseen]:
    """One finding for each parameter."""
    by_parameter: dict[Origin, list[IgnoredArgument]] = {}
    for one in found:
        if one.parameter.span is not None and not is_test(one.function.path):
            place = one.function.path, one.parameter.span
            by_parameter.setdefault(place, []).append(one)
    for (path, span), calls in by_parameter.items():
        function, parameter = calls[0].function, calls[0].parameter
        given = dict.fromkeys(call.given for call in calls if call.given is not None)
        overwritten = calls[0].overwritten
        name = function.qualname.removesuffix(".__init__")
        what = f"`{name}` never reads its parameter `{parameter.name}`: {_VAIN}"
        places = tuple((*place, "given here") for place in given)
        if overwritten is not None:
            what = (
                f"`{name}` overwrites its parameter `{parameter.name}` before anything reads it: "
                "what a call gives is ignored"
            )
            places = ((path, overwritten, "overwritten here"), *places)
        told = bool(given), parameter.has_default, overwritten is not None
        certain = sum(told) > 1  # two of the three
        yield Foreseen((path, span), what, places, certain=certain)


def _fixed(name: str, value: str) -> str:
    if value == "type=bool":
        return (
            f"`type=bool` makes each text but the empty one `True`, so `--{name} False` is `True`, "
            "too; use `action=argparse.BooleanOptionalAction`"
        )
    return (
        f"`{name}` is `{value}` with the flag and without it: {_VAIN}; use "
        "`action=argparse.BooleanOptionalAction`"
    )


def _words(option: Option) -> str:
    if option.kind == "field":
        return f"nothing reads `{option.word}` of `{option.within}`: {_VAIN}"
    if option.kind == "attribute":
        return f"`{option.within}` keeps `{option.word}`, and nothing reads it: {_VAIN}"
    return f"nothing reads the option `{option.word}`: {_VAIN}"
