"""What a session has seen: added up in memory and, where asked for, on disk as it happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gotcha_sanitizer.run import record
from gotcha_sanitizer.run.folded import folded
from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.run.stream import Stream
from gotcha_sanitizer.run.thinning import Thinning

SOME = 256  # programs of one function that `history` tells of: a storm must not fill the memory


class Recording:
    """The run, and its file at `path` if that is not empty. Nothing here raises for the disk."""

    def __init__(
        self,
        path: str,
        header: Callable[[], dict[str, Any]],
        now: Callable[[], float],
        say: Callable[[str], None],
        whole: bool = False,
        most: int = 0,
    ) -> None:
        """`whole`: for the page, keep every program; else some of each function.

        `most`: bytes of the file, after which it is folded: rewritten, with the sums so far in
        the place of single events. 0: never.
        """
        self.run = record.Run() if whole else record.Run(most=SOME)
        self._path = path
        self._header = header
        self._now = now
        self._say = say
        self._stream: Stream | None = None
        self._thinning = Thinning()
        self._most = self._limit = most

    @property
    def streams(self) -> bool:
        """It has a file: what is added is written, too."""
        return self._stream is not None

    def open(self) -> None:
        """Begins the record."""
        if self._path:
            self._stream = Stream(self._path)
            try:
                self._stream.open()
                self._stream.header = self._header
            except Exception as error:
                self._lost(error)
        self.add(self._header())

    def in_child(self) -> None:
        """A fork: the child records its own run; what cannot be seen stays so."""
        self.run = record.Run(degraded=self.run.degraded.copy(), most=self.run.most)
        self.run.start = self._header()
        self._thinning = Thinning()
        if self._stream is not None:
            self._stream.in_child()

    def add(self, row: Mapping[str, Any]) -> None:
        self.run.add(row)
        if (kept := self._thinning.keeps(row)) is not None:
            self.write(kept)

    def write(self, row: Mapping[str, Any]) -> None:
        """For what is kept in the run already."""
        self._do(lambda stream: stream.write(row))
        if self._most and self._stream is not None and self._stream.size > self._limit:
            self._do(self._fold)

    def _fold(self, stream: Stream) -> None:
        """Rewrite the file: it begins with the sums of what it held."""
        self._thinning.rest(self._now())  # they are in the run
        try:
            stream.replace([self._header() | {"time": self.run.start["time"]}, folded(self.run)])
        except OSError:  # as on Windows, where an open file is not replaced: it goes on growing
            self._most = 0
            return
        self._limit = max(self._most, 2 * stream.size)  # so that it is never folded at each event

    def degraded(self, feature: str, why: str) -> None:
        """Something cannot be seen in this process: said in the report, once for each feature."""
        if feature not in self.run.degraded:
            self.run.degraded[feature] = why
            self.write({"event": "degraded", "feature": feature, "why": why})

    def flush(self) -> None:
        """What was recorded so far is on disk."""
        self._do(lambda stream: stream.flush())

    def end(self, self_seconds: float) -> None:
        """Closes the record with its summary; `gotcha-sanitize report` can make it again."""
        if (reads := self._thinning.rest(round(self._now(), 4))) is not None:
            self.write(reads)
        own = {"at": round(self._now(), 4), "self_seconds": round(self_seconds, 4)}
        self.add(record.summary(self.run) | own)

    def so_far(self) -> None:
        """A summary that holds if the process is killed now; it is not the last word."""
        at = {"at": round(self._now(), 4), "self_seconds": 0.0}
        self.write(record.summary(self.run) | at)

    @property
    def file(self) -> str:
        """Where the record is written; empty where there is none, or it has broken off."""
        return str(self._stream.path) if self._stream is not None else ""

    def close(self) -> None:
        self._do(lambda stream: stream.close())

    def drop(self) -> None:
        """No file, from now on."""
        self._stream = None

    def _do(self, action: Callable[[Stream], None]) -> None:
        if self._stream is not None:
            try:
                action(self._stream)
            except Exception as error:
                self._lost(error)

    def _lost(self, error: Exception) -> None:
        self._stream = None
        what = f"{self._path}: {in_words(error)}"
        self.degraded("record", f"it ends at {self._now():.1f} s: {what}")
        self._say(f"log_path: {what}; the record ends here")
