"""What JAX's own checks, which are off by default, say of a step."""

from __future__ import annotations

from gotcha_sanitizer.checks.facts import GUARD, Facts
from gotcha_sanitizer.values.events import Fact


class FailedGuard(Facts):
    """With `guard=N`: copies the arguments of the first call of up to four jitted functions.

    At the end of the run each is evaluated again, N steps long, under one check of JAX's after the
    other: NaN, indices out of bounds (also static ones), rank promotion, leaked tracers, typed keys
    that are used twice, transfers. NaN and indices are asked again with the arguments of a later
    call, where the line that calls names them. The program itself runs without them. What is
    printed while a function is traced again is not shown; functions with callbacks are traced, not
    run.

    ## Instead
    The cause of each finding says what to do.
    """

    gotchas = (GUARD,)

    def takes(self, fact: Fact) -> bool:
        return fact.gotcha == GUARD
