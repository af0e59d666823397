"""`jax.numpy`, `jax.nn` and `jax.scipy`: arrays on the device."""

from __future__ import annotations

from gotcha_lint.domain.value import Value
from gotcha_lint.interpret.call import Call, alias, family
from gotcha_lint.interpret.models.array_functions import array_call
from gotcha_lint.interpret.result_types import from_table

_SQUASHING = ("softmax", "log_softmax", "sigmoid")
alias(
    {
        f"flax.{module}.{name}": f"jax.nn.{name}"
        for module in ("linen", "nnx")
        for name in _SQUASHING
    }
)


@family("jax.numpy.", "jax.nn.", "jax.scipy.")
def device_array(call: Call) -> Value:
    found = from_table(call, call.name, call.args)
    return array_call(call, False) if found is None else found


@family("jax.nn.initializers.")
def initializer(call: Call) -> Value:
    """A function that makes parameters; it draws nothing before it is called."""
    return Value((), True, call.marks)
