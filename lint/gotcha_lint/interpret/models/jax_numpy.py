"""`jax.numpy`, `jax.nn` and `jax.scipy`: arrays on the device."""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.value import UNKNOWN, Array, Value
from gotcha_lint.interpret.call import Call, alias, family
from gotcha_lint.interpret.models.array_functions import array_call
from gotcha_lint.interpret.result_types import from_table

_ACTIVATIONS = (  # Flax offers those of JAX under its own names
    "celu", "elu", "gelu", "glu", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh",
    "leaky_relu", "log_sigmoid", "log_softmax", "logsumexp", "one_hot", "relu", "relu6", "selu",
    "sigmoid", "silu", "soft_sign", "softmax", "softplus", "standardize", "swish", "tanh",
)  # fmt: skip
alias(
    {
        f"flax.{module}.{name}": f"jax.nn.{name}"
        for module in ("linen", "nnx")
        for name in _ACTIVATIONS
    }
)


@family("jax.numpy.", "jax.nn.", "jax.scipy.")
def device_array(call: Call) -> Value:
    found = from_table(call, call.name, call.args)
    found = array_call(call, False) if found is None else found
    return _as_given(call, found) if call.name == "jax.numpy.reshape" else found


def _as_given(call: Call, found: Value) -> Value:
    """It calls the method of what it is given: an array of numpy stays one."""
    given = call.args[0] if call.args else UNKNOWN
    if (
        given.unknown
        or not given.atoms
        or not all(isinstance(atom, Array) and atom.place == "host" for atom in given.atoms)
    ):
        return found
    atoms = (replace(a, place="host") if isinstance(a, Array) else a for a in found.atoms)
    return Value(atoms, found.unknown, found.marks)


@family("jax.nn.initializers.")
def initializer(call: Call) -> Value:
    """A function that makes parameters; it draws nothing before it is called."""
    return Value((), True, call.marks)
