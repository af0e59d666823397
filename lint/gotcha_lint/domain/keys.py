"""Which random key a value is: where it comes from, and the steps that made it.

Two keys of one name are the same key, bit for bit. `jax.random` is a function of its key, so a name
is an expression: `split(key)[0]` is another key than `key`, and the same one wherever it is written
again. What is not known has no name (None), and a key without a name is never said to be another's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin, Span

SPLIT = "split"  # the keys that `split` gives, as a whole
EACH_ONE = "each"  # any of several keys, all of which are taken in turn
_STEPS = 32  # longer names are given up: sixteen splits one after the other
_CALLS = 6
_CHOICES = 4  # keys that one name may stand for, after branches


@record
class Seeded:
    """A key from a seed. `calls`: those that lead to it, where the seed may differ with them."""

    path: str
    span: Span
    constant: bool  # the seed is written there
    calls: tuple[Origin, ...] = ()

    def through(self, call: Origin) -> Seeded | None:
        """The same, as the caller sees it; None where it is too far away."""
        if self.constant:
            return self
        if len(self.calls) >= _CALLS:
            return None
        return Seeded(self.path, self.span, False, (call, *self.calls))


@record
class Argument:
    """What one call gives for a parameter: unknown, but the same within that call."""

    number: int


@record
class Guessed:
    """An array that a parameter stands for: if it is a key at all, it is one key in that call."""

    parameter: Hashable


@record
class Chosen:
    """What a name holds after a branch: the key of one side or of the other, None if unknown."""

    path: str
    span: Span  # of the branch
    yes: Key | None
    no: Key | None


@record
class Folded:
    """The step `fold_in(key, data)`."""

    data: Hashable


@record
class At:
    """The step `keys[index]`, where the index is no constant."""

    index: Hashable


@record
class Key:
    """The name of a key: its base is a `Seeded`, an `Argument`, a `Chosen` or a symbol."""

    base: Hashable
    steps: tuple[Hashable, ...] = ()

    def step(self, step: Hashable) -> Key | None:
        return Key(self.base, (*self.steps, step)) if len(self.steps) < _STEPS else None

    def is_below(self, other: Key) -> bool:
        """Is it made of the other key, or the same?"""
        return self.base == other.base and self.steps[: len(other.steps)] == other.steps

    @property
    def is_one(self) -> bool:
        """Is it one key, not any of several?"""
        return EACH_ONE not in self.steps


Gates = tuple[tuple[str, Span, bool], ...]  # branches, and which way each went


def choose(path: str, span: Span, yes: Key | None, no: Key | None) -> Key | None:
    """The key after a branch, of which either side has left one; None after too many branches."""
    if yes == no:
        return yes
    key = Key(Chosen(path, span, yes, no))
    return key if len(list(alternatives(key))) <= _CHOICES else None


def alternatives(key: Key) -> Iterator[tuple[Key, Gates]]:
    """The keys that this may be, each with the branches that lead to it."""
    base = key.base
    if not isinstance(base, Chosen):
        yield key, ()
        return
    for side, holds in ((base.yes, True), (base.no, False)):
        if side is None or len(side.steps) + len(key.steps) > _STEPS:
            continue
        for inner, gates in alternatives(side):
            yield (
                Key(inner.base, (*inner.steps, *key.steps)),
                ((base.path, base.span, holds), *gates),
            )
