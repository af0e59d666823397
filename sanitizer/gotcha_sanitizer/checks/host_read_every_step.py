"""Lines that make the host wait for the device in each iteration of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.finding import Severity
from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks.host_bound_loop import is_bound
from gotcha_sanitizer.explain.turns import acts
from gotcha_sanitizer.values.events import Activity, HostReads, LoopActivity, ReadsAt
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import plural, seconds

_WAITS = 5  # reads that waited
_LOOKS = 5
_IDLE = 0.85  # of the looks, as a share, found nothing in flight
_MOST = 0.3  # of the visits waited: else the process was only interrupted now and then
_WAITED = 1e-3  # seconds in all
_SHARE = 0.02  # of the run, and of the time since the first read
_TURNS = 20  # visits: fewer are no loop that is worth a word
_OF_LOOP = 0.005  # of the loop's own time could be spared at most: less is not worth a finding
_LITTLE = 0.02  # of the loop's own time is waited for: no more than that can be won, so a note
_NEW = 0.5  # of the first reads, as a share, are of an array made since the read before
_LONG = 0.2  # seconds: a read that waits longer is that of an epoch or a chunk ...
_WORTH = 0.02  # ... unless reading later could spare this share of the time
_BESIDE = 0.1  # of the time of a loop that Python holds up, or of a wait beside it
_ALWAYS = 0.9  # of the visits of a read, those of a wait beside it
_SHORT = 1e-3  # seconds: waking up from such a wait takes about as long as the step

_WAIT = "block_until_ready"  # waiting on purpose, as a benchmark does
_CALLED = {
    "__float__": "float()",
    "__int__": "int()",
    "__bool__": "a truth test",
    "__index__": "an index",
    "__complex__": "complex()",
    "__array__": "a conversion to numpy",
    "__buffer__": "a conversion to numpy",
    "__format__": "formatting",
    "__str__": "print() or str()",
    "__repr__": "repr()",
    "__dlpack__": "a DLPack conversion",
}


class HostReadEveryStep(Check):
    """Times how long the host waits in each read of an array; looks at what is left to compute.

    A finding only where a line reads in each iteration of its loop, waits for a good part of the
    loop's own time or of the run, and leaves nothing in flight: the device then idles until the
    next step is queued. A read in each iteration that costs less is a note, and so is one whose
    value the program acts on, as `env.step(int(action))` does; one in a loop that Python holds up
    (`host-bound-loop`), where it takes less than a tenth of the time; and one beside a
    `block_until_ready` of the same loop that takes ten times as long: the loop has waited. Reading
    the loss of the step before, once the next step is queued, waits as long and is right, unless
    the next step too is done before the host has woken up. So is reading every n steps or once per
    epoch. `seconds` is what could be spared at most: the time that the host took between the reads,
    while the device had nothing to do.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._told: dict[tuple[object, str], ReadsAt] = {}
        self._waits: dict[Site, ReadsAt] = {}  # the longest wait on purpose, by loop
        self._bound: frozenset[Site] = frozenset()  # loops that Python holds up

    def on(self, event: HostReads | Activity) -> Iterator[Finding]:
        if isinstance(event, HostReads):
            for row in event.rows:
                self._is_a_wait(row)
            for row in event.rows:
                yield from self._judged(row, event.at)
            return
        before, self._bound = self._bound, frozenset(map(_loop, filter(is_bound, event.loops)))
        for row in list(self._told.values()):
            if (before ^ self._bound) & set(row.loops):
                yield from self._judged(row, event.at)

    def _judged(self, row: ReadsAt, now: float) -> Iterator[Finding]:
        key, severity = (row.site, row.how), _severity(row, now)
        if severity == "warning" and self._bound & set(row.loops) and _is_small(row):
            severity = "info"
        if severity == "warning" and self._has_waited(row):
            severity = "info"
        if severity:
            self._told[key] = row
            yield _finding(row, now, severity)
        elif key in self._told:  # no more: a note, with its last numbers
            yield _finding(row, now, "info")

    def _is_a_wait(self, row: ReadsAt) -> None:
        if row.how != _WAIT or not row.loops:
            return
        before = self._waits.get(row.loops[0])
        if before is None or before.site == row.site or before.blocked < row.blocked:
            self._waits[row.loops[0]] = row

    def _has_waited(self, row: ReadsAt) -> bool:
        """The loop waits on purpose in each iteration, itself or in a library that it calls."""
        wait = self._waits.get(row.loops[0]) if row.loops else None
        if wait is None or wait.visits < _ALWAYS * row.visits:
            return False
        return max(row.blocked, row.waited) < _BESIDE * wait.blocked


def _loop(row: LoopActivity) -> Site:
    return row.loop


def _is_small(row: ReadsAt) -> bool:
    """Beside what Python takes in its loop: the device has nothing to do, read or not."""
    return row.blocked < _BESIDE * row.span


def _severity(row: ReadsAt, now: float) -> Severity | None:
    """By its cost; None where it is no read of each iteration, or the device has work meanwhile."""
    worth = _stalls(row, now) or _stalls_its_loop(row)
    if not worth and not (_leaves_idle(row) and row.visits >= _TURNS):
        return None
    return "warning" if worth and row.how != _WAIT and not _is_acted_on(row) else "info"


def _is_acted_on(row: ReadsAt) -> bool:
    return acts(row.site.path, row.site.line, row.loops[0] if row.loops else None)


def _leaves_idle(row: ReadsAt) -> bool:
    return row.steady and row.looked >= _LOOKS and row.idle >= _IDLE * row.looked


def _computes(row: ReadsAt) -> bool:
    """Each iteration makes what it reads. A slow read of an old array was only interrupted."""
    return row.new >= _NEW * row.compared


def _stalls_its_loop(row: ReadsAt) -> bool:
    """However short the loop is: it goes as fast as its reads let it."""
    if not _leaves_idle(row) or row.visits < _TURNS or not _computes(row):
        return False
    blocked = row.blocked
    if row.waits < _MOST * row.visits:
        blocked -= row.waited  # the process was interrupted now and then
    if blocked < _LITTLE * row.span:
        return False
    spared = min(blocked, row.span - row.blocked)
    return spared > _OF_LOOP * row.span and row.span < _LONG * row.visits


def _stalls(row: ReadsAt, now: float) -> bool:
    if not _leaves_idle(row) or not _computes(row):
        return False
    if row.waits < _WAITS or row.waited < _WAITED:
        return False
    if row.waits < _MOST * row.visits:
        return False
    span = max(now - row.first, 1e-9)
    if row.waited < _SHARE * now or row.waited < _SHARE * span:
        return False
    return row.waited / row.waits < _LONG or row.spared > _WORTH * span


def _finding(row: ReadsAt, now: float, severity: Severity) -> Finding:
    blocked = max(row.blocked, row.waited)
    share = f", {row.blocked / row.span:.0%} of the loop's time" if row.blocked < row.span else ""
    how = _CALLED.get(row.how, f".{row.how}()")
    chain = ((row.loops[0], "the loop"),) if row.loops else ()
    return Finding(
        name="host-read-every-step",
        message=f"{how} waits for the device in each iteration of the loop: "
        f"{plural(row.visits, 'time')}, {seconds(blocked)} in all{share}; nothing was queued "
        "meanwhile, "
        "so the device idles until the next step comes",
        site=row.site,
        advice=_advice(row),
        function=row.site.function,
        count=row.count,
        seconds=row.spared,
        severity=severity,
        chain=chain,
        evidence={
            "method": row.how,
            "waited": round(row.waited, 4),
            "share_of_run": round(row.waited / max(now, 1e-9), 3),
            "looked_at": row.looked,
            "nothing_in_flight": row.idle,
        },
        key=(row.site.path, row.site.line),
    )


def _advice(row: ReadsAt) -> str:
    if row.how == _WAIT:
        return "wait once, after the loop"
    if _is_acted_on(row):
        return (
            "the loop needs the value: act in several environments with one call, or move the loop "
            "into jit (`lax.scan`) where the environment is in JAX"
        )
    if row.how == "__bool__":
        return "decide on the device (`jnp.where`, `lax.cond`), or every n steps"
    if max(row.blocked, row.waited) < _SHORT * row.visits:
        return "read it every n steps: such short steps are over before a waiting host wakes up"
    return "read it every n steps, or read the value of the step before once the next is queued"
