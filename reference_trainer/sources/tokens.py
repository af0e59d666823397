"""Token ids that somebody's tokenizer has written: `.bin` (uint16, as nanoGPT writes them), `.npy`.

Wrong: `np.fromfile(path).astype(np.int32)`: all of it in memory, at twice its size.
Right: the file is mapped, a row is a view of it, and what is read is what a batch needs.

A row is cut wherever it is full; documents are not known. Axes: T tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Corpus, Document

SUFFIXES = (".bin", ".npy")
SAMPLES, SAMPLE = 4096, 512  # spans of a file that its digest is made of, and tokens in each


def tokens(data: Data) -> Corpus:
    """The rows of all files, in the order of the paths; held out is the end, with `data.weights`
    that of each path. DataError.
    """
    files = [[_mapped(path) for path in _files(Path(given))] for given in data.paths]
    streams = [stream_T for some in files for stream_T in some]
    train, held_out, groups, origin = [], [], [], ", ".join(data.paths)
    for some in files if data.weights else [streams]:
        rows = [row for stream_T in some for row in _rows(stream_T, data.length)]
        if data.limit:
            rows = rows[:: -(-len(rows) // data.limit)]
        cut = len(rows) - max(round(len(rows) * data.held_out), 1)
        if cut < 1:
            raise DataError(f"{origin}: too few tokens to train on one part and hold out another")
        train += rows[:cut]
        held_out += rows[cut:]
        groups.append(cut)
    about = {
        "source": data.source,
        "origin": origin,
        "tokens": sum(len(stream_T) for stream_T in streams),
        "vocabulary": 1 + max(int(stream_T.max()) for stream_T in streams),
        "digest": _digest(streams),
    }
    return Corpus(train, held_out, "token", about, tuple(groups))


def _files(path: Path) -> list[Path]:
    """A file, or those of a folder by name."""
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
    if path.suffix not in SUFFIXES:
        raise DataError(f"{path}: token ids are in files .bin (uint16) or .npy")
    return [path]


def _mapped(path: Path) -> np.ndarray:
    """T whole numbers, of the type that the file has."""
    try:
        if path.suffix == ".bin":
            if path.stat().st_size % 2:
                raise DataError(f"{path}: an odd number of bytes: .bin holds uint16")
            ids_T = np.memmap(path, np.dtype("<u2"), mode="r")
        else:
            ids_T = np.load(path, mmap_mode="r")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise DataError(f"{path}: not an array of token ids: {error}") from None
    if ids_T.ndim != 1 or ids_T.dtype.kind not in "iu" or not len(ids_T):
        raise DataError(
            f"{path}: token ids are one row of whole numbers, not {ids_T.dtype} {ids_T.shape}"
        )
    return np.asarray(ids_T)  # still the file, without the cost of memmap's own slices


def _rows(stream_T: np.ndarray, length: int) -> list[Document]:
    """Each token but the first is a target once."""
    stream_T1, last = stream_T[:, None], len(stream_T) - 1
    return [
        Document(
            stream_T1[left : min(left + length, last)], stream_T1[left + 1 : left + length + 1]
        )
        for left in range(0, last, length)
    ]


def _digest(streams: Sequence[np.ndarray]) -> str:
    """Of evenly spread samples, where there are few tokens of all: every start makes it."""
    digest = hashlib.sha256()
    for stream_T in streams:
        step = max(len(stream_T) // SAMPLES, SAMPLE)
        digest.update(f"{len(stream_T)} {stream_T.dtype}\n".encode())
        for left in range(0, len(stream_T), step):
            digest.update(stream_T[left : left + SAMPLE].tobytes())
    return digest.hexdigest()
