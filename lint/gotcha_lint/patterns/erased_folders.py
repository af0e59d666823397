"""Folders that a function empties, and then restores a checkpoint from (floor `patterns`).

Under-approximates: the folder is a text or a name that is bound once, it is emptied on every path,
and no call in between saves, trains, fetches, or is given the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.text import Text

_ERASES = frozenset(
    (
        "shutil.rmtree",
        "tensorflow.io.gfile.rmtree",
        "orbax.checkpoint.test_utils.erase_and_create_empty",
    )
)
_RESTORES = re.compile("restore|load")
_FILLS = re.compile(
    "(^|_)(save|train|fit|run|main|write|copy|fetch|dump|sync|pull|extract|download)"
)
_JOINS = frozenset(("os.path.join", "os.path.abspath", "pathlib.Path"))
_DEPTH = 4

Folder = tuple[str, ...]  # the parts of a path that the text says, or the name that holds it


@dataclass(frozen=True)
class Erased:
    path: str
    span: Span
    restored: Span


def erased_folders(text: Text) -> Iterator[Erased]:
    """The calls that empty a folder, each with the call that restores from it."""
    for function, call in text.steps("call"):
        if text.origins.names.of_call(function, call) not in _ERASES or not call[3]:
            continue
        reader = text.origins.reader(function)
        folder = _folder(text, function, call[3][0][1])
        if folder and not reader.around[id(call)]:
            restored = _restored(text, function, call, folder)
            if restored is not None:
                yield Erased(function.path, call[-1], restored)


def _restored(text: Text, function: Function, erase: Instruction, folder: Folder) -> Span | None:
    """The next call that is given something in the folder, if it restores."""
    steps = steps_of(function)
    reader = text.origins.reader(function)
    for step in steps[reader.order[id(erase)] + 1 :]:
        if step[0] != "call":
            continue
        word = reader.function_of(step).lower()
        given = [register for _, register in (*step[3], *step[4])]
        inside = any(_folder(text, function, r)[: len(folder)] == folder for r in given)
        if inside and _RESTORES.search(word):
            return step[-1]
        if (inside and not _is_path(text, function, step)) or _FILLS.search(word):
            return None
    return None


def _is_path(text: Text, function: Function, call: Instruction) -> bool:
    return text.origins.names.of_call(function, call) in _JOINS


def _folder(text: Text, function: Function, register: Register, left: int = _DEPTH) -> Folder:
    """The parts with which a path begins; none where the text does not say it."""
    made = text.origins.links.makers(function).get(register)
    if made is None or not left:
        return ()
    if made[0] == "load":
        stores = text.origins.links.stores(function).get(made[2], [])
        if len(stores) != 1 or stores[0] < 0:
            return ()
        return _folder(text, function, stores[0], left - 1) or (made[2],)
    if made[0] == "const" and isinstance(made[2], str):
        return _parts(made[2])
    if made[0] == "fstr":
        return _of_fields(text, function, made, left)
    if made[0] == "call" and made[3] and _is_path(text, function, made):
        inner = [_folder(text, function, r, left - 1) for _, r in made[3]]
        return sum(inner, ()) if all(inner) else inner[0]
    return ()


def _of_fields(text: Text, function: Function, made: Instruction, left: int) -> Folder:
    """`f"./checkpoints/{step}"`, `f"{folder}/{step}"`"""
    first = made[4][0] if made[4] else None
    if isinstance(first, str) and "/" in first:
        return _parts(first[: first.rindex("/")])
    if first is None and made[2]:
        return _folder(text, function, made[2][0], left - 1)
    return ()


def _parts(path: str) -> Folder:
    root = ("/",) if path.startswith("/") else ()
    return root + tuple(part for part in path.split("/") if part not in ("", "."))
