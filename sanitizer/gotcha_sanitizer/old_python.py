"""What Python 3.11 does not show, and the lines that say what a run did not see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

CALLS = "calls on the fast path"
READS = "np.asarray of an array on the CPU"
UNSEEN = {
    CALLS: "before Python 3.12 they are not seen: no slow-path-call, and what is stale is looked "
    "for once a second, not at the call",
    READS: "before Python 3.12 it goes past Python: such reads are not seen",
}
BRIEF = {CALLS: "fast-path calls", READS: "np.asarray on the CPU"}


def lines(degraded: Mapping[str, str]) -> Iterator[str]:
    """One for each feature; what every run on Python 3.11 lacks is told in one line."""
    old = [feature for feature, why in UNSEEN.items() if degraded.get(feature) == why]
    for feature, why in sorted(degraded.items()):
        if feature not in old:
            yield f"degraded: {feature}: {why}"
    if old:
        hidden = " and ".join(BRIEF[feature] for feature in old)
        yield f"not seen on Python 3.11: {hidden}; see gotcha-sanitize doctor"
