"""The configuration: `[tool.gotcha]` of pyproject.toml, or gotcha.toml with the same keys.

The nearest file above a linted file holds for it, alone: files are not merged.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

FailOn = Literal["error", "warning", "never"]

DEFAULT_EXCLUDES = (
    ".git",
    ".venv",
    "venv",
    "node_modules",
    "build",
    "dist",
    "__pycache__",
    ".tox",
    ".nox",
    ".eggs",
    "site-packages",
    ".ipynb_checkpoints",
)


class ConfigError(Exception):
    """Everything that is wrong with a configuration, one line each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Settings:
    """What holds for one linted file. `root` is the directory that globs are relative to."""

    select: tuple[str, ...] = ("all",)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDES
    extend_exclude: tuple[str, ...] = ()
    all: bool = False  # findings that only may hold too
    fail_on: FailOn = "warning"
    target_jax: str | None = None
    target_flax: str | None = None
    target_optax: str | None = None
    facts: Mapping[str, Mapping[str, str | int]] = field(default_factory=dict, hash=False)
    respect_gitignore: bool = True
    force_exclude: bool = False
    baseline: str | None = None  # a whole path
    root: str = ""
    source: str | None = None


@dataclass(frozen=True)
class Overrides:
    """What the command line says; None and empty leave the file's word standing."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    all: bool | None = None
    fail_on: FailOn | None = None
    force_exclude: bool | None = None
    baseline: str | None = None

    def over(self, settings: Settings) -> Settings:
        """`--select` replaces the file's selection, `--ignore` and `--extend-select` add to it."""
        given: dict[str, Any] = {
            key: value
            for key in ("all", "fail_on", "force_exclude")
            if (value := getattr(self, key)) is not None
        }
        if self.baseline is not None:
            given["baseline"] = os.path.abspath(self.baseline)
        extend, ignore = settings.extend_select, settings.ignore
        if self.select:
            given["select"] = self.select
            extend = ()
        asked = {*self.select, *self.extend_select}
        given["extend_select"] = (*extend, *self.extend_select)
        # Who selects a rule by hand wants to see it, whatever the file ignores.
        given["ignore"] = (*(name for name in ignore if name not in asked), *self.ignore)
        return replace(settings, **given)


@dataclass
class SettingsFinder:
    """`settings_for` with its memory: each directory is looked at once."""

    overrides: Overrides = Overrides()
    config: str | None = None
    known: Callable[[], frozenset[str]] | None = None
    _found: dict[str, Settings] = field(default_factory=dict)

    def __call__(self, path: str) -> Settings:
        """The settings of a file. Raises ConfigError."""
        if self.config is not None:
            return self._remember("", lambda: self._read(self.config or "", os.getcwd()))
        return self.of_directory(os.path.dirname(os.path.abspath(path)))

    def of_directory(self, directory: str) -> Settings:
        """The settings of the files of a directory, given as an absolute path."""
        if self.config is not None:
            return self("")
        return self._remember(directory, lambda: self._look(directory))

    def sources(self) -> list[str]:
        """The configuration files that were read."""
        return sorted({settings.source for settings in self._found.values() if settings.source})

    def _remember(self, key: str, make: Callable[[], Settings]) -> Settings:
        if key not in self._found:
            self._found[key] = make()
        return self._found[key]

    def _look(self, directory: str) -> Settings:
        for name in ("gotcha.toml", "pyproject.toml"):
            candidate = os.path.join(directory, name)
            if os.path.isfile(candidate) and (table := read_table(candidate)) is not None:
                return self._settings(table, candidate, directory)
        parent = os.path.dirname(directory)
        if parent != directory:
            return self.of_directory(parent)
        return self.overrides.over(Settings(root=os.getcwd()))

    def _read(self, config: str, root: str) -> Settings:
        table = read_table(config)
        if table is None:
            raise ConfigError(f"{config}: has no table [tool.gotcha]")
        return self._settings(table, config, root)

    def _settings(self, table: dict[str, Any], source: str, root: str) -> Settings:
        from gotcha_lint.config.check import problems

        wrong = problems(table, self.known)
        if wrong:
            shown = display_path(source)
            raise ConfigError(*(f"{shown}: {problem}" for problem in wrong))
        return self.overrides.over(_from_table(table, source, root))


_finder = SettingsFinder()


def settings_for(path: str) -> Settings:
    """The settings that the files on disk give to `path`; nothing from a command line."""
    return _finder(path)


def read_table(path: str) -> dict[str, Any] | None:
    """The keys of a configuration file, or None for a pyproject.toml without [tool.gotcha]."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    is_project = os.path.basename(path) == "pyproject.toml"
    if is_project and b"gotcha" not in raw:
        return None  # most projects; not parsed, so a broken file of somebody else's is no error
    parsed = _parse(path, raw)
    if not is_project:
        return parsed
    tool = parsed.get("tool")
    table = tool.get("gotcha") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{display_path(path)}: tool.gotcha must be a table")
    return table


def _parse(path: str, raw: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{display_path(path)}: not UTF-8: {error.reason}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{display_path(path)}: not valid TOML: {error}") from error


def _from_table(table: dict[str, Any], source: str, root: str) -> Settings:
    values = {key.replace("-", "_"): _frozen(value) for key, value in table.items()}
    if "per_file_ignores" in values:
        pairs = table["per-file-ignores"].items()
        values["per_file_ignores"] = tuple((glob, _names(names)) for glob, names in pairs)
    if "baseline" in values:
        values["baseline"] = os.path.join(root, values["baseline"])
    for key in ("select", "ignore", "extend_select", "exclude", "extend_exclude"):
        if key in values:
            values[key] = _names(values[key])
    return Settings(**values, root=root, source=source)


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def display_path(path: str) -> str:
    """Relative to the working directory where that is shorter."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return path
    return relative if len(relative) < len(path) else path


def as_table(settings: Settings) -> dict[str, Any]:
    """The settings under the names that a configuration file uses."""
    table: dict[str, Any] = {}
    for slot in fields(settings):
        value = getattr(settings, slot.name)
        if slot.name in ("root", "source") or value is None:
            continue
        key = slot.name.replace("_", "-")
        table[key] = dict(value) if isinstance(value, Mapping) else value
    table["per-file-ignores"] = dict(settings.per_file_ignores)
    return table
