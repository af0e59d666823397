"""Stores into an argument of a traced function, which nothing sees afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.jitted import LOST_STORE
from gotcha_lint.program.ir import Function
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import variations
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault


class ArgumentMutatedInJit(Rule):
    """Stores into an argument of a jitted function, which does not return it.

    ## What happens
    Nothing fails, and there is no message. `jax.jit` takes its arguments apart and gives the
    function new containers: `params["w"] = w` changes the dictionary of this trace, and the
    caller's stays as it was. So do `losses.append(loss)` and, of an object that is a pytree,
    `self.w = w`. A step that updates its parameters like this trains nothing; without `jit` it
    does.

    ## Instead
    Return what is new, and bind it: `params = step(params, x)`.

    ## Not reported
    What is returned, read or passed on after the store, or what anything may keep; copies; helpers,
    whose caller sees the store; keys that are not written out; `del` and `pop`; attributes where a
    method or a property may read them after the store; Flax NNX, whose transforms bring changes
    back.

    ## In a run
    Nothing: the store happens before there is a program.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, x):
                    error = params["w"] * x - 1.0
                    params["w"] = params["w"] - 0.1 * error * x  # ! argument-mutated-in-jit
                    return jnp.sum(error**2)


                params = {"w": jnp.zeros(3)}
                for _ in range(10):
                    loss = step(params, jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, x):
                    error = params["w"] * x - 1.0
                    params["w"] = params["w"] - 0.1 * error * x
                    return params, jnp.sum(error**2)


                params = {"w": jnp.zeros(3)}
                for _ in range(10):
                    params, loss = step(params, jnp.ones(3))
            """,
            shows="float(loss) == 3.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        refused = [row.function for row, _ in variations(programs, "no tree")]
        for fault in programs.faults.of(LOST_STORE):
            if any(_holds(function, fault) for function in refused):
                continue  # the call raises: `jit-method-no-static-self`
            parameter, word, function = fault.text
            here = fault.path, fault.span
            yield Foreseen(
                here,
                f"`{{}}` is lost: {word} gives `{function}` a copy of `{parameter}`, and nothing "
                f"reads or returns it after this; return `{parameter}`",
                fault.places,
                fault.certain,
                quotes=(here,),
            )


def _holds(function: Function | None, fault: Fault) -> bool:
    if function is None or function.path != fault.path:
        return False
    return function.line <= fault.span[0] <= function.end_line
