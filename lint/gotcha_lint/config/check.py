"""Checks a configuration table: every wrong key, name and type becomes one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from gotcha_lint.config.spelling import did_you_mean
from gotcha_lint.facts.user import KINDS

Known = Callable[[], frozenset[str]] | None
Check = Callable[[str, Any, Known], Iterator[str]]

FACT_KEYS = {
    "like": "a name",
    "returns": "a kind",
    "consumes-key": "a position",
    "host-read": "true",
    "pickles": "a position",
}
_NEEDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "a name": (lambda value: isinstance(value, str), 'a string, such as "jax.jit"'),
    "a kind": (KINDS.__contains__, f"one of {', '.join(KINDS)}"),
    "a position": (lambda value: type(value) is int and value >= 0, "a position, from 0"),
    "true": (lambda value: value is True, "true"),
}
FAIL_ON = ("error", "warning", "never")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+(\.[0-9]+)*\Z")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")


def problems(table: dict[str, Any], known: Known) -> list[str]:
    """What is wrong with the table; `known` gives the names of rules and families."""
    found: list[str] = []
    for key, value in table.items():
        check = CHECKS.get(key)
        if check is None:
            found.append(f'unknown key "{key}"{_suggest_key(key)}')
        else:
            found.extend(check(key, value, known))
    return found


def unknown_names(names: tuple[str, ...], known: frozenset[str]) -> Iterator[str]:
    """One line for each name that is neither a rule nor a family."""
    for name in names:
        if name not in known:
            yield f'unknown rule or family "{name}"{did_you_mean(name, known)}'


def _suggest_key(key: str) -> str:
    kebab = key.replace("_", "-").lower()
    return f'; did you mean "{kebab}"?' if kebab in CHECKS else did_you_mean(kebab, CHECKS)


def _strings(key: str, value: Any, known: Known) -> Iterator[str]:
    if isinstance(value, list):
        wrong = [item for item in value if not isinstance(item, str) or not item.strip()]
        for item in wrong:
            yield f"{key}: {item!r} is not a non-empty string"
    elif not isinstance(value, str) or not value.strip():
        yield f"{key}: must be a list of strings, not {_kind(value)}"


def _names(key: str, value: Any, known: Known) -> Iterator[str]:
    wrong = list(_strings(key, value, known))
    yield from wrong
    if not wrong and known is not None:
        names = (value,) if isinstance(value, str) else tuple(value)
        yield from (f"{key}: {problem}" for problem in unknown_names(names, known()))


def _bool(key: str, value: Any, known: Known) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f"{key}: must be true or false, not {_kind(value)}"


def _path(key: str, value: Any, known: Known) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield f"{key}: must be the path of a file, not {_kind(value)}"


def _fail_on(key: str, value: Any, known: Known) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{key}: must be a string, not {_kind(value)}"
    elif value not in FAIL_ON:
        choices = ", ".join(FAIL_ON)
        yield f'{key}: "{value}" is not one of {choices}{did_you_mean(value, FAIL_ON)}'


def _release(key: str, value: Any, known: Known) -> Iterator[str]:
    if not isinstance(value, str):
        yield f'{key}: must be a string such as "0.10", not {_kind(value)}'
    elif not _RELEASE.match(value):
        yield f'{key}: "{value}" is not a release such as "0.10"'


def _per_file(key: str, value: Any, known: Known) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{key}: must be a table of glob = [names], not {_kind(value)}"
        return
    for glob, names in value.items():
        yield from _names(f'{key}."{glob}"', names, known)


def _facts(key: str, value: Any, known: Known) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{key}: must be a table of qualified names, not {_kind(value)}"
        return
    for name, row in value.items():
        if not _DOTTED.match(name):
            yield f'{key}: "{name}" is not a qualified name such as "mylib.fast_jit"'
        yield from _fact(f'{key}."{name}"', row)


def _fact(where: str, row: Any) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f'{where}: must be a table such as {{ like = "jax.jit" }}, not {_kind(row)}'
        return
    if not row:
        yield f"{where}: is empty; expected one of {', '.join(FACT_KEYS)}"
    for key, value in row.items():
        if key not in FACT_KEYS:
            nested = "; quote a name with dots" if isinstance(value, dict) else ""
            hint = nested or did_you_mean(key.replace("_", "-"), FACT_KEYS)
            yield f'{where}: unknown key "{key}"{hint}'
        elif not (need := _NEEDS[FACT_KEYS[key]])[0](value):
            yield f"{where}.{key}: must be {need[1]}, not {value!r}"


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", str: "a string", int: "an integer", float: "a number"}
    kinds |= {list: "a list", dict: "a table"}
    if value == "":
        return "an empty string"
    return kinds.get(type(value), "a date or time")


CHECKS: dict[str, Check] = {
    "select": _names,
    "ignore": _names,
    "extend-select": _names,
    "per-file-ignores": _per_file,
    "exclude": _strings,
    "extend-exclude": _strings,
    "all": _bool,
    "fail-on": _fail_on,
    "target-jax": _release,
    "target-flax": _release,
    "target-optax": _release,
    "facts": _facts,
    "respect-gitignore": _bool,
    "force-exclude": _bool,
    "baseline": _path,
}
