"""Batches made ready on the device while the step before them is computed.

Wrong: a thread that outlives the loop, keeps its errors to itself, or a loader state that belongs
to what was read ahead: a run resumed from it skips the batches in the queue.
Right: the thread ends with the `with` block; an error comes out where its batch would have come;
each batch has the state of the loader right after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from reference_trainer.data.batch import Batch, Loader

Placed = tuple[Batch, dict[str, Any]]  # on the device; the state of the loader after it
Ready = SimpleQueue[Placed | BaseException]


@contextmanager
def prefetch(
    loader: Loader, place: Callable[[Batch], Batch], size: int
) -> Iterator[Iterator[Placed]]:
    """At most `size` batches ahead of the one in use; 0: none, and no thread.

    `place` runs in the thread, where `jax.set_mesh` does not reach: it names the sharding itself.
    """
    placed = _placed(loader, place)
    if not size:
        yield placed
        return
    room, ready, stop = threading.Semaphore(size), SimpleQueue(), threading.Event()
    thread = threading.Thread(
        target=_read, args=(placed, room, ready, stop), name="prefetch", daemon=True
    )
    thread.start()
    try:
        yield _taken(room, ready)
    finally:
        stop.set()
        room.release()  # it may be waiting for room
        thread.join()


def _placed(loader: Loader, place: Callable[[Batch], Batch]) -> Iterator[Placed]:
    for batch in loader:
        yield place(batch), loader.state()  # where the loader is after this very batch


def _read(
    placed: Iterator[Placed], room: threading.Semaphore, ready: Ready, stop: threading.Event
) -> None:
    try:
        while room.acquire() and not stop.is_set():
            ready.put(next(placed))
        ready.put(StopIteration())
    except BaseException as error:  # for the consumer; StopIteration is one of them
        ready.put(error)


def _taken(room: threading.Semaphore, ready: Ready) -> Iterator[Placed]:
    while not isinstance(item := ready.get(), BaseException):
        room.release()
        yield item
    if not isinstance(item, StopIteration):
        raise item
