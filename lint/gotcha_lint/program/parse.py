"""From text to instructions, or the reason why not (floor `program`)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gotcha_lint.program.ir import Module
from gotcha_lint.program.lower import lower
from gotcha_lint.program.newer_syntax import older
from gotcha_lint.text.guard import MAX_CHARACTERS, RECURSION_LIMIT
from gotcha_lint.text.unwarned import unwarned


class NotParsed(Exception):
    """A text that cannot be lowered: `why`, at `line` (from 1)."""

    def __init__(self, path: str, line: int, why: str) -> None:
        super().__init__(f"{path}:{line}: {why}")
        self.path = path
        self.line = line
        self.why = why


_DECLARES = re.compile(r"#\s*gotcha:\s*(?P<word>traced|host|static)\b(?:\((?P<names>[^)]*)\))?")
_TYPE_PARAMETERS = re.compile(
    r"^[ \t]*(?:async[ \t]+)?(?:def|class|type)[ \t]+\w+[ \t]*\[", re.MULTILINE
)


def parse(path: str, name: str, text: str) -> Module:
    """The module `name` at `path`, of which `text` is the source. Raises `NotParsed`."""
    if len(text) > MAX_CHARACTERS:
        raise NotParsed(path, 1, f"has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}")
    if "\0" in text:
        raise NotParsed(path, text.count("\n", 0, text.index("\0")) + 1, "holds a null character")
    try:
        with _deep():
            module = _lowered(path, name, text)
            module.has_type_parameters = _TYPE_PARAMETERS.search(text) is not None
            _declare(module, text)
            return module
    except SyntaxError as error:
        raise NotParsed(path, error.lineno or 1, f"is not valid Python: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise NotParsed(path, 1, "is nested too deeply") from None
    except ValueError as error:  # half of a surrogate pair
        raise NotParsed(path, 1, f"cannot be parsed: {error}") from None


def _declare(module: Module, text: str) -> None:
    """What comments say of functions: on the line of `def`, or on one of its own above."""
    if "gotcha:" not in text:
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = _DECLARES.search(line)
        if found is None:
            continue
        at = number + 1 if line.lstrip().startswith("#") else number
        for function in module.functions:
            if at in (function.first or function.line, function.line):
                names = found["names"]
                function.declared = "traced" if names else found["word"]  # `static(n)`
                function.static |= {name.strip() for name in names.split(",")} if names else set()


def _lowered(path: str, name: str, text: str) -> Module:
    """Raises what `ast.parse` raises."""
    with unwarned():
        try:
            return lower(ast.parse(text), text, path, name)
        except SyntaxError:
            rewritten = older(text)
            if rewritten.text == text:
                raise
            tree = ast.parse(rewritten.text)
    return lower(tree, rewritten.text, path, name, rewritten.formatted)


@contextmanager
def _deep() -> Iterator[None]:
    """With a recursion limit for all that passes the guard."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
