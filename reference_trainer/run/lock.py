"""One run in a folder at a time: an advisory lock that a killed process cannot leave behind.

Wrong: no lock: a second run with the same `--out` removes the saves of the first, and both write
into one file. Wrong: a file that says "locked": a killed run leaves it, and nothing starts again
until somebody removes it by hand.
Right: a lock of the operating system on a file. The system releases it however the process ends, so
that a file that can be locked is stale whatever it says; host and process in it are for people.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TextIO

import jax

from reference_trainer.config import UserError


class Locked(UserError):
    """Another run is in this folder."""


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold `folder`, which is made if needed; Locked where another process holds it.

    Each process of a run has its own file. A folder that is still empty at the end is removed. On a
    file system that knows no locks nothing is held.
    """
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    own = jax.process_index()
    path = folder / (f"run-{own}.lock" if own else "run.lock")
    file = _locked(path, folder)
    try:
        file.truncate(0)
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        holder = {"host": socket.gethostname(), "process": os.getpid(), "since": since}
        file.write(json.dumps(holder))
        file.flush()
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held: another process then finds no old file
        file.close()
        if made:
            with suppress(OSError):  # it is not empty
                folder.rmdir()


def _locked(path: Path, folder: Path) -> TextIO:
    """The open file, locked. One that was removed meanwhile, by the run before, is opened again."""
    while True:
        file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with file:
                raise Locked(
                    f"{_holder(file)} is training in {folder}: choose another --out"
                ) from None
        except OSError:  # no locks on this file system
            return file
        with suppress(FileNotFoundError):
            if path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file
        file.close()


def _holder(file: TextIO) -> str:
    """For people; the holder may be about to write it."""
    file.seek(0)
    try:
        held = json.load(file)
        return f"process {held['process']} on {held['host']} (since {held['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
