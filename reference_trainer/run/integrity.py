"""Checkpoint files that are not as they were saved, and errors of disks, in words.

Wrong: to trust that a file which can be read is the one that was written. A flipped bit in a weight
restores without a word, and the loss is NaN some steps later.
Right: a list of checksums, written before the checkpoint gets its name, so that there is no
checkpoint without it; compared before a run goes on.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from reference_trainer.config import UserError

NAME = "checksums.json"
# Written by Orbax after the list, when it gives the folder its name.
LATER = {NAME, "_CHECKPOINT_METADATA", "commit_success.txt"}


class CheckpointError(UserError):
    """A checkpoint that is missing, broken, newer than this trainer, or of another model."""


class DiskFull(CheckpointError):
    """No fault of the command: the same one works when there is room."""

    code = 1


def write(folder: Path) -> None:
    """List the SHA-256 of all files in `folder`, in it. About 1 GB a second on one core."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {
        path.relative_to(folder).as_posix(): _digest(path)
        for path in files
        if path.name not in LATER
    }
    (folder / NAME).write_text(json.dumps({"sha256": found}, indent=1), encoding="utf-8")


def damaged(folder: Path) -> list[str]:
    """Names of files that are missing or not what they were, sorted; of an unlisted folder none.

    OSError where a file is there and cannot be read.
    """
    try:
        listed = json.loads((folder / NAME).read_text(encoding="utf-8"))["sha256"]
    except FileNotFoundError:  # saved by a trainer that wrote no list
        return []
    except (ValueError, KeyError, TypeError):
        return [NAME]
    return [name for name, digest in sorted(listed.items()) if _digest(folder / name) != digest]


def versions() -> dict[str, str]:
    names = ("jax", "jaxlib", "flax", "optax", "orbax-checkpoint")
    return {"python": platform.python_version()} | {name: version(name) for name in names}


def not_raised(record: logging.LogRecord) -> bool:
    """False for errors of Orbax's threads, with tracebacks: what they report is raised too."""
    return record.exc_info is None or "orbax" not in record.pathname


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Turns what can go wrong with files into a CheckpointError that says where and why."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        # Orbax's own writers raise a ValueError, and have only the system's words for it.
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        if full or "No space left on device" in str(error):
            raise DiskFull(
                f"{place}: the disk is full; earlier checkpoints are whole: make room and give the "
                "same command again"
            ) from error
        first = str(error).strip().partition("\n")[0] or type(error).__name__
        raise CheckpointError(
            f"{place}: cannot be read or written ({type(error).__name__}: {first[:300]}); choose "
            "an earlier one with --step, if there is one"
        ) from error


def _digest(path: Path) -> str:
    """Hexadecimal; empty where the file is missing."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
