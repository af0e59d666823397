"""Arrays that are read after their memory was given to a jitted call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Deleted, Program
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site

_MOST = 200  # functions of one shape
Kind = tuple[tuple[int, ...], str]


class UseAfterDonation(Check):
    """Names the functions that donate an argument of the shape whose read has failed.

    JAX's own error tells the shape alone. What was passed to another jitted call, instead of being
    read on the host, is not seen here.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._donors: dict[Kind, dict[str, Site | None]] = {}

    def on(self, event: Program | Deleted) -> Iterator[Finding]:
        if isinstance(event, Program):
            self._learn(event)
        else:
            yield self._finding(event)

    def _learn(self, program: Program) -> None:
        names = donated(program)
        if not names:
            return
        for path, leaf in program.signature.leaves.items():
            if re.split(r"[.\[]", path, maxsplit=1)[0] in names:
                donors = self._donors.setdefault((leaf.shape, leaf.dtype), {})
                if len(donors) < _MOST:
                    donors[f"`{program.function.name}` (its `{path}`)"] = program.site

    def _finding(self, event: Deleted) -> Finding:
        shape = f"{event.dtype}[{','.join(map(str, event.shape))}]"
        donors = self._donors.get((event.shape, event.dtype), {})
        shown = ", ".join(list(donors)[:3]) + (", ..." if len(donors) > 3 else "")
        if donors:
            why = f"its memory was donated; an argument of this shape is donated to {shown}"
        else:
            why = "it was deleted; no function was seen to which an argument of this shape is given"
        return Finding(
            name="use-after-donation",
            message=f"an array {shape} was read after its memory was gone: {why}",
            site=event.site,
            advice="bind the result to the donated name, `state = step(state)`, and keep what must "
            "live on as a copy (`jnp.copy`)",
            function=event.site.function if event.site else "",
            severity="error",
            confidence="high" if donors else "medium",
            chain=tuple((site, "donates it") for site in donors.values() if site)[:3],
            evidence={"shape": shape, "donors": list(donors)[:10]},
            key=(event.site, shape),
        )


def donated(program: Program) -> set[str]:
    """Names of the arguments whose memory the call may use again."""
    options = program.signature.options
    if not options:
        return set()
    names = set(re.findall(r"'(\w+)'", options.get("donate_argnames", "")))
    if not names:
        given = program.signature.call[0]
        numbers = map(int, re.findall(r"\d+", options.get("donate_argnums", "")))
        names = {given[n] for n in numbers if n < len(given)}
    return names
