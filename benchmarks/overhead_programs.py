"""What sanitizer_overhead.py times, one function each; run in a process of its own.

    python benchmarks/overhead_programs.py CASE

Prepares the case, says "ready", and for each line on standard input does one turn and prints what
it took: CPU seconds of one call, of the process and of Python's threads, or bytes. So several of
these can be timed in lock-step, turn against turn, and a machine that slows down slows all.
"""

from __future__ import annotations

import itertools
import resource
import sys
import threading
import time
from collections.abc import Callable

Turn = Callable[[], tuple[float, ...]]


def timed(work: Callable[[], object], times: int) -> Turn:
    """A turn that gives the mean CPU seconds of a call: of the process, of Python's threads."""

    def turn() -> tuple[float, float]:
        process, threads = time.process_time(), python_threads()
        for _ in range(times):
            work()
        # gotcha: allow[timing-without-wait] `work` waits where more than dispatch is measured
        return (time.process_time() - process) / times, (python_threads() - threads) / times

    for _ in range(times):
        work()
    return turn


def python_threads() -> float:
    """CPU seconds of the threads that run Python, the sanitizer's own among them; not of XLA's."""
    idents = (thread.ident for thread in threading.enumerate())
    clocks = (time.pthread_getcpuclockid(ident) for ident in idents if ident)
    return sum(map(time.clock_gettime, clocks))


def tiny() -> Turn:
    """A call that only costs its dispatch."""
    import jax
    import jax.numpy as jnp

    double = jax.jit(lambda x: x * 2)
    x = jnp.ones(4)
    return timed(lambda: double(x), 2000)


def leaves() -> Turn:
    """A call with 100 leaves."""
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda tree: jax.tree.map(lambda leaf: leaf + 1, tree))
    tree = {f"p{i}": jnp.ones(4) for i in range(100)}
    return timed(lambda: jax.block_until_ready(step(tree)), 100)


def step() -> Turn:
    """A step of about 3 ms that reads its loss."""
    import jax
    import jax.numpy as jnp

    @jax.jit
    def train(w, x):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        return w - 0.01 * grad, loss

    w, x = jnp.ones((512, 512)), jnp.ones((896, 512))

    def once() -> None:
        nonlocal w
        w, loss = train(w, x)
        float(loss)  # gotcha: allow[host-read-every-step] the time until it is read is measured

    return timed(once, 10)


def compiles() -> Turn:
    """A function compiled for the first time, another one each turn."""
    import jax
    import jax.numpy as jnp

    x = jnp.ones((16, 16))
    numbers = itertools.count()

    def once() -> None:
        n = next(numbers)
        # gotcha: allow[jit-in-loop] compiling is what is measured
        program = jax.jit(lambda x, n=n: jnp.tanh(x @ x + n).sum() * jnp.exp(x).mean())
        jax.block_until_ready(program(x))

    return timed(once, 1)


def memory() -> Turn:
    """Growth of the process, in bytes, over 1,000 re-jits, after the first 1,000."""
    import gc

    import jax
    import jax.numpy as jnp

    x = jnp.ones(4)

    def rejit(times: int) -> None:
        for n in range(times):
            jax.jit(lambda x: x * 2)(x)  # gotcha: allow[jit-in-loop] the storm is what is measured
            if n % 100 == 99:
                jax.clear_caches()

    def resident() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def turn() -> tuple[float]:
        before = resident()
        rejit(1000)
        return (resident() - before,)

    rejit(1000)
    return turn


CASES: dict[str, Callable[[], Turn]] = {
    case.__name__: case for case in (tiny, leaves, step, compiles, memory)
}


def main(case: str) -> None:
    turn = CASES[case]()
    print("ready", flush=True)
    for _ in sys.stdin:
        print(*turn(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
