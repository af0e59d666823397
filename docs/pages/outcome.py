"""What a run showed of an example, in words."""

from __future__ import annotations

from pages.measured import Example

_LONGEST = 14  # lines of a message of JAX


def told(example: Example, where: str = "below") -> str:
    """The true error, or how the two programs differed; `where` the code is, from here."""
    if example.unknown:
        return "Not run since the example changed."
    if example.error:
        return f"{_ends(example, where)}:\n\n```text\n{_message(example)}\n```"
    parts = [_values(example, where), _compiled(example, where), _warned(example)]
    return "\n\n".join(part for part in parts if part)


def _ends(example: Example, where: str) -> str:
    version, line = example.measured_with["jax"], example.error["line"]
    if not example.error["type"]:
        return f"With jax {version} the process of the example {where} is gone, without a traceback"
    return f"With jax {version} the example {where} ends at line {line}"


def _message(example: Example) -> str:
    kind, message = example.error["type"], example.error["message"]
    lines = (f"{kind}: {message}" if kind else message).splitlines()
    more = ["..."] if len(lines) > _LONGEST else []
    return "\n".join([*lines[:_LONGEST], *more])


def _values(example: Example, where: str) -> str:
    """The values that tell the two apart."""
    bad, good = (each.get("values", {}) for each in example.shown)
    rows = [
        f"| `{name}` | `{value}` | `{good[name]}` |"
        for name, value in bad.items()
        if good.get(name, value) != value
    ]
    head = [f"| after the example {where} | bad | good |", "| --- | --- | --- |"]
    return "\n".join(head + rows) if rows else ""


def _compiled(example: Example, where: str) -> str:
    bad, good = example.compiles
    if bad <= good or not example.sanitizer:
        return ""
    return f"The example {where} compiles {bad} programs, with the good code {good}."


def _warned(example: Example) -> str:
    lines = "\n".join(example.warnings)
    return f"JAX warns:\n\n```text\n{lines}\n```" if lines else ""
