"""What the path of a file says of the code in it."""

from __future__ import annotations

from functools import lru_cache

_TEST_FOLDERS = frozenset({"test", "tests"})
_BENCHMARK_FOLDERS = frozenset({"bench", "benchmark", "benchmarks"})
_NEAR = 3
"""So many folders above a file count: a project that lies below `~/tests/` is not all tests."""


@lru_cache(maxsize=256)
def is_test(path: str) -> bool:
    """A file below a folder `tests`, or called `test_*.py`, `*_test.py` or `conftest.py`.

    Tests draw equal numbers, trace what must fail and compile a few times, all on purpose.
    """
    folders, file = _split(path)
    if file.endswith(".py") and (file.startswith("test_") or file.endswith("_test.py")):
        return True
    return file == "conftest.py" or not _TEST_FOLDERS.isdisjoint(folders)


def is_benchmark(path: str) -> bool:
    """A file with a word like `benchmark` in its name, or below a folder `benchmarks`."""
    folders, file = _split(path)
    return names_benchmark(file.removesuffix(".py")) or not _BENCHMARK_FOLDERS.isdisjoint(folders)


def names_benchmark(name: str) -> bool:
    return any(word.startswith("bench") for word in name.lower().split("_"))


def _split(path: str) -> tuple[list[str], str]:
    *folders, file = path.replace("\\", "/").split("/")
    return folders[-_NEAR:], file
