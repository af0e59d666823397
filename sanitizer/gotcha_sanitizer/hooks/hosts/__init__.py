"""Several hosts run one program: each publishes what it does, and the first difference is named.

Which host this is becomes known once JAX has started. From then on a host publishes the programs
that span hosts, and where its main thread is. Host 0 compares; where it is silent, the next one.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from gotcha_sanitizer.frames import owner, where
from gotcha_sanitizer.hooks import Context, internals
from gotcha_sanitizer.hooks.hosts import published
from gotcha_sanitizer.run.agreement import Entry, State, difference, waiting
from gotcha_sanitizer.run.board import Board, Folder, Store
from gotcha_sanitizer.values.events import Diverged, Host
from gotcha_sanitizer.values.parts import Site

_PERIOD = 1.0  # seconds between two signs of life
_SHARE, _RAREST = 0.002, 10.0  # of the run's time, later on; seconds at the most
_WORK = 0.1  # of its time: a main thread that works more does not wait
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LONGEST = 4  # times `slow_wait` between two lines about a wait


class Hosts:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.pid = os.getpid()
        self.index = self.count = -1
        self._board: Board | None = None
        self._sent = 0
        self._reports = 0
        self._place: object = None  # where the main thread was at the last look
        self._since = self._cpu = 0.0
        self._seen: dict[int, tuple[int, float]] = {}  # host -> its report, and when it came
        self._entries: dict[int, list[Entry]] = {}
        self._checked: dict[int, int] = {}
        self._differ = False
        self._told = -1e9

    def look(self) -> float | None:
        """One sign of life, and one comparison; gives the seconds until the next."""
        if self.index < 0 and not self._known():
            return None
        if self._board is None:
            return None
        now = self.context.now()
        state = self._state(now)
        self._publish(self._board, state)
        self._compare(self._board, now)
        return min(_SHARE * now, _RAREST)

    def last(self) -> None:
        """The program has ended: others must not wait for it unknowingly. A process that was forked
        off may end as it likes."""
        if os.getpid() != self.pid:
            return
        if (self.index >= 0 or self._known()) and self._board is not None:
            self._reports += 1
            over = State(self.index, self._reports, len(published.entries), over=True)
            self._publish(self._board, over)
            self._compare(self._board, self.context.now())

    def _known(self) -> bool:
        found = internals.hosts(self.context.jax)
        if found is None:
            return False
        self.index, self.count = found
        if self.count > 1:
            self.context.emit(Host(self.context.now(), *found))
            self._board = self._open()
        return True

    def _open(self) -> Board | None:
        folder = self.context.options.hosts
        if folder:
            return Folder(Path(folder))
        client = internals.store(self.context.jax)
        return Store(client) if client is not None else None

    def _state(self, now: float) -> State:
        main = threading.main_thread().ident or 0
        frame = sys._current_frames().get(main)
        found = where(frame) if frame is not None else None
        place = (found.site, frame.f_lasti) if found is not None and frame is not None else None
        cpu = _cpu(main)
        if place != self._place or cpu - self._cpu > _WORK * max(now - self._since, _PERIOD):
            self._place, self._since, self._cpu = place, now, cpu
        self._reports += 1
        site = found.site if found else None
        programs = len(published.entries)
        inside = frame is not None and _in_jax(frame.f_code.co_filename)
        return State(self.index, self._reports, programs, site, now - self._since, inside)

    def _publish(self, board: Board, state: State) -> None:
        while self._sent < state.programs:  # before the state that counts them
            board.add(self.index, self._sent, published.as_json(published.entries[self._sent]))
            self._sent += 1
        board.put(self.index, state.as_json())

    def _compare(self, board: Board, now: float) -> None:
        states = {s.host: s for s in map(State.read, board.states()) if s.host < self.count}
        for host, state in states.items():
            if self._seen.get(host, (0, 0.0))[0] != state.count:
                self._seen[host] = state.count, now
        silent = {host: now - self._seen[host][1] for host in states}
        patience = self.context.options.slow_wait
        alive = [h for h, s in states.items() if not s.over and silent[h] < patience]
        if self.index != min(alive, default=self.index):
            return
        self._programs(board, states)
        if now - self._told >= _LONGEST * patience:
            for _, words, site in waiting(states, silent, patience):
                self._told = now
                self._tell("wait", words, site)

    def _programs(self, board: Board, states: dict[int, State]) -> None:
        for host, state in states.items():
            if host == self.index or self._differ:
                continue
            theirs = self._entries.setdefault(host, [])
            if state.programs > len(theirs):
                got = board.programs(host, len(theirs), state.programs)
                theirs += map(Entry.read, got)
            begin = self._checked.get(host, 0)
            found = difference((self.index, published.entries), (host, theirs), begin)
            self._checked[host] = min(len(published.entries), len(theirs))
            if found is not None:
                self._differ = True
                self._tell("program", *found)

    def _tell(self, cause: str, words: str, site: Site | None) -> None:
        self.context.emit(Diverged(self.context.now(), cause, words, site))


def _in_jax(path: str) -> bool:
    """Of the innermost frame: JAX's own, or ours around a read."""
    return owner(path) == "jax" or path.startswith(_OWN)


def _cpu(thread: int) -> float:
    """Seconds that a thread has worked; 0 where the system does not say."""
    clock = getattr(time, "pthread_getcpuclockid", None)
    return time.clock_gettime(clock(thread)) if clock is not None else 0.0


def install(context: Context) -> Callable[[], None]:
    hosts = Hosts(context)
    published.on_entry.append(context.every(_PERIOD, hosts.look))
    context.at_end(hosts.last)

    def uninstall() -> None:
        published.entries.clear()
        published.on_entry.clear()

    return uninstall
