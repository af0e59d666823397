"""Softmaxes, losses, draws and running sums of bfloat16 or float16."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.half_precision import KIND
from gotcha_lint.patterns.training.half_parameters import HalfParameter, half_parameters
from gotcha_lint.program.data_flow import names_used
from gotcha_lint.program.text import Text
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_TRAINING = frozenset(("apply_gradients", "apply_updates"))

_WORDS = {
    "digits": "`{word}` gives {type} here: a log-probability near -10 is rounded to a "
    "multiple of 0.06; cast its operand to float32",
    "draw": "`{word}` draws its noise in {type}, the type of the logits: it has only a few hundred "
    "values, so unlikely choices are never drawn; cast the logits to float32",
    "share": "this softmax is computed in {type}: probabilities with two or three digits, which "
    "do not add up to 1; cast its operand to float32",
    "running sum": "this sum is kept in {type}: it stops growing at a few hundred times the added "
    "values; keep it in float32",
    "spread": "this mean of squares, or deviation, is rounded to {type}: a quotient by it is "
    "wrong by up to 1 %; compute it in float32, as the norms of Flax do",
    "weights": "the optimizer gets weights of {type}: an update below 0.4 % of a weight is lost, "
    "and the moments are of {type}, too; keep weights in float32 and cast them in the forward pass",
}


class ComputedInHalfPrecision(Rule):
    """Computes log-probabilities, draws or running sums in bfloat16 or float16.

    ## What happens
    Nothing fails. `log_softmax` of bfloat16 gives bfloat16: near -10 its values are 0.06 apart, so
    a ratio `exp(new - old)` of a policy is off by some percent. `jax.random.categorical` adds noise
    of the type of its logits, which in bfloat16 has 128 values: of a large vocabulary most tokens
    are never drawn. A sum that is carried through a loop stops growing: 1,000 times 0.01 is 4. The
    sum or mean of one call is harmless: XLA adds in float32 and rounds once.

    ## Instead
    Cast before: `jax.nn.log_softmax(logits.astype(jnp.float32))`. Accumulate gradients in float32,
    and keep the weights that an optimizer updates in float32.

    In linen `dtype` is the type to compute in, and layers store their weights in `param_dtype`,
    float32. `self.param("scale", init, shape, self.dtype)` stores a parameter in the first of them:
    in bfloat16, AdamW with a rate of 2e-4 leaves a weight of 1.0 at 1.0 for ever, and a moving
    average with a decay of 0.999 stays where it is. Leave the fourth argument out, and cast what is
    computed.

    ## Not reported
    Types that are not seen in the code. Softmaxes and means of squares lose less; they are shown
    with `--all`, and so is half precision that a configuration may choose. Parameters of projects
    that update none.

    ## In a run
    Nothing: the numbers are finite.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                logits = jnp.array([[0.0, 9.3, 10.0]])
                half = logits.astype(jnp.bfloat16)
                scores = jax.nn.log_softmax(half)  # ! computed-in-half-precision
                error = jnp.abs(scores - jax.nn.log_softmax(logits)).max()
            """,
            good="""
                import jax
                import jax.numpy as jnp

                logits = jnp.array([[0.0, 9.3, 10.0]])
                half = logits.astype(jnp.bfloat16)
                scores = jax.nn.log_softmax(half.astype(jnp.float32))
                error = jnp.abs(scores - jax.nn.log_softmax(logits)).max()
            """,
            shows="bool(error > 0.015)",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def add(total, x):
                    return total + x, None  # ! computed-in-half-precision


                xs = jnp.full(1000, 0.01, jnp.bfloat16)
                total, _ = jax.lax.scan(add, jnp.zeros((), jnp.bfloat16), xs)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def add(total, x):
                    return total + x, None


                xs = jnp.full(1000, 0.01, jnp.bfloat16)
                total, _ = jax.lax.scan(add, jnp.zeros((), jnp.float32), xs)
            """,
            shows="float(total) < 5",
        ),
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp
                import optax


                class Scale(nn.Module):
                    dtype: jnp.dtype = jnp.bfloat16

                    @nn.compact
                    def __call__(self, x):
                        ones = nn.initializers.ones
                        s = self.param("s", ones, (), self.dtype)  # ! computed-in-half-precision
                        return x.astype(self.dtype) * s


                model, tx, x = Scale(), optax.adam(2e-4), jnp.ones(4)
                params = model.init(jax.random.key(0), x)
                grads = jax.grad(lambda p: model.apply(p, x).sum())(params)
                updates, _ = tx.update(grads, tx.init(params), params)
                moved = optax.apply_updates(params, updates)["params"]["s"] - params["params"]["s"]
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp
                import optax


                class Scale(nn.Module):
                    dtype: jnp.dtype = jnp.bfloat16

                    @nn.compact
                    def __call__(self, x):
                        ones = nn.initializers.ones
                        scale = self.param("s", ones, ()).astype(self.dtype)
                        return x.astype(self.dtype) * scale


                model, tx, x = Scale(), optax.adam(2e-4), jnp.ones(4)
                params = model.init(jax.random.key(0), x)
                grads = jax.grad(lambda p: model.apply(p, x).sum())(params)
                updates, _ = tx.update(grads, tx.init(params), params)
                moved = optax.apply_updates(params, updates)["params"]["s"] - params["params"]["s"]
            """,
            shows="float(moved) == 0.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(KIND):
            kind, word, dtype = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                _WORDS[kind].format(word=word, type=dtype),
                fault.places,
                fault.certain,
            )
        for text in programs.texts:
            bodies = text.origins.links.bodies(text.module)
            found = [one for body in bodies for one in half_parameters(text.origins, body)]
            if found and _trains(programs, text):
                for one in found:
                    yield Foreseen(
                        (text.module.path, one.span), _of_parameter(one), certain=bool(one.half)
                    )


def _trains(programs: Programs, text: Text) -> bool:
    """Does a file of the project update parameters?"""
    own = any(
        not _TRAINING.isdisjoint(names_used(body))
        for body in text.origins.links.bodies(text.module)
    )
    return own or programs.elsewhere.says(_TRAINING, text.module.path)


def _of_parameter(one: HalfParameter) -> str:
    since = f"`{one.chosen}`, {one.half}" if one.half not in one.chosen else f"`{one.chosen}`"
    stored = since if one.half else f"`{one.chosen}`, the type to compute in"
    when = "" if one.half else "in bfloat16 "
    return (
        f"`{one.name}` is stored in {stored}: {when}an update below 0.4 % of it is lost, and so is "
        "that of a moving average; store it in float32 and cast it where it is used"
    )
