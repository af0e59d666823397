"""What a run is asked for, file by file, and what can go wrong within. Needs no LibCST."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import blake2b

from gotcha_lint.facts.releases import NEWEST, Release


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
class Task:
    """A file to check, with the rules that are on for it."""

    path: str
    rules: frozenset[str]
    options: RuleOptions

    @property
    def key(self) -> str:
        """The same for all files for which the same rules look for the same."""
        return _key(self.rules, self.options)


@cache
def _key(rules: frozenset[str], options: RuleOptions) -> str:
    words = "\0".join((*sorted(rules), repr(options)))
    return blake2b(words.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Failure:
    """A rule, or the analysis, that raised on a file: an internal error, exit code 3."""

    path: str
    rule: str
    error: str
