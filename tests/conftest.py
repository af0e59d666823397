"""Shared by all tests: snapshots, compared with files and rewritten by --update-snapshots."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.cheap_compiles import CHEAP

# XLA reads its flags once, at the first array, which some tests make while they are collected: a
# fixture would set them too late. Programs that tests start inherit them.
JAX_WAS_IMPORTED = "jax" in sys.modules
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {CHEAP}".strip()

# A loaded machine is no fault. `make test` tries the same inputs each time, `make test-all` others.
settings.register_profile(
    "same", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("new", settings.get_profile("same"), derandomize=False)
settings.load_profile(os.environ.get("GOTCHA_EXAMPLES", "same"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots",
        action="store_true",
        help="write the snapshot files instead of comparing with them",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Python 3.11 has no `sys.monitoring`: tests/newest_python.sh runs these on a newer one."""
    if sys.version_info < (3, 12):
        newer = [item for item in items if item.get_closest_marker("monitoring")]
        config.hook.pytest_deselected(items=newer)
        items[:] = [item for item in items if item not in newer]


def pytest_collection_finish() -> None:
    """What stays to the end (JAX, all tests) is not looked through by each `gc.collect`."""
    gc.freeze()


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`snapshot(name, text)`: compares it with snapshots/name, beside the test or above it."""
    above = [parent / "snapshots" for parent in Path(request.path).parents]
    folder = next((each for each in above if each.is_dir()), above[0])

    def compare(name: str, text: str) -> None:
        file = folder / name
        data = text.encode("utf-8", "backslashreplace")
        if request.config.getoption("--update-snapshots"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        assert file.exists(), f"no snapshot {name}: run pytest --update-snapshots"
        assert data.decode() == file.read_bytes().decode()

    return compare


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The linter's findings of other runs are not ours, and a terminal's width is none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOTCHA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("COLUMNS", raising=False)  # workers of pytest have one
        yield
