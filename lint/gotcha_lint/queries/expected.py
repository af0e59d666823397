"""Places where a failure is what a test wants to see."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.rule import text_of

_TEST_FILES = frozenset({"test", "tests", "conftest"})
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "bench", "benchmark", "benchmarks"})
_WORDS = ("raises", "Raises", "warns", "Warn", "assertNo", "assertLogs")
_WORDS += ("ensure_compile_time_eval", "disable_jit")


def expected_to_fail(body: Body, node: cst.CSTNode) -> bool:
    """Inside `with pytest.raises(...)`, where nothing is traced, or in a `try` that catches."""
    return id(node) in _expected(body)


@lru_cache(maxsize=64)
def _expected(body: Body) -> frozenset[int]:
    blocks = (_expecting(node) for node in walk(body.function.node))
    return frozenset(id(part) for block in blocks if block is not None for part in walk(block))


def _expecting(node: cst.CSTNode) -> cst.CSTNode | None:
    """The block of a statement that catches what fails in it."""
    kind = node.__class__
    if kind is cst.Try:
        return node.body if node.handlers else None  # type: ignore[attr-defined]
    if kind is cst.With:
        texts = [text_of(item.item) for item in node.items]  # type: ignore[attr-defined]
        return node.body if any(w in t for t in texts for w in _WORDS) else None  # type: ignore[attr-defined]
    return None


def in_test_case(body: Body) -> bool:
    """A method of a `TestCase`, whatever its file is called."""
    bases = body.function.cls.node.bases if body.function.cls is not None else ()
    return any(text_of(base.value).endswith("TestCase") for base in bases)


@lru_cache(maxsize=256)
def is_test(path: str) -> bool:
    """Tests and benchmarks draw equal numbers, and trace what must fail, on purpose."""
    folder, _, file = path.replace("\\", "/").rpartition("/")
    words = set(file.removesuffix(".py").split("_"))
    places = set(folder.split("/")[-3:])
    return bool(words & _TEST_FILES) or bool(places & _TEST_FOLDERS)


def is_benchmark(body: Body) -> bool:
    """By the name of the file, or of all functions that call this one: its numbers are timed."""
    stem = body.model.path.replace("\\", "/").rpartition("/")[2].removesuffix(".py")
    if _names_benchmark(stem) or _names_benchmark(body.function.name):
        return True
    callers = body.usage.callers.get(body.id, ())
    project = body.project
    if project is None or not callers:
        return False
    return all(_names_benchmark(project.function(caller).name) for caller in callers)


def _names_benchmark(name: str) -> bool:
    return any(word.startswith("bench") for word in name.lower().split("_"))
