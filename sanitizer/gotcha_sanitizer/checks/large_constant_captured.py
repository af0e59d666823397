"""Arrays that became part of a program."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.events import Event, Program
from gotcha_sanitizer.finding import Finding
from gotcha_sanitizer.parts import Constant
from gotcha_sanitizer.words import size

_UNNAMED = "an array made while it was traced, or read where we do not look"


class LargeConstantCaptured(Check):
    """Lists the arrays baked into each program, with the variable that each came from.

    Only those of `min_const_bytes` (1 MiB) and more: JAX itself warns from 2 GB on.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._counts: dict[tuple[object, ...], tuple[int, int]] = {}

    def on(self, event: Event) -> Iterator[Finding]:
        if not isinstance(event, Program) or event.eager:
            return
        for constant in event.constants:
            if constant.bytes >= self.options.min_const_bytes:
                yield self._finding(event, constant)

    def _finding(self, program: Program, constant: Constant) -> Finding:
        function = program.function
        key = (function.key, constant.origin or (constant.shape, constant.dtype))
        count, total = self._counts.get(key, (0, 0))
        self._counts[key] = count, total = count + 1, total + constant.bytes
        shape = f"{constant.dtype}[{','.join(map(str, constant.shape))}]"
        what = f"`{constant.origin}`" if constant.origin else _UNNAMED
        copies = f", in {count} programs ({size(total)})" if count > 1 else ""
        return Finding(
            name="large-constant-captured",
            message=f"{what}, {shape}, {size(constant.bytes)}, is baked into "
            f"`{function.name}`{copies}",
            site=function.site or program.site,
            advice=f"pass {what} as an argument" if constant.origin else "pass it as an argument",
            function=function.name,
            count=count,
            evidence={"bytes": constant.bytes, "variable": constant.origin, "programs": count},
            key=key,
        )
