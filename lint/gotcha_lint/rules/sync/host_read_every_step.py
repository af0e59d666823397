"""The host reads a step's result at once, at every step."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call, Place
from gotcha_lint.analysis.syntax import holds, source_of
from gotcha_lint.queries.reads import compiled_calls, reads, targets_of
from gotcha_lint.queries.steps import in_place, training_loop
from gotcha_lint.rule import Example, Report, Rule

_READING = ("eval", "test", "predict", "valid", "sample", "generate", "bench", "debug")


class HostReadEveryStep(Rule):
    """Reads a value of the training step on the host at each turn of the loop.

    ## What happens
    `float(loss)`, `loss.item()`, `np.asarray(...)`, `print(loss)` or `if loss < best` wait until
    the step is done, so the next one is queued only then and the device idles in between. On CPU,
    where the computation shares the cores, the price was 0 to 25 %. Where a step is as short as the
    waking up of a waiting host, 0.3 ms on two cores, reading every 100 steps gave 2.6 times the
    steps per second, and reading the result of the step before 1.1 to 1.2 times.

    ## Instead
    Keep the arrays, and fetch a window of them with one `jax.device_get` every n steps, or, where
    steps take longer than a millisecond, read the result of the step before.

    ## Not reported
    Reads under an `if`, of the step before, once per epoch or chunk, and in loops that evaluate,
    act in an environment, generate or export: there the value is needed at once. Demos of at most
    20 turns in all.
    """

    severity = "warning"
    preview = True
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w, x):
                    loss = jnp.sum((w - x) ** 2)
                    return w - 0.1 * (w - x), loss


                def train(w, batches):
                    for x in batches:
                        w, loss = step(w, x)
                        print(float(loss))  # ! host-read-every-step
                    return w
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w, x):
                    loss = jnp.sum((w - x) ** 2)
                    return w - 0.1 * (w - x), loss


                def train(w, batches):
                    losses = []
                    for x in batches:
                        w, loss = step(w, x)
                        losses.append(loss)
                        if len(losses) == 100:
                            print(jax.device_get(losses))
                            losses.clear()
                    return w
            """,
            unseen="the wait costs time, and how much depends on the device",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        name = site.function.qualname.lower()
        if not site.eager or any(word in name for word in _READING):
            return
        reported: set[int] = set()
        for call in compiled_calls(site):
            loop = training_loop(site, call)
            if loop is None:
                continue
            targets = targets_of(site, call)
            for read, names in reads(site):
                seen = bool(names & targets) and read.at.order > call.at.order
                seen = seen or (in_place(call) and _inside(call, read))
                if seen and _same_turn(read, call) and id(read.at.statement) not in reported:
                    reported.add(id(read.at.statement))
                    yield Report(
                        read.node,
                        f"`{source_of(read.node, 40)}` waits for the step at every turn of the "
                        "loop: read every n steps, or the result of the step before",
                        places=((call.node, "the step"),),
                    )
                    targets -= names  # it is there now: reading it again costs nothing


def _same_turn(read: Place, call: Call) -> bool:
    """In the same turn, and under no condition of its own."""
    return read.at.loops == call.at.loops and read.at.guards == call.at.guards


def _inside(call: Call, read: Place) -> bool:
    """`float(step(model, x))`"""
    return holds(read.node, call.node)
