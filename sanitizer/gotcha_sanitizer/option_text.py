"""Options as text: `GOTCHA_SANITIZE` picks checks, `GOTCHA_OPTIONS` sets the rest."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from gotcha_sanitizer.options import Options

_SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def parse(text: str, select: str = "1", said: str = "GOTCHA_OPTIONS: ") -> Options:
    """The options of both variables. What is wrong stands in `problems`, in words for the user.

    `said`: what the words about a mistake in `text` begin with.
    A colon inside a value is written `\\:` (Windows paths need no mark before `\\` or `/`).
    """
    options, problems = Options(), []
    for part in filter(None, re.split(r"(?<!\\):(?![\\/])", text)):
        name, mark, value = (piece.strip() for piece in part.partition("="))
        value = value.replace("\\:", ":") if mark else "1"
        if name not in _READERS:
            problems.append(f"{said}unknown option {name!r}{_close(name, _READERS)}")
        elif not mark and _READERS[name] is not _switch:
            problems.append(f"{said}{name} has no value; write {name}=...")
        else:
            try:
                options = replace(options, **{name: _READERS[name](value)})
            except ValueError as error:
                problems.append(f"{said}{name}={value!r}: {error}")
    words = options.checks
    if not words and select.lower() not in {"1", "true", "yes", "on", "all"}:
        words, said = _list(select), "GOTCHA_SANITIZE: "
    unknown = _unknown(words)
    problems += [f"{said}unknown check {word!r}{close}" for word, close in unknown.items()]
    chosen = tuple(word for word in words if word not in unknown)
    return replace(options, checks=chosen, problems=tuple(problems))


def _unknown(words: tuple[str, ...]) -> dict[str, str]:
    """The words that are not the name of a gotcha that a run can show, each with what is close."""
    if not words:
        return {}
    from gotcha_sanitizer.catalogue import names  # imports all checks

    known = tuple(sorted(names()))
    return {word: _close(word, known) for word in words if word not in known}


def _close(word: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"


def _list(value: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"[,\s]+", value)))


def _switch(value: str) -> bool:
    if value.lower() in {"1", "true", "yes", "on"}:
        return True
    if value.lower() in {"0", "false", "no", "off", ""}:
        return False
    raise ValueError("write 1 or 0")


def _size(value: str) -> int:
    match = re.fullmatch(r"(\d+)\s*([kmg]?)i?b?", value.lower())
    if match is None:
        raise ValueError("write a number of bytes, like 65536, 64K or 1M")
    return int(match[1]) * _SIZES[match[2]]


def _number(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isdigit() or not low <= int(value) <= high:
            raise ValueError(f"write a whole number from {low} to {high}")
        return int(value)

    return read


def _seconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        raise ValueError("write a number of seconds") from None
    if not 0 < number < 1e6:
        raise ValueError("write a positive number of seconds")
    return number


def _color(value: str) -> str:
    if value not in {"auto", "always", "never"}:
        raise ValueError("write auto, always or never")
    return value


_READERS: dict[str, Callable[[str], Any]] = {
    "checks": _list,
    "fail_on": _list,
    "abort_on": _list,
    "exitcode": _number(0, 255),
    "warmup": _number(1, 1000),
    "min_const_bytes": _size,
    "suppressions": str,
    "log_path": str,
    "log_size": _size,
    "html": str,
    "quiet": _switch,
    "color": _color,
    "max_lines": _number(20, 100_000),
    "redact": _switch,
    "training": _switch,
    "guard": _number(0, 1000),
    "hosts": str,
    "slow_wait": _seconds,
    "slow_compile": _seconds,
}
assert set(_READERS) == {each.name for each in fields(Options)} - {"problems"}
