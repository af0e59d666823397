"""Where float16 is chosen as the type of a model (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.patterns.training.layer_arguments import tokens_of
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_HALF = ("jax.numpy.float16", "numpy.float16")
_GRADIENTS = frozenset(("grad", "value_and_grad", "filter_grad", "filter_value_and_grad"))
_SCALING = frozenset(
    ("DynamicScale", "dynamic_scale", "DynamicLossScale", "StaticLossScale", "loss_scale",
     "loss_scaling", "loss_scaler", "grad_scaler", "scale_loss", "all_finite", "jmp", "scaler")
)  # fmt: skip
_TYPES = frozenset(("dtype", "precision"))


def half_types(module: Module, function: Function) -> Iterator[Span]:
    """`self.dtype = jnp.float16`, `Model(dtype=jnp.float16)`: those of one function."""
    if "float16" not in names_used(function):
        return
    reader = NamedReader(module, function)

    def is_half(register: Register) -> bool:
        made = reader.makers.get(register)
        return made is not None and made[0] == "attr" and reader.dotted(register) in _HALF

    for i in steps_of(function):
        if i[0] in ("store", "setattr"):
            name, value = (i[2], i[4]) if i[0] == "store" else (i[3], i[4])
            if tokens_of(name) & _TYPES and is_half(value):
                yield reader.makers[value][-1]
        elif i[0] == "call" and reader.function_of(i)[:1].isupper():
            for key, value in i[4]:
                if key == "dtype" and is_half(value):
                    yield reader.makers[value][-1]


def is_unscaled(modules: Iterable[Module]) -> bool:
    """Do they take gradients, and scale no loss?"""
    names = {name for one in modules for each in (*one.functions, one.top)
             for name in names_used(each)}  # fmt: skip
    return not names.isdisjoint(_GRADIENTS) and names.isdisjoint(_SCALING)
