from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call, Place
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.jitted import jitted_here
from gotcha_lint.queries.stale import changed_after
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.stale_state import stale
from gotcha_lint.solve.programs import Programs

_OPTIMIZER = "flax.nnx.Optimizer"


class StaleCapture(Rule):
    """Changes a variable after a jitted closure over it was compiled.

    ## What happens
    What a jitted function captures becomes a constant of its program when it is first called.
    Python closures see later assignments; the compiled program does not, so that a learning rate
    that is lowered between epochs, or weights that are replaced, have no effect. An nnx model
    captured by its evaluation gave the loss of the untrained model, 7.1587 before and after
    training, where 0.00002 was true.

    ## Instead
    Pass it as an argument.
    """

    severity = "error"
    roots = frozenset({"jit", "pmap"})
    confirmed_by = (("stale-capture", "closure"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                rate = 0.5


                @jax.jit
                def step(x):
                    return x * rate


                x = jnp.ones(())
                for _ in range(5):
                    x = step(x)
                    rate = rate * 0.1  # ! stale-capture
            """,
            good="""
                import jax
                import jax.numpy as jnp

                rate = 0.5


                @jax.jit
                def step(x, rate):
                    return x * rate


                x = jnp.ones(())
                for _ in range(5):
                    x = step(x, rate)
                    rate = rate * 0.1
            """,
            shows="float(x) > 0.01",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        function = jitted_here(site)
        if function is None or is_test(site.body.model.path):
            return
        calls = _calls(site)
        for name, use in function.captured.items():
            if name not in site.body.names or not calls:
                continue
            bind = _trained_after(site, calls, name)
            if bind is not None:
                yield _report(site, bind, name, function.name, use)

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        yield from stale(programs, "variable")


def _calls(site: Call) -> list[Call]:
    """The calls of what this call of jit gives."""
    made = site.result
    functions = (c for c in site.body.of(Call) if c.callee.targets == made.targets)
    return [c for c in functions if any(v.site == made.via[-1].site for v in c.callee.via)]


def _trained_after(site: Call, calls: list[Call], name: str) -> Place | None:
    """A call that is given the captured nnx model together with its optimizer."""
    value, project = site.body.names[name], site.body.project
    if value.kind is not Kind.OBJECT or value.cls is None or project is None:
        return None
    if not project.is_a(value.cls, "flax.nnx.Module"):
        return None
    training = [
        call
        for call in site.body.of(Call)
        if any(dotted(arg.value) == name for arg in call.node.args)
        and any(one is not None and one.of == _OPTIMIZER for one in (call.base, *call.args))
        and call.result.of != _OPTIMIZER
    ]
    return changed_after(site, calls, training)


def _report(site: Call, bind: Place, name: str, function: str, use: object) -> Report:
    assert isinstance(use, cst.CSTNode)
    what = "call" if isinstance(bind, Call) else "assignment"
    return Report(
        bind.node,
        f"`{function}` was compiled with the value that `{name}` had at its first call: this "
        f"{what} is not seen by it; pass `{name}` as an argument",
        places=((site.node, f"`{function}` is jitted here"), (use, f"and reads `{name}` here")),
    )
