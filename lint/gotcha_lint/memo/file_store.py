"""What was found in files, on disk: one file for each project that was linted from this directory.

It is JSON, which runs nothing when it is read. A file that is damaged, or cannot be written, is no
loss: it is made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from gotcha_lint.files.workspace import root_of
from gotcha_lint.finding import Finding, as_dict, from_dict
from gotcha_lint.task import Task


@dataclass(frozen=True, slots=True)
class KeptFile:
    """The findings of a file, and what they follow from: its text, and what it was asked."""

    key: str
    findings: tuple[Finding, ...]


KeptFiles = dict[str, KeptFile]  # by path


def key_of(task: Task, raw: bytes) -> str:
    """The same where the findings of a file are the same."""
    return f"{blake2b(raw, digest_size=16).hexdigest()} {task.key}"


class FileStore:
    """Reads and writes the findings of projects; `file_of` names the file for a project's root."""

    def __init__(self, file_of: Callable[[str], Path], put: Callable[[Path, bytes], None]) -> None:
        self._file_of, self._put = file_of, put
        self._read: dict[Path, KeptFiles] = {}

    def files(self, paths: Iterable[str]) -> KeptFiles:
        """All that is known of the projects of these files."""
        for path in paths:
            file = self._file(path)
            if file not in self._read:
                self._read[file] = _load(file)
        return {path: kept for known in self._read.values() for path, kept in known.items()}

    def write(self, files: KeptFiles) -> None:
        """Keeps those of files that still exist, where something is new."""
        by_file: dict[Path, KeptFiles] = {}
        for path, kept in files.items():
            by_file.setdefault(self._file(path), {})[path] = kept
        for file, own in by_file.items():
            if own != self._read.get(file):
                packed = {path: _packed(k) for path, k in own.items() if os.path.exists(path)}
                self._put(file, json.dumps(packed).encode())

    def _file(self, path: str) -> Path:
        return self._file_of(root_of(os.path.dirname(os.path.abspath(path))))


def _packed(kept: KeptFile) -> Any:
    return [kept.key, [as_dict(finding) for finding in kept.findings]]


def _load(file: Path) -> KeptFiles:
    try:
        return {
            path: KeptFile(str(key), tuple(map(from_dict, findings)))
            for path, (key, findings) in json.loads(file.read_bytes()).items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
