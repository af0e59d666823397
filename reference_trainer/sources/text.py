"""Text as bytes: the functions of Python's own standard library, or the user's files.

Wrong: to hold out every tenth function. The functions of one file repeat each other's lines, so
that the held-out loss rewards what was learned by heart.
Right: to hold out whole files, chosen by a hash of their names: the same ones in every run and on
every machine, in whatever order the disk lists them.

A document b1..bn is the stream 0, b1..bn, 0, where 0 separates and is in no text: each byte, and
the separator after the last, is predicted exactly once.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Corpus, Document
from reference_trainer.sources import functions, lot


def stdlib(data: Data) -> Corpus:
    """Functions and methods of the running Python's standard library; nothing is downloaded."""
    origin, found = functions.library()
    paths = [found[name] for name in sorted(found, key=lot)]
    cut = sum(lot(name) < data.held_out for name in found)
    train_limit, held_out_limit = _limits(data)
    seen: set[bytes] = set()  # a function that is in both parts stays in the first
    train = functions.functions(paths[cut:], train_limit, seen)
    held_out = functions.functions(paths[:cut], held_out_limit, seen)
    return _corpus(train, held_out, data, f"{origin}, Python {platform.python_version()}")


def files(data: Data) -> Corpus:
    """The user's own text files and folders, cut where the text has gaps; DataError.

    Held out is the end: of one file its last part, of many (in the order of their hashes) the
    last ones, so that no more than one file is in both parts.
    """
    found = {path.resolve(): name for given in data.paths for name, path in _named(Path(given))}
    paths = sorted(found, key=lambda path: (lot(found[path]), path))
    size = max(data.length - 1, 1)  # the last step of a row is the separator's
    texts = [part for path in paths for part in _parts(_text(path), size)]
    cut = len(texts) - max(round(len(texts) * data.held_out), 1)
    train, held_out = map(_spread, (texts[:cut], texts[cut:]), _limits(data))
    return _corpus(train, held_out, data, ", ".join(data.paths))


def _corpus(train: list[bytes], held_out: list[bytes], data: Data, origin: str) -> Corpus:
    if not (train and held_out):
        raise DataError(f"{origin}: too little text to train on one part and hold out another")
    about = {
        "source": data.source,
        "origin": origin,
        "train": {"texts": len(train), "bytes": sum(map(len, train))},
        "held_out": {"texts": len(held_out), "bytes": sum(map(len, held_out))},
        "digest": hashlib.sha256(b"\0\0".join(map(b"\0".join, (train, held_out)))).hexdigest(),
    }
    return Corpus(_documents(train, data), _documents(held_out, data), "byte", about)


def _documents(texts: Sequence[bytes], data: Data) -> list[Document]:
    """Views of one stream. A long text goes on in the next row, from the byte before the cut."""
    stream = b"\0" + b"\0".join(texts) + b"\0"
    stream_T1 = np.frombuffer(stream, np.uint8)[:, None]  # int32 in a batch, not before
    documents, start = [], 0
    for text in texts:
        end = start + len(text) + 1
        for left in range(start, end, data.length):
            right = min(left + data.length, end)
            documents.append(Document(stream_T1[left:right], stream_T1[left + 1 : right + 1]))
        start = end
    return documents


def _limits(data: Data) -> tuple[int, int]:
    """Texts to train on and to hold out."""
    if not data.limit:
        return sys.maxsize, sys.maxsize
    held_out = max(round(data.limit * data.held_out), 1)
    return max(data.limit - held_out, 1), held_out


def _named(path: Path) -> Iterator[tuple[str, Path]]:
    """A file, or those of a folder, with their names within it; hidden ones are left out."""
    if path.is_file():
        yield path.name, path
    elif not path.is_dir():
        raise DataError(f"{path}: no such file or folder")
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for file in (Path(place, name) for name in names if not name.startswith(".")):
            yield file.relative_to(path).as_posix(), file


def _text(path: Path) -> bytes:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error
    if b"\0" in text:
        raise DataError(f"{path}: has zero bytes, so it is no UTF-8 text")
    return text


def _parts(text: bytes, size: int) -> Iterator[bytes]:
    """Cut after a blank line, else a line, else a word; `size` bytes at most, and at least half."""
    start = 0
    while len(text) - start > size:
        half, end = start + size // 2, start + size
        ends = (text.rfind(gap, half, end) + len(gap) for gap in (b"\n\n", b"\n", b" "))
        cut = next((cut for cut in ends if cut > half), end)
        yield text[start:cut]
        start = cut
    if start < len(text):
        yield text[start:]


def _spread(texts: Sequence[bytes], limit: int) -> list[bytes]:
    """At most so many of them, at equal distances."""
    count = min(limit, len(texts))
    return [texts[i * len(texts) // count] for i in range(count)]
