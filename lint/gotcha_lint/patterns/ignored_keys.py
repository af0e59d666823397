"""Functions that are given a random key, and draw from something else (floor `patterns`).

Must: no code of the function reads the parameter, or another key takes its name before any does,
and the function makes a key of its own, or draws from NumPy's generator. A function that draws
nothing may ignore its key: zeros need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.random import KEY_WORDS
from gotcha_lint.program.data_flow import instructions, reads_name
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Module, Parameter, Region, Span
from gotcha_lint.program.links import Links

_MADE = frozenset(("jax.random.PRNGKey", "jax.random.key"))
_HOST = "numpy.random."
_HOST_DRAWS = frozenset(
    _HOST + name
    for name in ("rand", "randn", "randint", "random", "uniform", "normal", "choice", "permutation",
                 "standard_normal", "random_sample")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IgnoredKey:
    """`span`: where the function makes a key of its own, or draws from the generator of NumPy."""

    function: Function
    parameter: Parameter
    span: Span
    of_host: bool


def ignored_keys(links: Links, module: Module) -> Iterator[IgnoredKey]:
    """Those of the functions of one file."""
    names = FullNames(links)
    for function in links.bodies(module):
        if function.is_module or function.is_class:
            continue
        for parameter in function.parameters:
            if not _is_key(parameter):
                continue
            before = _before_replaced(function, parameter.name)
            if not reads_name(before, parameter.name):
                drawn = _drawn(names, function, before)
                if drawn is not None:
                    yield IgnoredKey(function, parameter, *drawn)


def _before_replaced(function: Function, name: str) -> Region:
    """The body, up to where the name surely stands for something else."""
    for place, i in enumerate(function.body):
        if i[0] == "store" and i[2] == name:
            return function.body[:place]
    return function.body


def _is_key(parameter: Parameter) -> bool:
    words = parameter.name.lower().split("_")
    return not parameter.name.startswith("_") and words[-1] in KEY_WORDS


def _drawn(names: FullNames, function: Function, code: Region) -> tuple[Span, bool] | None:
    for i in instructions(code):
        if i[0] == "call":
            name = names.of_call(function, i)
            if name in _MADE or name in _HOST_DRAWS:
                return i[-1], name in _HOST_DRAWS
    return None
