"""Which rules are on for which file: names, families, `all`, and the globs of per-file-ignores."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gotcha_lint.config.settings import Settings

ALL = "all"

# The family of what the linter reports about a file as a whole, such as a syntax error. It is
# always on: only `ignore` with the finding's own name hides it.
ENGINE = "engine"


class RuleText(Protocol):
    """What the command line and the formats read of a rule (`registry.RuleInfo` has it)."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def explanation(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def confidence(self) -> str: ...
    @property
    def fixable(self) -> bool: ...
    @property
    def examples(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def url(self) -> str: ...
    @property
    def confirmed_by(self) -> Sequence[tuple[str, str]]: ...


def known_names(rules: Mapping[str, RuleText]) -> frozenset[str]:
    """Everything that `select`, `ignore` and friends accept."""
    families = {rule.family for rule in rules.values()}
    return frozenset({ALL, *rules, *families} - {ENGINE})


def is_on(settings: Settings, rule: RuleText) -> bool:
    """The most specific mention wins (name over family over `all`); at a tie, `ignore` does."""
    if rule.family == ENGINE:
        return rule.name not in settings.ignore
    words = _words(rule)
    chosen = _rank(words, (*settings.select, *settings.extend_select))
    refused = _rank(words, settings.ignore)
    return chosen > refused


def enabled(settings: Settings, rules: Mapping[str, RuleText], path: str) -> frozenset[str]:
    """The names of the rules that report on `path`."""
    off = ignored_names(settings, path)
    return frozenset(
        name
        for name, rule in rules.items()
        if off.isdisjoint(_words(rule)) and is_on(settings, rule)
    )


def reports_file_finding(settings: Settings, name: str, path: str) -> bool:
    """Whether a finding of the family `engine` is shown: always, unless ignored by its name."""
    return name not in settings.ignore and name not in ignored_names(settings, path)


def ignored_names(settings: Settings, path: str) -> frozenset[str]:
    """What per-file-ignores switches off for `path`."""
    return frozenset(
        name
        for glob, names in settings.per_file_ignores
        if matches(path, settings.root, (glob,))
        for name in names
    )


def matches(path: str, root: str, globs: tuple[str, ...], *, directory: bool = False) -> bool:
    """Whether `path` meets one of the globs (gitignore syntax), read relative to `root`."""
    relative = os.path.relpath(os.path.abspath(path), root or os.curdir).replace(os.sep, "/")
    if relative == os.curdir or relative.startswith("../"):
        return False
    return _spec(globs).match_file(relative + "/" * directory)


@lru_cache(maxsize=512)
def _spec(globs: tuple[str, ...]) -> Any:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(globs)


def _words(rule: RuleText) -> tuple[str, ...]:
    """What mentions a rule, the most general word first."""
    return (rule.name,) if rule.family == ENGINE else (ALL, rule.family, rule.name)


def _rank(words: tuple[str, ...], mentioned: Collection[str]) -> int:
    """How specific the best mention is: 3 the name, 2 the family, 1 `all`, 0 none."""
    return max((rank for rank, word in enumerate(words, 1) if word in mentioned), default=0)
