from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.queries.linen import is_apply, lacks
from gotcha_lint.queries.places import is_test
from gotcha_lint.rule import Example, Report, Rule, text_of

_TRAIN = {"train": True, "training": True, "is_training": True, "deterministic": False}
_TRAIN |= {"use_running_average": False}
_EVALUATES = (
    "eval",
    "evaluate",
    "evaluation",
    "predict",
    "validate",
    "validation",
    "infer",
    "inference",
)


class EvalInTrainMode(Rule):
    """Evaluates a linen model with dropout on, or with the statistics of the batch.

    ## What happens
    Nothing fails. Dropout makes predictions noisy, and batch normalisation makes each one depend on
    the other examples of its batch (a largest difference of 2.4 in one model).

    ## Instead
    `model.apply(variables, x, train=False)` in functions that evaluate; pass no `rngs` there, so
    that a forgotten flag fails.
    """

    severity = "error"
    roots = frozenset({"apply", "apply_fn"})
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

    def check(self, site: Call) -> Iterator[Report]:
        if not is_apply(site) or is_test(site.body):
            return
        words = site.body.function.name.strip("_").split("_")
        if words[0] not in _EVALUATES or {"train", "dropout", "mc"} & set(words):
            return
        if lacks(site, "dropout", "batchnorm") or _is_explained(site.body.function.node):
            return
        for arg in site.node.args:
            name = arg.keyword.value if arg.keyword else ""
            if name in _TRAIN and literal(arg.value) is _TRAIN[name]:
                yield Report(
                    site.node,
                    f"`{site.body.function.name}` runs with `{name}={text_of(arg.value)}`: "
                    "dropout and batch statistics are those of training",
                )
                return


def _is_explained(function: cst.CSTNode) -> bool:
    """A comment in it speaks of the mode."""
    lines = (line for node in walk(function) for line in getattr(node, "leading_lines", ()))
    comments = [line.comment.value for line in lines if line.comment is not None]
    return any(word in comment for comment in comments for word in _TRAIN)
