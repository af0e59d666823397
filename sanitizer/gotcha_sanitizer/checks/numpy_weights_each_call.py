"""Large numpy arrays that go to the device again in each iteration of a loop."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.explain.loop_arguments import root, unchanging
from gotcha_sanitizer.values.events import Program
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.words import itemsize, size

_LARGE = 2**20  # bytes


class NumpyWeightsEachCall(Check):
    """Looks, when a call is compiled in a loop, for large numpy arguments that never change there.

    JAX copies them to the device at each call. Calls that were compiled before the loop are not
    seen, and neither are arguments that are more than a plain name.

    ## Instead
    `jax.device_put` the weights once, before the loop.
    """

    def on(self, event: Program) -> Iterator[Finding]:
        if event.eager or not event.loops or not event.stack:
            return
        sizes = _numpy_bytes(event)
        if not any(total >= _LARGE for total in sizes.values()):
            return
        site = event.stack[0]
        same = unchanging(site.path, site.line, event.signature.call)
        for name, total in sizes.items():
            if total >= _LARGE and name in same:
                yield Finding(
                    name="numpy-weights-each-call",
                    message=f"`{name}` of `{event.function.name}` is {size(total)} of numpy, "
                    "the same in each iteration of the loop: each call copies them to the device",
                    site=site,
                    advice="put it on the device once, before the loop, with `jax.device_put`",
                    function=event.function.name,
                    confidence="medium",
                    chain=((event.loops[0], "the loop"),),
                    evidence={"argument": name, "bytes": total},
                    key=(site, event.function.name, name),
                )


def _numpy_bytes(program: Program) -> dict[str, int]:
    """Bytes of numpy in each argument."""
    sizes: dict[str, int] = {}
    for path, leaf in program.signature.leaves.items():
        if leaf.kind != "numpy":
            continue
        sizes[root(path)] = sizes.get(root(path), 0) + math.prod(leaf.shape) * itemsize(leaf.dtype)
    return sizes
