"""Operations of JAX in a function that a compiled program calls back."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault


class JaxInCallback(Rule):
    """Runs operations of JAX in the function of a `jax.debug.callback` or `pure_callback`.

    ## What happens
    The compiled program waits for the callback, and the callback waits for the device: the
    operation is queued behind the program that waits for it. This can hang, and where it does not,
    each operation compiles and runs on the device by itself, for numbers that are on the host.

    ## Instead
    Use NumPy in the callback: `np.mean(x)`; what it gets is on the host already. Or compute in the
    compiled function, and give the callback the result.

    ## In a run
    Of this example nothing: the program is small, and nothing else waits for the device.

    ## References
    https://docs.jax.dev/en/latest/external-callbacks.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def show(losses):
                    print(jnp.mean(losses))  # ! jax-in-callback


                @jax.jit
                def step(x):
                    jax.debug.callback(show, x**2)
                    return x + 1


                step(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                def show(losses):
                    print(np.mean(losses))


                @jax.jit
                def step(x):
                    jax.debug.callback(show, x**2)
                    return x + 1


                step(jnp.ones(3))
            """,
            unseen="whether it hangs depends on what else the device is to do",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        first: dict[object, Fault] = {}
        for fault in sorted(programs.faults.of("callback"), key=lambda fault: fault.span):
            first.setdefault((fault.within, fault.certain), fault)
        for fault in first.values():
            (name,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` of JAX runs in a callback: it is queued on the device behind the "
                "program that waits for it, which can hang; use NumPy here",
                fault.places,
                fault.certain,
            )
