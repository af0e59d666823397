"""Places where a failure is what a test wants to see."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.rule import text_of

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "benchmarks"})
_WORDS = ("raises", "Raises", "warns", "Warns", "ensure_compile_time_eval", "disable_jit")


def expected_to_fail(body: Body, node: cst.CSTNode) -> bool:
    """Inside `with pytest.raises(...)`, where nothing is traced, or in a `try` that catches."""
    for outer in walk(body.function.node):
        match outer:
            case cst.With(items=items) if any(
                w in text_of(item.item) for item in items for w in _WORDS
            ):
                inside = outer.body
            case cst.Try() if outer.handlers:
                inside = outer.body
            case _:
                continue
        if any(part is node for part in walk(inside)):
            return True
    return False


def is_test(path: str) -> bool:
    """Tests and benchmarks draw equal numbers, and trace what must fail, on purpose."""
    folder, _, file = path.replace("\\", "/").rpartition("/")
    words = set(file.removesuffix(".py").split("_"))
    places = set(folder.split("/")[-3:])
    return bool(words & {"test", "tests", "conftest"}) or bool(places & _TEST_FOLDERS)
