"""The open files of an editor, and what their findings are. Knows nothing of the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint import engine
from gotcha_lint.config.selection import known_names
from gotcha_lint.config.settings import SettingsFinder
from gotcha_lint.engine import Kept, Report
from gotcha_lint.files.discover import SUFFIXES, MissingPath, Walk
from gotcha_lint.files.workspace import shown_name
from gotcha_lint.finding import Finding
from gotcha_lint.findings.baseline import Baselines
from gotcha_lint.findings.forecast import Live
from gotcha_lint.registry import rules
from gotcha_lint.server.details import Details, details, readable
from gotcha_lint.server.unfinished import Unfinished, moved, moved_lines
from gotcha_lint.text import source
from gotcha_lint.text.source import Source
from gotcha_lint.text.syntax import problems
from gotcha_lint.text.unreadable import Unreadable, file_finding


@dataclass(frozen=True)
class Linted:
    """One file as it was linted."""

    source: Source
    findings: tuple[Finding, ...]


class Session:
    """Lints the open files together: what one says of the others counts before it is saved."""

    def __init__(self) -> None:
        self._kept = Kept(live=Live())
        self._facts: list[Mapping[str, Mapping[str, str | int]]] = []  # with which they were made
        self._good: dict[str, bytes] = {}  # by path: the last text that parsed
        self._raw: dict[str, bytes] = {}  # by name: what the last run was given
        self._finder = SettingsFinder(known=lambda: known_names(rules()))
        self._details: dict[str, Details | None] = {}

    def lint(self, texts: Mapping[str, str], folders: Iterable[str] = ()) -> dict[str, Linted]:
        """The findings of files, given by their whole paths, and of all others in `folders`.

        Raises ConfigError and UsageError: the configuration is read again each time.
        """
        finder = self._finder = SettingsFinder(known=lambda: known_names(rules()))
        walk = Walk(finder, lambda text: None)
        raw = {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        wanted = [p for p in texts if p.endswith(SUFFIXES) and not walk.is_excluded(p)]
        names = {shown_name(path): path for path in wanted}
        opened = dict(names)
        names |= _below(folders, finder, set(texts))
        facts = [finder(path).facts for path in names.values()]
        if facts != self._facts:
            self._forget()
            self._facts = facts
        baselines = Baselines(lambda path: finder(path).baseline)
        baselines.read(names)
        unfinished = {n: u for n, p in opened.items() if (u := self._unfinished(n, p, raw[p]))}
        self._raw = {
            n: unfinished[n].good if n in unfinished else raw[p] for n, p in opened.items()
        }
        self._details.clear()
        report = self._report(list(names), finder, self._raw)
        found = baselines.new(report.findings)
        for name, text in unfinished.items():
            found = [*moved(found, name, text.lines), text.error]
        return dict(_linted(names, raw, found))

    def details(self, path: str) -> Details | None:
        """What an editor shows besides, of a file of the last run. Raises ConfigError.

        None for a file that does not parse: its places are those of another text.
        """
        name = shown_name(path)
        if name not in self._details:
            self._details[name] = None
            raw = self._raw.get(name)
            decoded = readable(name, raw) if raw is not None else None
            if decoded is not None:
                self._details[name] = details(name, decoded, self._finder, self._raw)
        return self._details[name]

    def _unfinished(self, name: str, path: str, raw: bytes) -> Unfinished | None:
        """The text does not parse, and an earlier one did. Of notebooks, cells are left out."""
        error = next(problems(name, raw), None) if not name.endswith(".ipynb") else None
        if error is None:
            self._good[path] = raw
            return None
        good = self._good.get(path)
        if good is None or error.name != "syntax-error":
            return None
        old, new = (text.decode("utf-8", "replace").splitlines() for text in (good, raw))
        return Unfinished(good, moved_lines(old, new), file_finding(name, error))

    def _report(
        self, names: list[str], finder: SettingsFinder, overlay: Mapping[str, bytes]
    ) -> Report:
        try:
            return self._lint(names, finder, overlay)
        except Exception:  # a fault of ours in what is kept costs time alone
            self._forget()
            return self._lint(names, finder, overlay)

    def _lint(
        self, names: list[str], finder: SettingsFinder, overlay: Mapping[str, bytes]
    ) -> Report:
        return engine.lint(
            names,
            finder,
            overlay=overlay,
            kept=self._kept,
        )

    def _forget(self) -> None:
        self._kept = Kept(live=Live())


def _below(folders: Iterable[str], finder: SettingsFinder, opened: set[str]) -> dict[str, str]:
    """The files of these folders that are not open, by the names that findings show."""
    try:
        files = Walk(finder, lambda text: None).files(list(folders))
    except MissingPath:
        return {}
    return {shown_name(path): path for path in files if path not in opened}


def _linted(
    names: Mapping[str, str], raw: Mapping[str, bytes], found: list[Finding]
) -> Iterator[tuple[str, Linted]]:
    by_name: dict[str, list[Finding]] = {}
    for finding in found:
        by_name.setdefault(finding.path, []).append(finding)
    for name, path in names.items():
        if own := by_name.get(name):
            try:
                decoded = source.decode(name, raw[path]) if path in raw else source.read(path)
            except Unreadable:
                decoded = Source(name, b"", "")
            yield path, Linted(decoded, tuple(sorted(own, key=lambda each: each.order)))
