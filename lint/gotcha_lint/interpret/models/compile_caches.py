"""What forgets compiled programs."""

from __future__ import annotations

from gotcha_lint.domain.value import NONE, Value
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.effects import CLEARED, note_update


@model("jax.clear_caches")
def cleared(call: Call) -> Value:
    """Of all functions; `step.clear_cache()` is of one. A rarer test around it is a remedy."""
    machine = call.engine
    if not any(guard.marks & machine.current for guard in machine.guards if not guard.of_loop):
        note_update(machine, CLEARED, call.span)
    return NONE
