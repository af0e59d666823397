"""How a fault shows at run time: judged on what the planted and the clean program did."""

from __future__ import annotations

import math
from collections.abc import Callable
from fnmatch import fnmatch
from typing import Any, NamedTuple


class Outcome(NamedTuple):
    """What a program did."""

    result: dict[str, Any] | None = None
    error: str = ""
    compiles: int = 0
    pickled: int = 0
    output: str = ""
    warned: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Symptom(NamedTuple):
    """A description, and whether it is seen; without `seen` the program is not run."""

    text: str
    seen: Callable[[Outcome, Outcome], bool] | None


def raises(text: str) -> Symptom:
    """Ends with an exception whose type or message has the text."""
    return Symptom(f"raises {text}", lambda bad, _: text in bad.error)


def compiles(more: int) -> Symptom:
    """Compiles at least so many programs more than the clean host."""

    def seen(bad: Outcome, good: Outcome) -> bool:
        return not bad.error and bad.compiles >= good.compiles + more

    return Symptom(f"compiles {more} more times", seen)


def differs(key: str = "") -> Symptom:
    """Ends with another result than the clean host: all of it, or one value."""

    def seen(bad: Outcome, good: Outcome) -> bool:
        if bad.error or not bad.result or not good.result:
            return False
        keys = [key] if key else sorted(good.result)
        return any(not _near(bad.result.get(each), good.result[each]) for each in keys)

    return Symptom(f"another {key or 'result'}", seen)


def same(key: str = "") -> Symptom:
    """What was planted changes something, without effect: the result of the clean host."""
    other = differs(key).seen
    assert other

    def seen(bad: Outcome, good: Outcome) -> bool:
        return bool(bad.result) and not other(bad, good)

    return Symptom(f"the change has no effect on {key or 'the result'}", seen)


def _near(one: Any, other: Any) -> bool:
    if one is None or isinstance(one, str):
        return one == other
    return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-8)


def prints(text: str) -> Symptom:
    return Symptom(f"prints {text}", lambda bad, _: text in bad.output)


def warns(text: str) -> Symptom:
    return Symptom(f"warns: {text}", lambda bad, _: any(text in each for each in bad.warned))


def pickles() -> Symptom:
    """Pickles arrays that are on the device; the clean host pickles none."""
    return Symptom("pickles device arrays", lambda bad, good: bad.pickled > good.pickled)


def leaves(pattern: str) -> Symptom:
    """Leaves a file or folder behind that the clean host does not."""

    def seen(bad: Outcome, good: Outcome) -> bool:
        return any(fnmatch(each, pattern) for each in bad.left if each not in good.left)

    return Symptom(f"leaves {pattern}", seen)


def unseen(why: str) -> Symptom:
    """Not run."""
    return Symptom(why, None)
