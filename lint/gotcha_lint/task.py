"""What a run is asked for, file by file, and what can go wrong within. Needs no LibCST."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from gotcha_lint.facts.releases import NEWEST, Release
from gotcha_lint.registry import OWN

if TYPE_CHECKING:
    from gotcha_lint.domain.sites import Span
    from gotcha_lint.finding import Confidence, Place, Severity


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """What of the configuration a rule may ask for."""

    target_jax: Release = NEWEST["jax"]
    target_flax: Release = NEWEST["flax"]
    target_optax: Release = NEWEST["optax"]

    def has_reached(self, library: str, release: Release) -> bool:
        """Whether the code is for this release of a library, or a later one."""
        return release <= getattr(self, f"target_{library}")


@dataclass(frozen=True, slots=True)
class Forecast:
    """A finding of a rule's `foresee` about one file.

    `span`: line, column, end line, end column of the joined text of a notebook, from 1, in code
    points. `chain`: the other places that explain it, in any file, where a reader finds them.
    `within`: the qualified name of the function around; `hint`: as of `Foreseen`.
    """

    name: str
    message: str
    path: str
    span: Span
    chain: tuple[Place, ...]
    severity: Severity
    confidence: Confidence
    certain: bool
    within: str
    hint: str = ""  # what `mend_by` of the rule is told

    @property
    def order(self) -> tuple[Span, str, str]:
        return self.span, self.name, self.message


@dataclass(frozen=True, slots=True)
class Task:
    """A file to check, with the rules that are on for it, and what they foresee for it.

    With `all`, forecasts are wanted too that only may hold.
    """

    path: str
    rules: frozenset[str]
    options: RuleOptions
    all: bool = False
    forecasts: tuple[Forecast, ...] = ()

    @property
    def foresees(self) -> bool:
        """Whether a rule is on for it: what the engine itself reports needs no forecast."""
        return not self.rules <= OWN

    @property
    def asks(self) -> str:
        """The same for all files for which the same rules look for the same."""
        return _asks(self.rules, self.options, self.all)

    @property
    def key(self) -> str:
        """What the findings follow from, beside the text and what is asked of the project."""
        if not self.forecasts:
            return self.asks
        return f"{self.asks} {_digest(repr(self.forecasts))}"


@cache
def _asks(rules: frozenset[str], options: RuleOptions, may: bool) -> str:
    return _digest("\0".join((*sorted(rules), repr(options), str(may))))


def _digest(words: str) -> str:
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule, or the analysis, that raised on a file: an internal error, exit code 3."""

    path: str
    rule: str
    error: str
