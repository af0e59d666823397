"""`pytest --gotcha` and `@pytest.mark.gotcha(max_compiles=1, forbid=["recompile/shape"])`.

pytest loads this file in every run of the environment, so it imports nothing of ours until one of
the two is used; `pytest_watch` does the work.
"""

from __future__ import annotations

import pytest

_MARK = (
    "gotcha(max_compiles=n, forbid=[...], contract=file): fail where one jitted function is "
    "compiled more than n times in the test's body, where a finding (`host-read-every-step`, "
    "`recompile/shape`) is made in it, or where it compiles otherwise than the contract says"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gotcha", "pitfalls of JAX")
    group.addoption(
        "--gotcha", action="store_true", help="report what each test compiles, and its pitfalls"
    )
    group.addoption(
        "--gotcha-fresh",
        action="store_true",
        help="clear JAX's caches before each marked test, so that no other test compiles for it",
    )
    group.addoption(
        "--gotcha-write-contracts",
        action="store_true",
        help="write the files that marks name as contract=, instead of comparing with them",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK)
    if config.getoption("--gotcha"):
        _watch(config)


def pytest_collection_finish(session: pytest.Session) -> None:
    if any(item.get_closest_marker("gotcha") for item in session.items):
        _watch(session.config)


def _watch(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin("gotcha-watch"):
        from gotcha_sanitizer.user.pytest_watch import Watch

        config.pluginmanager.register(Watch(config), "gotcha-watch")
