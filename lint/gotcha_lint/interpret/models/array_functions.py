"""Functions that NumPy and `jax.numpy` share: what they give, written by hand.

For `jax.numpy` the generated table (`facts.avals`) is asked first.
"""

from __future__ import annotations

from gotcha_lint.domain.value import (
    Value,
)
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.indexing import is_cut
from gotcha_lint.interpret.models import array_creation, array_joining, array_operations
from gotcha_lint.interpret.models.array_results import FUNCTIONS, array_of

MODELS = (array_creation, array_joining, array_operations)  # they register on import
_KEEP_ROWS = frozenset(
    ("transpose", "abs", "clip", "exp", "log", "log1p", "sqrt", "square", "tanh")
)


def array_call(call: Call, host: bool) -> Value:
    """The result of a function of NumPy or `jax.numpy`; an array of which nothing is known else."""
    if call.short in _KEEP_ROWS and call.args and is_cut(call.args[0]):
        return call.args[0]
    of = FUNCTIONS.get(call.short)
    if of is not None:
        return of(call, host)
    call.engine.equations += 1
    return array_of(call, host, None, None, call.marks)
