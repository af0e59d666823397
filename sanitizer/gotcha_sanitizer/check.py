"""What a check is: one class, in one file under checks/, that turns events into findings."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar, get_args, get_type_hints

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.values.finding import Finding


class Check(ABC):
    """Base of every check: a docstring, and `on`. A check sees JAX only through events.

    The file's name is the check's name (`large_constant_captured.py` is
    `large-constant-captured`); its docstring is what the gotcha's page says under "At run time".
    """

    default: ClassVar[bool] = True
    gotchas: ClassVar[tuple[str, ...]] = ()  # names of its findings, where not its own

    def __init__(self, options: Options) -> None:
        self.options = options

    @abstractmethod
    def on(self, event: Any, /) -> Iterable[Finding]:
        """The findings that this event completes or makes grow.

        It is called with events of the types that its parameter is annotated with, and no others.
        """

    @classmethod
    @cache
    def wants(cls) -> tuple[type, ...]:
        """The types of events that `on` takes, read off its annotation."""
        hints = get_type_hints(cls.on)
        wanted = next(kind for name, kind in hints.items() if name != "return")
        return get_args(wanted) or (wanted,)

    @classmethod
    def name(cls) -> str:
        return cls.__module__.rpartition(".")[2].replace("_", "-")

    @classmethod
    def finds(cls) -> tuple[str, ...]:
        """The names of its findings, by which it is chosen."""
        return cls.gotchas or (cls.name(),)

    @classmethod
    def explanation(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "")
