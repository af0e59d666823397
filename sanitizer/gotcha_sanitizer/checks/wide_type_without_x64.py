"""NumPy arrays of 64-bit types that a jitted call narrows at each step."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.explain.loop_arguments import replaced, root
from gotcha_sanitizer.values.events import Program
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Leaf
from gotcha_sanitizer.values.words import itemsize, size

_NOTE, _LARGE = 2**14, 2**20  # bytes of one call, as NumPy holds them
_SHOWN = 3


class WideTypeWithoutX64(Check):
    """Looks, when a call is compiled in a loop, for NumPy arguments of 64-bit types.

    JAX converts them to 32 bits on the host at each call, in silence, before it copies them. From
    16 KiB a call on it is a note, from 1 MiB on a warning. Calls that were compiled before the loop
    are not seen, and arguments that the call's own statement replaces (`w = step(w, x)`) do not
    count.

    ## Instead
    Make the data 32 bits wide once, where they are loaded: `x.astype(np.float32)`.
    """

    def on(self, event: Program) -> Iterator[Finding]:
        if event.eager or not event.loops or not event.stack or not event.called:
            return
        wide = {path: leaf for path, leaf in event.signature.leaves.items() if leaf.given}
        if sum(map(_bytes, wide.values())) < _NOTE:
            return
        site = event.stack[0]
        gone = replaced(site.path, site.line, event.signature.call)
        wide = {path: leaf for path, leaf in wide.items() if root(path) not in gone}
        total = sum(map(_bytes, wide.values()))
        if total < _NOTE:
            return
        shown = [f"`{path}` ({leaf.given})" for path, leaf in wide.items()]
        more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
        first = next(iter(wide.values()))
        yield Finding(
            name="wide-type-without-x64",
            message=f"{', '.join(shown[:_SHOWN])}{more} of `{event.function.name}`: {size(total)} "
            f"of NumPy that each call in the loop converts to {first.dtype} on the host",
            site=site,
            advice="convert the data once, where they are loaded: `x.astype(np.float32)`, or "
            "`np.int32` for whole numbers; where 64 bits are meant, switch on `jax_enable_x64`",
            function=event.function.name,
            severity="warning" if total >= _LARGE else "info",
            chain=((event.loops[0], "the loop"),),
            evidence={"arguments": list(wide)[:10], "bytes": total},
            key=(site, event.function.name),
        )


def _bytes(leaf: Leaf) -> int:
    return math.prod(leaf.shape) * itemsize(leaf.given)
