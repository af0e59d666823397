"""Places where a failure is what a test wants to see."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.facts import paths
from gotcha_lint.facts.paths import names_benchmark
from gotcha_lint.rule import text_of

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


def is_benchmark(body: Body) -> bool:
    """By its path, its name or the names of all its callers: its numbers are timed."""
    if paths.is_benchmark(body.model.path) or names_benchmark(body.function.name):
        return True
    callers = body.usage.callers.get(body.id, ())
    project = body.project
    if project is None or not callers:
        return False
    return all(names_benchmark(project.function(caller).name) for caller in callers)
