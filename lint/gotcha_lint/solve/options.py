"""Options that nothing reads: whoever sets them changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.flags import MODES
from gotcha_lint.program.ir import Function, Module, Parameter
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
    """`certain`: False where no call sets it, or something may read all under names unknown."""

    path: str
    option: Option
    certain: bool


@dataclass(frozen=True, slots=True)
class IgnoredArgument:
    """A function has a parameter that it never reads. `given`: a call that gives it, if any."""

    function: Function
    parameter: Parameter
    given: Origin | None


Asked = tuple[Option, bool, bool]  # `Words.read` and `Words.tell` of it


def ask(
    module: Module, seen: Iterable[Module], words: Words, declared: Declared
) -> tuple[Asked, ...]:
    """The options of a module, and which of them are read; `seen`: it and what it imports."""
    classes = {name: cls for each in seen for name, cls in declared.classes(each).items()}
    return tuple((o, words.read(o), words.tell(o)) for o in options(module, classes))


def still_hold(asked: Iterable[Asked], words: Words) -> bool:
    """Are the answers the same as before, now that other files may have changed?"""
    return all((words.read(o), words.tell(o)) == (read, tells) for o, read, tells in asked)


def unread(path: str, asked: Iterable[Asked]) -> Iterator[UnreadOption]:
    return (UnreadOption(path, option, tells) for option, read, tells in asked if not read)


def ignored(
    module: Module, seen: Mapping[str, Module], declared: Declared
) -> Iterator[IgnoredArgument]:
    """What the calls of a module give in vain, and what others may give its functions."""
    for one, span in ignored_arguments(module, list(seen.values()), declared):
        yield IgnoredArgument(one.function, one.parameter, (module.path, span))
    for one in ignored_defaults(module, declared):
        if one.name not in MODES:  # it is of use to other modules of the kind
            yield IgnoredArgument(one.function, one.parameter, None)
