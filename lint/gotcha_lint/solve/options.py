"""Options that nothing reads: whoever sets them changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.options import Option, Words, classes_of, ignored_arguments, options


@dataclass(frozen=True, slots=True)
class UnreadOption:
    """`certain`: False where something may read all options under names that nobody knows."""

    path: str
    option: Option
    certain: bool


@dataclass(frozen=True, slots=True)
class IgnoredArgument:
    """A call gives what the function has a parameter for, and never reads."""

    function: Function
    name: str
    given: Origin


Asked = tuple[Option, bool]  # whether anything reads it


def ask(module: Module, seen: Iterable[Module], words: Words) -> tuple[Asked, ...]:
    """The options of a module, and which of them are read; `seen`: it and what it imports."""
    classes = {name: cls for each in seen for name, cls in classes_of(each).items()}
    return tuple((option, words.read(option)) for option in options(module, classes))


def still_hold(asked: Iterable[Asked], words: Words) -> bool:
    """Are the answers the same as before, now that other files may have changed?"""
    return all(words.read(option) is read for option, read in asked)


def unread(path: str, asked: Iterable[Asked], words: Words) -> Iterator[UnreadOption]:
    for option, read in asked:
        if not read:
            yield UnreadOption(path, option, not (option.dumps and words.spreads))


def ignored(module: Module, seen: Mapping[str, Module]) -> Iterator[IgnoredArgument]:
    """What the calls of a module give in vain."""
    for one, span in ignored_arguments(module, list(seen.values())):
        yield IgnoredArgument(one.function, one.name, (module.path, span))
