import re
from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import INVERTED_FLAG
from gotcha_lint.interpret.faults.evaluated import IN_TRAINING
from gotcha_lint.interpret.faults.flags import IGNORED_FLAG, KEPT_ON, runs_in_training
from gotcha_lint.patterns.training.pretrained_models import (
    LIBRARY,
    imports_library,
    unswitched_models,
)
from gotcha_lint.program.text import Text
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve.programs import Programs

_SWITCHES = ("eval", "set_attributes")  # a model of nnx, to evaluation


class EvalInTrainMode(Rule):
    """Evaluates a Flax model with dropout on, or with the statistics of the batch.

    ## What happens
    Nothing fails. Dropout makes predictions noisy, and batch normalisation makes each one depend on
    the other examples of its batch (a largest difference of 2.4 in one model).

    ## Instead
    `model.apply(variables, x, train=False)` in functions that evaluate; pass no `rngs` there, so
    that a forgotten flag fails. An nnx model: `model.eval()` before, `model.train()` after. A flag
    that is handed on under a name of the opposite sense needs a `not`: `deterministic=not train`; a
    `~` makes -2 of `True` and -1 of `False`, and both are true. A function with a flag gives it to
    the module, and a module to all its layers: else it trains with dropout off, or evaluates with
    it on. A Flax model of Hugging Face evaluates by default: a loss passes `train=True` and
    `dropout_rng=key`.

    ## Not reported
    Helpers that something else than an evaluation calls too, or that another file names; nnx models
    that no code switches by `model.train()`, or that may be switched in another file; calls that a
    loop repeats with the same arguments, the samples of Monte Carlo dropout.
    """

    severity = "error"
    confidence = "medium"
    # Comments of their own line that speak of the mode: it is meant.
    spoken = re.compile(
        r"(?m)^\s*#(?!\s*gotcha\b).*\b((is_)?train(ing)? ?(mode|is|on|=)|deterministic)\b"
    )
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                net = nn.Dropout(0.5)


                def evaluate(x, rngs):
                    return net.apply({}, x, deterministic=False, rngs=rngs)  # ! eval-in-train-mode


                y = evaluate(jnp.ones(64), {"dropout": jax.random.key(0)})
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                net = nn.Dropout(0.5)


                def evaluate(x, rngs):
                    return net.apply({}, x, deterministic=True)


                y = evaluate(jnp.ones(64), {"dropout": jax.random.key(0)})
            """,
            shows="bool((y == 0).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(INVERTED_FLAG):
            name, argument = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`~{name}` of a `bool` of Python is -1 or -2, so `{argument}` is true in "
                f"both modes: write `not {name}`",
                severity="warning",
            )
        for call, effect in programs.forward.values():
            yield Foreseen(
                (effect.calls[-1] if effect.calls else (effect.path, effect.span)),
                f"{called(call.function)} runs the module in training mode, and takes no gradient: "
                "its dropout draws a mask at each call; call `eval()` on the module before",
                ((effect.path, effect.span, "drops here"), (call.path, call.span, "called here")),
                certain=not (effect.maybe or call.maybe or set(effect.guards) - set(call.guards)),
            )
        for effect in programs.effects[IGNORED_FLAG].values():
            calls = ((*at, "called here") for at in effect.calls[-1:])
            mode = (
                "always runs in training mode"
                if runs_in_training(effect)
                else "runs in evaluation mode, its default"
            )
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.within.name}` takes `{effect.what}` and does not read it: the module "
                f"{mode}",
                tuple(calls),
                certain=not effect.maybe,
            )
        for effect in programs.effects[KEPT_ON].values():
            calls = ((*at, "called here") for at in effect.calls[-1:])
            flag = f"{effect.what}={effect.values[0].constant}"
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.within.name}` is called with `{flag}` too, and this layer trains all "
                f"the same: let it follow `{effect.what}`",
                tuple(calls),
                certain=not effect.maybe,
            )
        for flag in programs.flags:
            if flag.inverted:
                yield Foreseen(
                    (flag.function.path, flag.span),
                    f"`{flag.name}={flag.given}` is inverted: one says that the model "
                    "trains, the other one that it does not",
                )
            else:
                yield Foreseen(
                    (flag.function.path, flag.span),
                    f"`{flag.function.name}` has a parameter `{flag.name}`, and passes "
                    f"`{flag.given}` on here, whatever its value is",
                    certain=False,
                )
        for text in programs.texts:
            found = list(unswitched_models(text.origins.links, text.module))
            if found and _has_pretrained_models(programs, text):
                for function, span in found:
                    yield Foreseen(
                        (function.path, span),
                        "the loss runs this model of Hugging Face with `train=False`, its default, "
                        "so dropout is off in training: pass `train=True` and `dropout_rng=key`",
                        severity="warning",
                    )
        for fault in programs.faults.of(IN_TRAINING):
            flag, parameter, *called_here = fault.text
            if programs.elsewhere.says(called_here, fault.path):
                continue  # another file may call it to train
            if parameter and programs.elsewhere.calls(_SWITCHES, fault.path):
                continue
            what = (
                f"`{fault.within.name}` runs with {flag}"
                if flag
                else f"`{parameter}` is switched by `{parameter}.train()`, and nothing calls "
                f"`{parameter}.eval()`"
            )
            yield Foreseen(
                (fault.path, fault.span),
                f"{what}: dropout and batch statistics are those of training",
                fault.places,
                fault.certain,
            )


def _has_pretrained_models(programs: Programs, text: Text) -> bool:
    own = imports_library(text.origins.links, text.module)
    return own or programs.elsewhere.says((LIBRARY,), text.module.path)
