"""What a look at a training step keeps of its arguments: plain values, no arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gotcha_sanitizer.values.parts import Site


class Leaf(NamedTuple):
    """One array at one look. `digest` tells contents apart; of a large array a sample is read."""

    shape: tuple[int, ...]
    dtype: str
    digest: int
    value: float | None = None  # of a single number
    constant: bool = False  # all elements are equal
    zero: bool = False  # all elements are zero
    key: bool = False  # a random key, typed or raw
    nan: bool = False  # it has one, of the elements that were read

    @property
    def is_float(self) -> bool:
        return "float" in self.dtype

    @property
    def is_python(self) -> bool:
        """No array: `bool`, `int` or `float`."""
        return self.dtype in ("bool", "int", "float")

    @property
    def is_counter(self) -> bool:
        return self.shape == () and self.dtype.startswith(("int", "uint")) and not self.key


@dataclass(frozen=True, slots=True)
class Observed:
    """What a second evaluation of a step has seen in it, at one line of the user's.

    `kind`: "norm below" (a norm is compared with a limit: `true` where it was below), or "masked"
    (a product or a choice, `true` where all of it was zero although an operand was not).
    """

    kind: str
    site: Site
    true: bool
    index: int = 0  # tells several of one line apart


@dataclass(frozen=True, slots=True)
class Look:
    """One call of a jitted function in a loop, as its arguments were just before it."""

    at: float
    site: Site  # the line of the call
    function: str
    number: int  # of the call, from 0
    carried: Mapping[str, Leaf]  # what the call gives back with the same names: the state
    inputs: Mapping[str, Leaf]  # all other arguments
    results: Mapping[str, Leaf]  # of the call: numbers that are not carried on
    drifting: tuple[str, ...] = ()  # replicated, and not the same on all devices
    observed: tuple[Observed, ...] = ()
    stood_in: tuple[str, ...] = ()  # arguments that were those of the first call in `observed`
    loop: Site | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """What a traced program does with its arguments, whatever their values are."""

    at: float
    function: str
    site: Site | None
    trains: bool  # it takes a gradient
    unused: tuple[str, ...] = ()  # arrays that no result depends on
    kept: tuple[str, ...] = ()  # leaves that come out as they went in
    cut: Mapping[str, str] = field(default_factory=dict)  # leaf -> what keeps the gradient from it
    draws: tuple[str, ...] = ()  # random keys that numbers are drawn from
    dropout: Site | None = None  # where random elements are set to zero
