"""The checks of a session: what they find is suppressed, kept, written down and spoken of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks import checks
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import suppress
from gotcha_sanitizer.run.notices import Notices
from gotcha_sanitizer.run.recording import Recording
from gotcha_sanitizer.values.events import Event
from gotcha_sanitizer.values.finding import Finding, as_dict

_AGAIN, _SHARE = 1.0, 0.05  # seconds, or of the run's time, between two lines of one finding


class Checking:
    """Gives each event to each check that was asked for."""

    def __init__(
        self,
        options: Options,
        recording: Recording,
        notices: Notices,
        now: Callable[[], float],
    ) -> None:
        self.options = options
        self.recording = recording
        self.notices = notices
        self.now = now
        self._checks: list[Check] = []
        self._by_type: defaultdict[type, list[Check]] = defaultdict(list)
        self.use(
            check(options)
            for check in checks().values()
            if (any(map(self._wanted, check.finds())) if options.checks else check.default)
        )
        self._suppressed: list[suppress.Suppression] = []
        self._stale: dict[str, float] = {}  # id -> when it may be written again: it has grown
        self._written: dict[str, float] = {}  # id -> when it was written

    @property
    def names(self) -> list[str]:
        """Of the gotchas that are looked for."""
        return [name for check in self._checks for name in check.finds() if self._wanted(name)]

    def _wanted(self, name: str) -> bool:
        return not self.options.checks or name in self.options.checks

    def read_suppressions(self) -> None:
        """Of the file that the options name; its mistakes are told."""
        if self.options.suppressions:
            self._suppressed, problems = suppress.read(Path(self.options.suppressions))
            for problem in problems:
                self.notices.say(problem)

    def renew(self) -> None:
        """Checks that have seen nothing yet."""
        self.use([type(check)(self.options) for check in self._checks])

    def use(self, made: Iterable[Check]) -> None:
        """A compile sends eight events: each goes only to the checks that want its type."""
        self._checks = list(made)
        self._by_type.clear()
        for check in self._checks:
            for kind in check.wants():
                self._by_type[kind].append(check)

    def on(self, event: Event) -> None:
        for check in self._by_type.get(type(event), ()):
            try:
                for finding in check.on(event):
                    self._found(finding)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                self.recording.degraded(f"check {check.name()}", why)

    def _found(self, finding: Finding) -> None:
        if not self._wanted(finding.name):
            return
        run, key = self.recording.run, finding.id
        before = run.findings.get(key)
        if before is None and suppress.covered(finding, self._suppressed):
            return
        kept = replace(finding, evidence={}) if self.options.redact else finding
        run.findings[key] = kept
        # Written again when it has doubled, and otherwise now and then: a storm must not fill the
        # disk, and a process that is killed must leave its last numbers.
        if before is None or kept.count >= 2 * max(before.count, 1):
            self._write(kept)
        elif kept != before:
            now = self.now()
            wait = max(_AGAIN, _SHARE * now)
            self._stale.setdefault(key, self._written.get(key, now) + wait)
        self.notices.found(finding)

    def _write(self, finding: Finding) -> None:
        now = self.now()
        self._written[finding.id] = now
        self._stale.pop(finding.id, None)
        self.recording.write(as_dict(finding) | {"event": "finding", "at": round(now, 4)})

    def write_grown(self) -> None:
        """Those that have grown since they were written, from time to time."""
        now = self.now()
        for key in [key for key, due in self._stale.items() if due <= now]:
            found = self.recording.run.findings.get(key)
            if found is None:
                self._stale.pop(key)
            else:
                self._write(found)
