"""Errors of the operating system as sentences: what is wrong with the file, without numbers."""

from __future__ import annotations

import errno

_WORDS = {
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "a file of that name is there already",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ELOOP: "its links lead in a circle",
    errno.EMFILE: "too many files are open",
}
for _name, _text in (("EDQUOT", "the quota of the disk is used up"), ("ESTALE", "it is gone")):
    if hasattr(errno, _name):  # not on Windows
        _WORDS[getattr(errno, _name)] = _text


def in_words(error: Exception) -> str:
    """What went wrong, to be put behind the name of the file."""
    if isinstance(error, OSError):
        return _WORDS.get(error.errno or 0) or error.strerror or str(error)
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    return f"{type(error).__name__}: {error}"
