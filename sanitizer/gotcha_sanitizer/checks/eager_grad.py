"""Gradients taken operation by operation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Explained
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.words import package


@dataclass
class _Place:
    operations: set[str] = field(default_factory=set)
    seconds: float = 0.0


class EagerGrad(Check):
    """Sees the operations that a gradient outside of `jax.jit` compiles one by one.

    Only in a loop: a gradient that is taken once costs little.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._places: dict[object, _Place] = {}

    def on(self, event: Explained) -> Iterator[Finding]:
        if event.program.eager != "grad":
            return
        program = event.program
        if not program.loops:
            return
        site, loop = program.site, program.loops[0]
        path = program.library.path if program.library else ""
        library = ((program.library, f"{package(path)} takes it here"),) if program.library else ()
        found = self._places.setdefault(site, _Place())
        found.operations.add(program.function.name)
        found.seconds += event.seconds
        count = len(found.operations)
        yield Finding(
            name="eager-grad",
            message=f"a gradient is taken outside of jit, in a loop: its {count} kinds of "
            "operation run one by one, and Python runs the loss function again in each iteration",
            site=site,
            advice="put `jax.jit` around the whole step",
            count=count,
            seconds=found.seconds,
            severity="warning" if count >= 3 else "info",
            chain=(*library, (loop, "the loop")),
            evidence={"operations": sorted(found.operations)[:20]},
            key=(site,),
        )
