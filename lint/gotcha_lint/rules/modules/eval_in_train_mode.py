from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import last_word, walk
from gotcha_lint.facts.flags import TRAIN
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.flags import IGNORED_FLAG
from gotcha_lint.queries.modes import (
    called_by_evaluations,
    evaluates_by_name,
    is_evaluation,
    only_trains,
    train_flag,
)
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import called
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.comments import MARK

_LAYERS = ("dropout", "batchnorm")
_APPLY = ("apply", "apply_fn")


class EvalInTrainMode(Rule):
    """Evaluates a Flax model with dropout on, or with the statistics of the batch.

    ## What happens
    Nothing fails. Dropout makes predictions noisy, and batch normalisation makes each one depend on
    the other examples of its batch (a largest difference of 2.4 in one model).

    ## Instead
    `model.apply(variables, x, train=False)` in functions that evaluate; pass no `rngs` there, so
    that a forgotten flag fails. An nnx model: `model.eval()` before, `model.train()` after. A flag
    that is handed on under a name of the opposite sense needs a `not`: `deterministic=not train`.

    ## Not reported
    Helpers that something else than an evaluation calls too, and nnx models that no code switches
    by `model.train()`.
    """

    severity = "error"
    roots = frozenset({"apply", "apply_fn", "nnx"})
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

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path):
            return
        every = [call for call in site.of(Call) if _is_apply(call)]
        calls = [call for call in every if train_flag(call)]
        if len(calls) < len(every):  # an `if` chooses the mode
            calls = [call for call in calls if not call.at.guards]
        if calls and is_evaluation(site) and not _is_explained(site.function.node):
            yield from map(_of_linen, (call for call in calls if not _lacks_layers(call)))
        if evaluates_by_name(site) and not called_by_evaluations(site):
            yield from _of_nnx(site)

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
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
            yield Foreseen(
                (effect.path, effect.span),
                f"`{effect.within.name}` takes `{effect.what}` and does not read it: the module "
                "always runs in training mode",
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


def _is_apply(call: Call) -> bool:
    """`model.apply(...)` or `state.apply_fn(...)`."""
    return last_word(call.node.func) in _APPLY and not call.decorator


def _lacks_layers(call: Call) -> bool:
    """The module that is applied stands in this file, and names none of these layers."""
    cls, project = call.base.cls if call.base is not None else None, call.body.project
    if cls is None or cls[0] != call.body.model.path:
        return False
    if project is not None and project.is_a(cls, TRAIN_STATE):
        return False  # `state.apply_fn` is a method of another class
    names = (n.value for n in walk(call.body.model.classes[cls[1]].node) if isinstance(n, cst.Name))
    return not any(word in name.lower() for name in names for word in _LAYERS)


def _of_linen(call: Call) -> Report:
    return Report(
        call.node,
        f"`{call.body.function.name}` runs with {train_flag(call)}: dropout and batch statistics "
        "are those of training",
    )


def _of_nnx(body: Body) -> Iterator[Report]:
    for param in body.function.params:
        if only_trains(body, param.name):
            yield Report(
                param.node,
                f"`{param.name}` is switched by `{param.name}.train()`, and nothing calls "
                f"`{param.name}.eval()`: dropout and batch statistics are those of training",
            )


def _is_explained(function: cst.CSTNode) -> bool:
    """A comment in it speaks of the mode; one for this tool, which may name this rule, does not."""
    lines = (line for node in walk(function) for line in getattr(node, "leading_lines", ()))
    comments = [line.comment.value for line in lines if line.comment is not None]
    prose = [comment for comment in comments if MARK.match(comment) is None]
    return any(word in comment for comment in prose for word in TRAIN)
