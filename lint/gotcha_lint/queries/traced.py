"""Is code seen to be traced?"""

from __future__ import annotations

from gotcha_lint.analysis.sites import Body
from gotcha_lint.facts.paths import is_test


def surely_traced(body: Body) -> bool:
    """Seen to be given to a transform, or called from such a function, and not by a test alone."""
    return body.trace is not None and not body.trace.soft and not _traced_by_test(body)


def _traced_by_test(body: Body) -> bool:
    """What a test traces, or gives to code that traces it, works, or fails on purpose."""
    chain = body.trace.chain if body.trace else ()
    return bool(chain) and (is_test(chain[0][0][0]) or is_test(body.model.path))
