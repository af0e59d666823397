"""From forecasts to findings, file by file: in this process, or shared out among several."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gotcha_lint.findings.checking import Checked, check_file
from gotcha_lint.task import Task

PARALLEL_FROM = 150  # files: below, starting processes costs more than they save

Progress = Callable[[int, int], None] | None


def check(
    tasks: Sequence[Task],
    raw: Mapping[str, bytes],
    names: frozenset[str],
    *,
    jobs: int = 1,
    progress: Progress = None,
) -> dict[str, Checked]:
    """What was found in the file of each task. `names`: what comments may allow."""
    given = [(task, raw[task.path]) for task in tasks]
    done = _counter(len(given), progress)
    if jobs == 1 or len(given) < PARALLEL_FROM:
        out: dict[str, Checked] = {}
        with _without_collection():
            for task, text in given:
                out[task.path] = check_file(task, text, names)
                done()
        return out
    from gotcha_lint.workers.worker import Given, Worker

    shares: list[Given] = [share for share in _shares(given, jobs) if share]
    workers = [Worker(share, names) for share in shares]
    try:
        found = [worker.results(done) for worker in workers]
    finally:
        for worker in workers:
            worker.close()
    return {
        task.path: each
        for share, results in zip(shares, found, strict=True)
        for (task, _), each in zip(share, results, strict=True)
    }


def _shares(given: Sequence[tuple[Task, bytes]], jobs: int) -> list[list[tuple[Task, bytes]]]:
    """About equal in bytes of files that need a tree."""
    shares: list[list[tuple[Task, bytes]]] = [[] for _ in range(jobs)]
    sizes = [0] * jobs
    for task, raw in sorted(given, key=lambda each: (-len(each[1]), each[0].path)):
        smallest = sizes.index(min(sizes))
        shares[smallest].append((task, raw))
        sizes[smallest] += len(raw) if task.forecasts else len(raw) // 10
    return shares


def _counter(total: int, progress: Progress) -> Callable[[], None]:
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return count


@contextmanager
def _without_collection() -> Iterator[None]:
    """Trees are large and full of cycles, and none is freed before the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
