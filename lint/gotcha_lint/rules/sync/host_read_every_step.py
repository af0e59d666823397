"""The host reads a step's result at once, at every step."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.patterns.rarer_uses import rarer_use
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import called, loop_places
from gotcha_lint.solve.host import Wait
from gotcha_lint.solve.programs import Programs


class HostReadEveryStep(Rule):
    """Reads a value of the training step on the host in each iteration of the loop.

    ## What happens
    `float(loss)`, `loss.item()`, `np.asarray(...)`, `print(loss)` or `if loss < best` wait until
    the step is done, so the next one is queued only then and the device idles in between. On CPU,
    where the computation shares the cores, the price was 0 to 25 %. Where a step is as short as the
    waking up of a waiting host, 0.3 ms on two cores, reading every 100 steps gave 2.6 times the
    steps per second, and reading the result of the step before 1.1 to 1.2 times.

    Loggers fetch what they are given, too: `wandb.log`, `set_postfix` of tqdm, which turns arrays
    into text even where no bar is shown, `add_scalar` of tensorboardX.

    ## Instead
    Keep the arrays, and fetch a window of them with one `jax.device_get` every n steps, or, where
    steps take longer than a millisecond, read the result of the step before.

    ## Not reported
    Reads under an `if` that looks at the iteration, of the step before, after an inner loop, and
    after another step was queued; functions that compile in each iteration; `block_until_ready`
    before the clock is read. Demos of at most 20 iterations in all.

    A note: reads that decide whether the loop goes on; and reads in a loop that a test leaves out
    as a whole, as those of an evaluation every 1000 steps, unless it has fewer iterations than the
    steps between.

    What is fetched often and used seldom, under a test of its own, is a note where the fetch stands
    under a test, too.

    With `--all`, as `info`: reads of the step before while nothing else is queued; reads that the
    next step needs, as those of an agent that acts; results of whole computations, with a
    `lax.scan` in them, that take nothing from the iteration before; arrays that a loop fetches;
    methods that a caller may call in a loop.
    """

    severity = "warning"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for wait in programs.waits.values():
            yield _foreseen(wait)


_WORDS = {
    "print": "`print` shows a result of",
    "format": "the text shows a result of",
    "if": "the test reads a result of",
    "while": "the test of the loop reads a result of",
    "range": "`range` reads a result of",
    "block_until_ready": "`block_until_ready` waits for",
}
_AFTER = {
    "schedule": "compute it on the host, with NumPy, or every n steps",
    "metric": "its sums stay on the device until they are read: read them every n steps",
}
_PLACES = 12  # that are named, of all reads
_WHOLE = frozenset(  # whatever its size, it is not kept
    {"block_until_ready", "print", "log", "set_postfix", "add_scalar", "add_scalars"}
)
_NUMBERS = frozenset({"float", "int", "bool", "complex", "item", "if", "range", "format"})


def _foreseen(wait: Wait) -> Foreseen:
    read, step = wait.read, called(wait.call.function)
    what = _WORDS.get(read.what, f"`{read.what}` reads a result of")
    advice = "keep it on the device and fetch many at once, or read that of the previous iteration"
    if wait.after:
        what = what.replace("a result of", "what the device computes after")
        advice = _AFTER[wait.after]
    elif wait.needed:
        advice = "the next step needs it: let the device decide, or run several steps in one call"
    elif wait.ends:
        advice = "ask every n iterations whether to go on, or let `lax.while_loop` decide"
    rare = rarer_use(read.within, read.span)
    if rare is not None:
        advice = f"only what stands under the test in line {rare[0]} uses it: fetch it there"
    when = "in the same iteration of the loop"
    if read.older:
        when = "of the iteration before, and nothing is queued yet"
    return Foreseen(
        wait.place,
        f"{what} {step} {when}, so the device has nothing to do until the host has queued the next "
        f"one: {advice}",
        (
            (wait.call.path, wait.call.span, "queued here"),
            (read.path, read.span, "read here"),
            *((*place, "read here, too") for place in wait.also[:_PLACES]),
            *loop_places(read.loops),
        ),
        certain=_is_certain(wait, rare is not None),
        severity="info" if wait.sometimes or wait.rare or wait.ends else None,
    )


def _is_certain(wait: Wait, is_used_rarely: bool) -> bool:
    """In each iteration, with nothing else queued, and for nothing that only the host can do now.

    Arrays that are no single numbers may be what the loop is there to fetch, if it uses them.
    """
    read = wait.read
    if wait.needed or wait.few or wait.exported or wait.behind:
        return False
    if wait.compiled_anew or wait.whole or read.older:
        return False
    if is_used_rarely:
        return True
    if wait.sometimes:
        return False
    if read.what == "block_until_ready":
        return wait.carried and not wait.timed
    return read.what in _NUMBERS or read.what in _WHOLE or (wait.scalar and read.what != "while")
