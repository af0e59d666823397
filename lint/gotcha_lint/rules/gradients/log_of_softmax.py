from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.remarks import LOG_OF_SOFTMAX
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault
from gotcha_lint.text.file_tree import FileTree


class LogOfSoftmax(Rule):
    """Takes the logarithm of a softmax, which underflows: `log_softmax` does not.

    ## What happens
    Where one logit is far below the others the softmax is exactly 0 and the logarithm -inf. At a
    gap of 1000 the gradient is NaN.

    ## Instead
    `jax.nn.log_softmax(logits)`: exact at any gap, and cheaper.

    ## Not reported
    Logarithms that `jax.random.categorical` draws from, or whose `argmax` is all that is taken,
    with Gumbel noise, say: what is -inf is never chosen.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                logits = jnp.array([0.0, 1000.0])
                log_p = jnp.log(jax.nn.softmax(logits))  # ! log-of-softmax
            """,
            good="""
                import jax
                import jax.numpy as jnp

                logits = jnp.array([0.0, 1000.0])
                log_p = jax.nn.log_softmax(logits)
            """,
            shows="bool(jnp.isinf(log_p).any())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LOG_OF_SOFTMAX):
            if not is_test(fault.path):
                yield Foreseen(
                    (fault.path, fault.span), _message(fault), fault.places, fault.certain
                )

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        match node:
            case cst.Call(args=[cst.Arg(value=cst.Call(func=func) as softmax, keyword=None)]):
                pass
            case _:
                return None
        match func:
            case cst.Attribute(value=owner, attr=cst.Name(value="softmax")):
                name, imports = f"{text_of(owner)}.log_softmax", ()
            case cst.Name(value="softmax"):
                name, imports = f"{file.alias('jax.nn')}.log_softmax", ("jax",)
            case _:
                return None
        text = name + text_of(softmax)[len(text_of(func)) :]
        return Rewrite("use `log_softmax`", (Change(node, text=text),), imports=imports)


def _message(fault: Fault) -> str:
    _, made, *given = fault.text
    if given:
        return (
            "the function that is called takes the logarithm of this softmax, which underflows to "
            "0, and the logarithm to -inf: `log_softmax` stays exact"
        )
    if made == "softmax":
        return "the softmax underflows to 0 and its logarithm to -inf: `log_softmax` stays exact"
    return (
        "this is the logarithm of a softmax: `exp` overflows for large logits, and the quotient "
        "underflows to 0: `log_softmax` stays exact"
    )
