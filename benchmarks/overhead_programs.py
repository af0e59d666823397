"""What sanitizer_overhead.py times, one function each; run in a process of its own.

    python benchmarks/overhead_programs.py CASE

Prints one JSON object: CPU seconds of the best repeat, or bytes.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable


def best(work: Callable[[], object], times: int, repeats: int = 9) -> float:
    """CPU seconds of one call of `work`: the least of several means over `times` calls."""
    found = []
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(times):
            work()
        found.append((time.process_time() - began) / times)
    return min(found)


def tiny() -> float:
    """A call that only costs its dispatch."""
    import jax
    import jax.numpy as jnp

    double = jax.jit(lambda x: x * 2)
    x = jnp.ones(4)
    double(x)
    return best(lambda: double(x), 4000)


def leaves() -> float:
    """A call with 100 leaves."""
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda tree: jax.tree.map(lambda leaf: leaf + 1, tree))
    tree = {f"p{i}": jnp.ones(4) for i in range(100)}
    step(tree)
    return best(lambda: jax.block_until_ready(step(tree)), 400)


def step() -> float:
    """A step of about 3 ms that reads its loss."""
    import jax
    import jax.numpy as jnp

    @jax.jit  # gotcha: allow[jit-in-loop] one process runs this once
    def train(w, x):
        loss, grad = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        return w - 0.01 * grad, loss

    w, x = jnp.ones((384, 384)), jnp.ones((256, 384))
    w, _ = train(w, x)

    def turn() -> None:
        nonlocal w
        w, loss = train(w, x)
        float(loss)

    return best(turn, 60)


def compiles() -> float:
    """A start that compiles forty functions."""
    import jax
    import jax.numpy as jnp

    x = jnp.ones((16, 16))
    began = time.process_time()
    for n in range(40):
        # gotcha: allow[jit-in-loop] compiling is what is measured
        program = jax.jit(lambda x, n=n: jnp.tanh(x @ x + n).sum() * jnp.exp(x).mean())
        jax.block_until_ready(program(x))
    return time.process_time() - began


def memory() -> float:
    """Growth of the process, in bytes, from the 300th to the 1,300th re-jit."""
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

    rejit(300)
    before = resident()
    rejit(1000)
    return resident() - before


def nothing() -> float:
    """Only Python's start: for the cost of being installed and off."""
    return time.process_time()


CASES: dict[str, Callable[[], float]] = {
    case.__name__: case for case in (tiny, leaves, step, compiles, memory, nothing)
}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]]()))
