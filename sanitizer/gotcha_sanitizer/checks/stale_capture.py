"""Values that a compiled program will never see change."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.finding import Severity
from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Stale
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import SAMPLED, Mark, Site

_FIX = {
    "closure": "pass it as an argument",
    "global": "pass it as an argument",
    "self": "pass the attribute as an argument, or make the class a pytree",
}

# By whether the compiled program was seen to be called after the change.
_AFTER: dict[bool | None, str] = {
    True: "cached calls still use the old value",
    None: "later calls use the old value",
    False: "no call after that was seen",
}
_HOLDERS = ("container", "identity")
_SEVERITY: dict[bool | None, Severity] = {True: "error", None: "warning", False: "info"}


class StaleCapture(Check):
    """Looks again at what each traced function read from outside: closure, globals, `self`.

    On Python 3.12 and later at its calls: at the first 64 of each place, at those that follow an
    assignment to the variable, and at some of the others. On 3.11 now and then and at the end: a
    call after the change cannot be proved there. A function that read only arrays and numbers is
    also compared when it is freed. Of a NumPy array at most 256 elements are compared.
    """

    def on(self, event: Stale) -> Iterator[Finding]:
        captured, now, function = event.capture, event.now, event.function
        was = captured.mark
        what = _change(captured.name, was, now)
        sure = event.called is True
        after = _AFTER[event.called]
        chain = ((function.site, f"{function.name} is defined here"),) if function.site else ()
        yield Finding(
            name="stale-capture",
            message=f"`{function.name}`: {what}; {after}",
            site=event.site or function.site,
            advice=_FIX.get(captured.kind, _FIX["closure"]),
            function=function.name,
            cause=captured.kind,
            causes=(captured.kind,),
            severity=_SEVERITY[event.called],
            confidence="high" if sure else "medium",
            chain=chain,
            evidence={"variable": captured.name, "was": was.text, "now": now.text},
            key=(function.site or Site("", 0), function.name, captured.name),
        )


def _change(name: str, was: Mark, now: Mark) -> str:
    name, was, now = _innermost(name, was, now)
    if was.kind == now.kind == "function":
        return f"the function `{name}` was defined again"
    new = f"is {now.text}"
    if was.text == now.text:
        sampled = isinstance(now.key, tuple) and now.key[0] == SAMPLED
        new = "is one of other values (sampled)" if sampled else "is another one"
        new = "holds other values" if now.kind in _HOLDERS else new
    return f"`{name}` was {was.text} when it was traced and {new} now"


def _innermost(name: str, was: Mark, now: Mark) -> tuple[str, Mark, Mark]:
    """The only part of a container or an object that differs: an entry, an attribute."""
    while was.kind == now.kind and was.kind in _HOLDERS:
        before, after = dict(was.parts), dict(now.parts)
        if before.keys() != after.keys():
            break
        changed = [part for part in before if _differ(before[part], after[part])]
        if len(changed) != 1:
            break
        variable, helper, reader = name.partition(" (in ")
        name = f"{variable}{changed[0]}{helper}{reader}"
        was, now = before[changed[0]], after[changed[0]]
    return name, was, now


def _differ(was: Mark, now: Mark) -> bool:
    if was.key != now.key or was.source != now.source:
        return True
    parts = zip(was.parts, now.parts, strict=False)
    return any(_differ(before, after) for (_, before), (_, after) in parts)
