from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.logit_uses import LogUse
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import parents, source_of, walk
from gotcha_lint.facts.jax import GUARDS, LARGEST
from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule, module_alias, text_of
from gotcha_lint.solve.programs import Programs

_SOFTMAX = frozenset({"jax.nn.softmax", "flax.linen.softmax", "flax.nnx.softmax"})
_DRAWS = "jax.random.categorical"


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

    roots = frozenset({"softmax"})
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

    def check(self, site: LogUse) -> Iterator[Report]:
        call = site.body.call_of(site.node)
        if call is None or is_test(site.body.model.path):
            return
        if _limited(call) or _only_largest_counts(call):
            return
        own, name = not call.callee.targets, source_of(call.node.func)
        inner = call.arg_node(0, "x") if own else None
        direct = site.body.call_of(inner)
        made = Flowing(site.body, site.at).resolve(inner) if not direct and inner else None
        yield Report(
            site.node,
            "the softmax underflows to 0 and its logarithm to -inf: `log_softmax` stays exact"
            if own
            else f"`{name}` takes the logarithm of this softmax, which underflows to 0, and the "
            "logarithm to -inf: `log_softmax` stays exact",
            _fix(call, direct) if direct is not None and direct.name in _SOFTMAX else None,
            places=((made, "the softmax"),) if isinstance(made, cst.Call) else (),
        )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("log of softmax"):
            yield Foreseen(
                (fault.path, fault.span),
                "this is the logarithm of a softmax: `exp` overflows for large logits, and the "
                "quotient underflows to 0: `log_softmax` stays exact",
                fault.places,
                fault.certain,
            )


def _limited(site: Call) -> bool:
    """What it makes of a 0 is replaced at once, `where(p > 0, log(p), 0)`, or never drawn."""
    above, node = parents(site.at.statement), site.node
    while (outer := above.get(id(node))) is not None:
        call = site.body.call_of(outer)
        if call is not None and (call.name in GUARDS or call.name == _DRAWS):
            return True
        node = outer
    return False


def _fix(site: Call, softmax: Call) -> Rewrite:
    func = softmax.node.func
    if isinstance(func, cst.Attribute):
        name, imports = f"{text_of(func.value)}.log_softmax", ()
    else:
        name, imports = f"{module_alias(site.body, 'jax.nn')}.log_softmax", ("jax",)
    text = text_of(softmax.node)
    return Rewrite(
        "use `log_softmax`",
        (Change(site.node, text=name + text[len(text_of(func)) :]),),
        imports=imports,
    )


def _only_largest_counts(site: Call) -> bool:
    """`argmax` reads the name that it is bound to, and nothing else in the function does."""
    names = {bind.name for bind in site.body.of(Bind) if bind.at.statement is site.at.statement}
    nodes = list(walk(site.body.function.node))
    calls = (site.body.call_of(node) for node in nodes if isinstance(node, cst.Call))
    largest = [call.node for call in calls if call is not None and call.name in LARGEST]
    read = {id(part) for node in largest for part in walk(node)}
    bound = {id(part) for part in walk(site.at.statement)}
    uses = [id(n) for n in nodes if isinstance(n, cst.Name) and n.value in names]
    later = [use for use in uses if use not in bound]
    return bool(later) and all(use in read for use in later)
