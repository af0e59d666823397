"""The open files of an editor, and what their findings are. Knows nothing of the protocol."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint import engine, source
from gotcha_lint.baseline import Baselines
from gotcha_lint.config import SettingsFinder
from gotcha_lint.discover import Walk
from gotcha_lint.engine import Report
from gotcha_lint.finding import Finding
from gotcha_lint.forecast import KeptUnits, Live
from gotcha_lint.records import Records
from gotcha_lint.registry import rules
from gotcha_lint.selection import known_names
from gotcha_lint.source import Source
from gotcha_lint.workspace import shown_name

# What is remembered there speaks of nodes, and holds on to their trees.
_KEEPING = ("gotcha_lint.analysis.", "gotcha_lint.queries.", "gotcha_lint.rules.")


@dataclass(frozen=True)
class Linted:
    """One open file as it was linted."""

    source: Source
    findings: tuple[Finding, ...]


class Session:
    """Lints the open files together: what one says of the others counts before it is saved."""

    def __init__(self) -> None:
        self._records: Records = {}
        self._units: KeptUnits = {}
        self._live = Live()
        self._facts: list[Mapping[str, Mapping[str, str | int]]] = []  # with which they were made

    def lint(self, texts: Mapping[str, str]) -> dict[str, Linted]:
        """The findings of files, given by their whole paths.

        Raises ConfigError and UsageError: the configuration is read again each time.
        """
        finder = SettingsFinder(known=lambda: known_names(rules()))
        walk = Walk(finder, lambda text: None)
        raw = {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        wanted = [p for p in texts if p.endswith((".py", ".pyi")) and not walk.is_excluded(p)]
        names = {shown_name(path): path for path in wanted}
        facts = [finder(path).facts for path in wanted]
        if facts != self._facts:
            self._forget()
            self._facts = facts
        baselines = Baselines(lambda path: finder(path).baseline)
        baselines.read(names)
        report = self._report(list(names), finder, {n: raw[p] for n, p in names.items()})
        found = baselines.new(report.findings)
        return dict(_linted(names, raw, found))

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
            records=self._records,
            kept_units=self._units,
            live=self._live,
        )

    def _forget(self) -> None:
        self._records.clear()
        self._units.clear()
        self._live = Live()


def let_go() -> None:
    """A run of the command line ends after its report; this process goes on without the trees.

    To be called when the findings of a run are shown.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(_KEEPING):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    gc.unfreeze()
    gc.collect()


def _linted(
    names: Mapping[str, str], raw: Mapping[str, bytes], found: list[Finding]
) -> Iterator[tuple[str, Linted]]:
    for name, path in names.items():
        own = tuple(finding for finding in found if finding.path == name)
        if own:
            yield path, Linted(source.decode(name, raw[path]), own)
