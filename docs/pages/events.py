"""The sanitizer's events as a picture: which files send each, and which read it.

It is read off the source, so that what the page shows is the code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "sanitizer" / "gotcha_sanitizer"
_FENCE = re.compile(r"(?<=^```mermaid\n).*?(?=^```$)", re.M | re.S)
_TO_ALL = "Tick"  # of the session itself, and asked for in passing

Users = dict[str, frozenset[str]]  # event -> files


def put_into(page: str) -> str:
    """The page with the picture of today."""
    return _FENCE.sub(lambda _: picture(), page, count=1)


def picture() -> str:
    """A Mermaid flowchart. Files that send, or read, the very same events are one box."""
    sent = users(("hooks", "explain"), _made)
    read = users(("checks",), _wanted)
    told = users(("run",), _asked)
    events = sorted(names() - {_TO_ALL})
    ends = {event: read.get(event) or told[event] for event in events}
    lines = ["flowchart LR"]
    for event in events:
        lines.append(f"    {event}([{event}])")
    for files, theirs in _boxes({event: sent[event] for event in events}):
        lines += _box(files) + [f"    {_id(files)} --> {event}" for event in theirs]
    for files, theirs in _boxes(ends):
        lines += _box(files) + [f"    {event} --> {_id(files)}" for event in theirs]
    senders = frozenset[str]().union(*sent.values())
    given = {event: files & senders for event, files in users(("explain",), _given).items()}
    for files, theirs in _boxes(given):
        lines += [f"    {event} --> {_id(files)}" for event in theirs]
    return "\n".join(lines) + "\n"


def names() -> set[str]:
    """The classes of events."""
    tree = ast.parse((SOURCE / "values" / "events.py").read_text("utf-8"))
    union = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "Event"
    )
    return {node.id for node in ast.walk(union) if isinstance(node, ast.Name)}


def users(folders: tuple[str, ...], of: Callable[[ast.AST], Iterator[str]]) -> Users:
    """Which files of the folders use which event."""
    found: dict[str, set[str]] = {}
    events = names()
    for path in (path for folder in folders for path in sorted((SOURCE / folder).rglob("*.py"))):
        file = path.relative_to(SOURCE).with_suffix("").as_posix().removesuffix("/__init__")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for name in events.intersection(of(node)):
                found.setdefault(name, set()).add(file)
    return {name: frozenset(files) for name, files in found.items()}


def _made(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.func.id


def _asked(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
        yield node.cls.id
    elif isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
        yield from (each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name))


def _wanted(node: ast.AST) -> Iterator[str]:
    """Of a check: the types that the parameter of its `on` is annotated with."""
    if isinstance(node, ast.FunctionDef) and node.name == "on":
        kinds = (each.annotation for each in node.args.args if each.annotation)
        yield from (n.id for kind in kinds for n in ast.walk(kind) if isinstance(n, ast.Name))


def _given(node: ast.AST) -> Iterator[str]:
    """Of a function that is called with an event."""
    if isinstance(node, ast.arg) and isinstance(node.annotation, ast.Name):
        yield node.annotation.id


def _boxes(users_of: Mapping[str, frozenset[str]]) -> list[tuple[tuple[str, ...], list[str]]]:
    """Files that have the very same events, with these."""
    events: dict[str, list[str]] = {}
    for event, files in users_of.items():
        for file in sorted(files):
            events.setdefault(file, []).append(event)
    alike: dict[tuple[str, ...], list[str]] = {}
    for file, theirs in sorted(events.items()):
        alike.setdefault(tuple(theirs), []).append(file)
    return [(tuple(files), list(theirs)) for theirs, files in alike.items()]


def _box(files: tuple[str, ...]) -> list[str]:
    return [f'    {_id(files)}["{"<br>".join(files)}"]']


def _id(files: tuple[str, ...]) -> str:
    return re.sub(r"\W", "_", files[0])
