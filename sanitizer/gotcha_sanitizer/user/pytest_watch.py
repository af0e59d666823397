"""What `pytest --gotcha` does: counts per test, fails marked tests, collects for the summary."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from typing import Any

import pytest

from gotcha_sanitizer.explain import crashes
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.run import session
from gotcha_sanitizer.user import api, pytest_contract, pytest_summary
from gotcha_sanitizer.user.compiled import from_event, message
from gotcha_sanitizer.user.pytest_state import State, reached
from gotcha_sanitizer.user.pytest_summary import Test
from gotcha_sanitizer.values.events import Event, Explained
from gotcha_sanitizer.values.finding import as_dict
from gotcha_sanitizer.values.words import place, plural

_KEYS = {"contract", "forbid", "max_compiles"}


class Watch:
    """The plugin of one run; under xdist of one worker, or of the controller, which only merges."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tests: list[Test] = []
        self.degraded: dict[str, str] = {}
        self.lost: list[str] = []  # workers that gave no record
        self._seen: list[Explained] = []  # programs of the running test
        self._by_test: dict[tuple[object, ...], str] = {}  # function -> who compiled it first
        self._shared = ""
        self._lock = threading.Lock()
        self._own = False
        self.session: session.Session | None = None
        is_worker = hasattr(config, "workerinput")
        if is_worker or config.getoption("dist", "no") == "no":  # else a controller of xdist
            self._start()

    def _start(self) -> None:
        running = session.current()
        self._own = running is None or not running.watches
        if self._own:
            running = session.start(parse(os.environ.get("GOTCHA_OPTIONS", "") + ":quiet=1"))
        assert running is not None
        running.listeners.append(self._listen)
        self.session = running

    def _listen(self, event: Event) -> None:
        if isinstance(event, Explained) and event.program.called:
            with self._lock:
                self._seen.append(event)

    # -- one test ------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if self.session is None:
            return (yield)
        self._seen, self._shared = [], ""
        before = self._guarded(State.now, self.session.jax)
        self._guarded(self.session.renew)  # or a test would be blamed for what an earlier one did
        try:
            return (yield)
        finally:
            self._guarded(self._close, item, before)

    def _guarded(self, function: Callable[..., Any], *args: Any) -> Any:
        """What fails in us is told in the summary; `pytest.fail` is no Exception, and goes on."""
        try:
            return function(*args)
        except Exception as error:
            self.degraded["pytest"] = f"{type(error).__name__}: {error}"[:200]
            return None

    def _close(self, item: pytest.Item, before: State | None) -> None:
        assert self.session is not None
        found = self.session.renew()
        left: Iterable[str] = ()
        if before is not None and not _is_wide(item):
            left = before.changes(State.now(self.session.jax))
        functions = [each for each in self._seen if not each.program.eager]
        self.tests.append(
            Test(
                item.nodeid,
                compiles=len(functions),
                operations=len(self._seen) - len(functions),
                seconds=sum(each.seconds for each in self._seen),
                findings=[as_dict(f) for f in found if f.severity != "info"],
                left=list(left),
                shared=self._shared,
            )
        )
        for each in functions:
            self._by_test.setdefault(each.program.function.key, item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        mark = item.get_closest_marker("gotcha")
        if self.session is None or mark is None:
            return (yield)
        _validate(mark)
        fresh = self.config.getoption("--gotcha-fresh") or "contract" in mark.kwargs
        if fresh and self.session.jax is not None:
            self.session.jax.clear_caches()
        start = len(self._seen)
        before = {key: f.count for key, f in self.session.run.findings.items()}
        result = yield
        with self._lock:
            body = self._seen[start:]
        functions = [each for each in body if not each.program.eager]
        self._guarded(self._fail_on_compiles, item, mark, functions)
        self._guarded(self._fail_on_findings, mark, before)
        if name := mark.kwargs.get("contract"):
            self._guarded(pytest_contract.keep, item, name, body)
        return result

    def _fail_on_compiles(
        self, item: pytest.Item, mark: pytest.Mark, body: list[Explained]
    ) -> None:
        most = mark.kwargs.get("max_compiles")
        if most is None or self.session is None:
            return
        counts = Counter(each.program.function.key for each in body)
        over = [each for each in body if counts[each.program.function.key] > most]
        if over:
            times = Counter(f"`{each.program.function.name}`" for each in over)
            what = ", ".join(
                f"{name} was compiled {plural(n, 'time')}" for name, n in times.items()
            )
            headline = f"gotcha: {what} in this test, max_compiles is {most}"
            pytest.fail(message(headline, [from_event(each) for each in over]), pytrace=False)
        if blind := api.blind(self.session):
            item.warn(pytest.PytestWarning(f"gotcha could not see all compiles: {blind}"))
        self._shared = self._others(item, counts)

    def _others(self, item: pytest.Item, counts: Counter[tuple[object, ...]]) -> str:
        """Functions that the test reaches by name, and that an earlier test had compiled."""
        shared = [
            f"`{function.name}`: {counts[function.key]} compiles here, "
            f"compiled before by {self._by_test[function.key]}"
            for function in reached(item)
            if function.key in self._by_test
        ]
        return "; ".join(dict.fromkeys(shared))

    def _fail_on_findings(self, mark: pytest.Mark, before: dict[str, int]) -> None:
        assert self.session is not None
        forbidden = set(mark.kwargs.get("forbid", ()))
        wrong = [
            f
            for key, f in self.session.run.findings.items()
            if {f.name, f"{f.name}/{f.cause}"} & forbidden
            and f.severity != "info"
            and f.count > before.get(key, 0)
        ]
        if wrong:
            lines = [f"gotcha: {plural(len(wrong), 'forbidden finding')} in this test"]
            for each in wrong:
                lines += [f"  {each.name} at {place(each.site)}: {each.message}"]
                lines += [f"      fix: {each.advice}"] if each.advice else []
            pytest.fail("\n".join(lines), pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self.session is not None and report.failed and call.excinfo is not None:
            self._guarded(self._explain, report, call.excinfo.value)
        return report

    def _explain(self, report: pytest.TestReport, error: BaseException) -> None:
        if self.session is not None and (found := crashes.explain(error)) is not None:
            self.session.emit(found.as_fact(self.session.now()))
            report.sections.append(("gotcha", found.as_text("")))

    # -- the end -------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        self._guarded(self._finish)
        return (yield)

    def _finish(self) -> None:
        if self.session is not None:
            self.degraded |= self.session.run.degraded
            if hasattr(self.config, "workeroutput"):
                packed = pytest_summary.pack(self.tests, self.degraded)
                self.config.workeroutput["gotcha"] = packed  # type: ignore

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """xdist: a worker has ended."""
        packed = getattr(node, "workeroutput", {}).get("gotcha")
        if packed is None:
            self.lost.append(node.gateway.id)
        else:
            tests, degraded = pytest_summary.unpack(packed)
            self.tests += tests
            self.degraded |= degraded

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.config.getoption("--gotcha"):
            return
        terminalreporter.section("gotcha")
        for line in self._guarded(self._lines) or [f"degraded: {self.degraded['pytest']}"]:
            terminalreporter.line(line)

    def _lines(self) -> list[str]:
        return list(pytest_summary.lines(self.tests, self.degraded, self.lost))

    def pytest_unconfigure(self) -> None:
        if self.session is not None:
            self.session.listeners.remove(self._listen)
            if self._own:
                self.session.stop()


def _validate(mark: pytest.Mark) -> None:
    unknown = mark.kwargs.keys() - _KEYS
    if mark.args or unknown:
        what = ", ".join(sorted(unknown)) or "arguments without a name"
        raise pytest.UsageError(
            f"mark gotcha takes max_compiles=, forbid= and contract=, not {what}"
        )


def _is_wide(item: pytest.Item) -> bool:
    """True where a fixture outlives the test: what is changed may be its to put back."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None:
        return False
    known = info.name2fixturedefs
    return any(each.scope != "function" for name in known for each in known[name])
