"""Settings from JSON and from a command line: every mistake is named, with what was meant."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from reference_trainer.config import Config, ConfigError

KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def from_json(values: Mapping[str, Mapping[str, Any]], base: Config | None = None) -> Config:
    """The settings of `values`, the others from `base`; ConfigError names what is wrong."""
    if not isinstance(values, Mapping) or not all(isinstance(v, Mapping) for v in values.values()):
        raise ConfigError('a configuration looks like {"model": {"width": 256}, "run": {...}}')
    sections = {
        section: {name: _typed(section, name, value) for name, value in part.items()}
        for section, part in values.items()
    }
    return (base or Config()).replace(**sections)


def overridden(config: Config, settings: Iterable[str]) -> Config:
    """Apply `section.name=value`, as given on a command line; ConfigError."""
    values: dict[str, dict[str, Any]] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        section, dot, name = key.partition(".")
        if not (equals and dot):
            near = [f"{place}={text or '...'}" for place in _places(key)]
            hint = f"; did you mean {near[0]!r}?" if near else ", as data.batch=8"
            raise ConfigError(f"{setting!r}: a setting is section.name=value{hint}")
        values.setdefault(section, {})[name] = _parsed(section, name, text)
    return from_json(values, config)


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """One line for each setting that differs: `model.width: 128 (saved), 256 (asked for)`."""
    lines = []
    for section in sorted({*old, *new}):
        before, after = old.get(section, {}), new.get(section, {})
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                lines.append(
                    f"{section}.{name}: {before.get(name)} (saved), {after.get(name)} (asked for)"
                )
    return lines


def listing() -> str:
    """Every setting, as on a command line with its default, and what its comment says of it."""
    lines = []
    for section, kind in get_type_hints(Config).items():
        lines.append(f"{section}: {inspect.getdoc(kind)}")
        hints, comments, default = get_type_hints(kind), _comments(kind), kind()
        for field in dataclasses.fields(kind):
            setting = f"{section}.{field.name}={_written(getattr(default, field.name))}"
            words = [comments.get(field.name, "")]
            if get_origin(hints[field.name]) is Literal:
                *others, last = get_args(hints[field.name])
                words.append(f"{', '.join(others)} or {last}")
            lines.append(f"  {setting:31} {'; '.join(filter(None, words))}".rstrip())
        lines.append("")
    return "\n".join(lines)


def _field_type(section: str, name: str) -> Any:
    """The declared type of a setting; ConfigError with what was probably meant."""
    sections = get_type_hints(Config)
    if section not in sections:
        places = [] if difflib.get_close_matches(section, sections) else _places(name)
        raise ConfigError(f"no section {section!r}{_meant(section, sections, places)}")
    hints = get_type_hints(sections[section])
    if name not in hints:
        near = [f"{section}.{known}" for known in difflib.get_close_matches(name, hints, n=1)]
        words = _meant(name, hints, _places(name) or near)
        raise ConfigError(f"no setting {section}.{name}{words}")
    return hints[name]


def _places(name: str) -> list[str]:
    """The settings of this name, as "data.batch"."""
    sections = get_type_hints(Config)
    return [f"{part}.{name}" for part, kind in sections.items() if name in get_type_hints(kind)]


def _meant(name: str, names: Iterable[str], first: list[str]) -> str:
    """The first of `first`, else the nearest of `names`, else all of them."""
    near = first or difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(sorted(names))}"


def _comments(kind: type) -> dict[str, str]:
    """By field: the comment on its line, or nothing where the source is not at hand."""
    try:
        source = inspect.getsource(kind)
    except OSError:
        return {}
    return dict(re.findall(r"^    (\w+): [^#\n]*# (.*)$", source, flags=re.MULTILINE))


def _written(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _parsed(section: str, name: str, text: str) -> Any:
    hint = _field_type(section, name)
    if hint is str or get_origin(hint) is Literal:
        return text
    if get_origin(hint) is tuple:
        kind = get_args(hint)[0]
        parts = [part for part in text.strip("()[]").split(",") if part]
        return parts if kind is str else [_number(part) for part in parts]
    return _number(text)


def _number(text: str) -> Any:
    try:
        return json.loads(text.lower())
    except json.JSONDecodeError:
        return text  # _typed says what it should have been


def _typed(section: str, name: str, value: Any) -> Any:
    hint = _field_type(section, name)
    if get_origin(hint) is tuple and isinstance(value, (list, tuple)):
        kind = get_args(hint)[0]
        return tuple(_one(section, name, kind, part) for part in value)
    return _one(section, name, hint, value)


def _one(section: str, name: str, hint: Any, value: Any) -> Any:
    if get_origin(hint) is Literal:
        if value in get_args(hint):
            return value
        raise ConfigError(f"{section}.{name}={value!r}: one of {', '.join(get_args(hint))}")
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint if isinstance(hint, type) else tuple) or (
        isinstance(value, bool) and hint is not bool
    ):
        raise ConfigError(f"{section}.{name}={value!r}: must be {KINDS.get(hint, 'a list')}")
    return value
