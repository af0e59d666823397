"""Options that nothing reads: setting them changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.flags import MODES
from gotcha_lint.program.ir import Function, Module, Parameter, Span
from gotcha_lint.program.options import (
    Declared,
    Option,
    Words,
    ignored_arguments,
    ignored_defaults,
    options,
)


@dataclass(frozen=True, slots=True)
class UnreadOption:
    """`certain`: False where something may read all options under unknown names, or where
    it may be no option. `is_set`: by a call, or by the user.
    """

    path: str
    option: Option
    certain: bool
    is_set: bool


@dataclass(frozen=True, slots=True)
class IgnoredArgument:
    """A function has a parameter that it never reads. `given`: a call that gives it, if any.

    `overwritten`: where it is stored to, before anything reads it.
    """

    function: Function
    parameter: Parameter
    given: Origin | None
    overwritten: Span | None = None


Asked = tuple[Option, bool, bool, bool]  # `Words.read`, `Words.tell` and `Words.sets` of it


def ask(
    module: Module, seen: Iterable[Module], words: Words, declared: Declared
) -> tuple[Asked, ...]:
    """The options of a module, and which of them are read; `seen`: it and what it imports."""
    classes = {name: cls for each in seen for name, cls in declared.classes(each).items()}
    return tuple((o, *_answers(o, words)) for o in options(module, classes))


def still_hold(asked: Iterable[Asked], words: Words) -> bool:
    """Are the answers the same as before, now that other files may have changed?"""
    return all(_answers(option, words) == tuple(answers) for option, *answers in asked)


def _answers(option: Option, words: Words) -> tuple[bool, bool, bool]:
    return words.read(option), words.tell(option), words.sets(option)


def unread(path: str, asked: Iterable[Asked]) -> Iterator[UnreadOption]:
    for option, read, tells, is_set in asked:
        if not read:
            yield UnreadOption(path, option, tells, is_set)


def ignored(
    module: Module, seen: Mapping[str, Module], declared: Declared
) -> Iterator[IgnoredArgument]:
    """What the calls of a module give in vain, and what others may give its functions."""
    for one, span in ignored_arguments(module, list(seen.values()), declared):
        yield IgnoredArgument(one.function, one.parameter, (module.path, span), one.overwritten)
    for one in ignored_defaults(module, declared):
        if one.name not in MODES:  # it is of use to other modules of the kind
            yield IgnoredArgument(one.function, one.parameter, None, one.overwritten)
