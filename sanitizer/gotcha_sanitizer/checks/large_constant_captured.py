"""Arrays that became part of a program."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Program
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Constant
from gotcha_sanitizer.values.words import size

_NOTE = 0.1  # of `min_const_bytes`
_UNNAMED = "an array made while it was traced, or read where we do not look"


class LargeConstantCaptured(Check):
    """Lists the arrays baked into each program, with the variable that each came from.

    A finding from `min_const_bytes` (1 MB) on, counted over all programs that hold it, and a note
    from a tenth of that on. JAX itself warns from 2 GB on.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._counts: dict[tuple[object, ...], tuple[int, int]] = {}

    def on(self, event: Program) -> Iterator[Finding]:
        if event.eager:
            return
        for constant in event.constants:
            key = (event.function.key, constant.origin or (constant.shape, constant.dtype))
            count, total = self._counts.get(key, (0, 0))
            self._counts[key] = count + 1, total + constant.bytes
            if total + constant.bytes >= self.options.min_const_bytes * _NOTE:
                yield self._finding(event, constant, key)

    def _finding(self, program: Program, constant: Constant, key: tuple[object, ...]) -> Finding:
        function = program.function
        count, total = self._counts[key]
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
            severity="warning" if total >= self.options.min_const_bytes else "info",
            evidence={
                "bytes": constant.bytes,
                "variable": constant.origin,
                "programs": count,
                "total": total,
                "compile": round(program.seconds.get("compile", 0.0), 3),
            },
            key=key,
        )
