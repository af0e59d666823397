"""Does a line run in each iteration of a loop? From the source, for lines that a run has shown.

"No" where it stands under an `if`, behind a `continue`, in an exception's handler, or where what it
reads is made by a loop of its own, as the loss of an epoch is.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache

from gotcha_sanitizer.frames import file_of
from gotcha_sanitizer.syntax import parse
from gotcha_sanitizer.values.parts import Site

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ACTS = ("step", "send", "act", "put", "write")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def each_turn(stack: Sequence[Site], columns: Sequence[int]) -> bool:
    """True where the innermost line runs once in each iteration of a loop around one of the lines.

    `columns` are of the calls in those lines, in bytes from 0; -1 where one is not known.
    """
    for site, column in zip(stack, columns, strict=True):
        found = _in_function(site.path, site.line, column)
        if found is not None:
            return found
    return False


@lru_cache(maxsize=1024)
def acts(path: str, line: int, loop: Site | None = None) -> bool:
    """True where a value that the line reads goes into a `.step(...)` or `.send(...)` of its loop.

    The loop of an agent needs the action on the host before it can go on. A function without a
    loop may return the value to `loop`, which calls it by its name: followed through the names of
    that function and of the loop.
    """
    own = next((node for node in around(path, line) if isinstance(node, LOOPS)), None)
    if own is not None:
        made = {n.id for n in _at(own, line) if isinstance(n, ast.Name) and _is_stored(n)}
        return any(_spans(call, line) or made & _used(call) for call in _acting(own))
    function = _function(path, line)
    if loop is None or function is None or not _is_returned(function, line):
        return False
    around_call = _loop_at(loop)
    return around_call is not None and _acts_on(around_call, function.name)


def _acting(loop: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _ACTS:
            yield node


def _used(call: ast.Call) -> set[str]:
    return {n.id for arg in call.args for n in ast.walk(arg) if isinstance(n, ast.Name)}


def _acts_on(loop: ast.AST, name: str) -> bool:
    """True where an action of the loop takes what a function of that name gives."""
    made = {
        stored
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign) and any(_calls(node.value, name))
        for stored in _stored(node)
    }
    return any(
        made & _used(call) or any(any(_calls(arg, name)) for arg in call.args)
        for call in _acting(loop)
    )


def _calls(value: ast.AST, name: str) -> Iterator[bool]:
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            yield name in (getattr(node.func, "attr", ""), getattr(node.func, "id", ""))


def _function(path: str, line: int) -> ast.FunctionDef | None:
    """The innermost function with the line."""
    tree = _tree(path)
    nodes = ast.walk(tree) if tree is not None else ()
    found = [n for n in nodes if isinstance(n, ast.FunctionDef) and _within_body(n, line)]
    return max(found, key=lambda node: node.lineno, default=None)


def _loop_at(loop: Site) -> ast.AST | None:
    tree = _tree(loop.path)
    nodes = ast.walk(tree) if tree is not None else ()
    return next((n for n in nodes if isinstance(n, LOOPS) and n.lineno == loop.line), None)


def _is_returned(function: ast.FunctionDef, line: int) -> bool:
    """True where the function gives back what the line makes, through its own names."""
    made = {n.id for n in _at(function, line) if isinstance(n, ast.Name) and _is_stored(n)}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and node.lineno > line and made & _named(node.value):
            made |= _stored(node)
    returns = (node for node in ast.walk(function) if isinstance(node, ast.Return))
    return any(_spans(node, line) or made & _named(node) for node in returns)


def _named(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _in_function(path: str, line: int, column: int) -> bool | None:
    """For one line within its own function; None where the function runs it straight through."""
    for node in around(path, line):
        if isinstance(node, _COMPREHENSIONS):
            if not _runs_once(node.generators[0].iter, line, column):
                return True
        elif isinstance(node, LOOPS):
            tested = isinstance(node, ast.While) and _spans(node.test, line)
            if tested or _within(node.body, line):
                return not (_skipped(node, line) or _summed(path, node, line))
        elif _decides(node, line):
            return False
    return None


def _runs_once(first: ast.expr, line: int, column: int) -> bool:
    """What a comprehension goes over is evaluated once, often in the line of what it repeats."""
    if not _spans(first, line) or column < 0:
        return _spans(first, line)
    begin, end = (first.lineno, first.col_offset), (first.end_lineno, first.end_col_offset)
    return begin <= (line, column) < end


def _decides(node: ast.AST, line: int) -> bool:
    """True where the line is in a part of `node` that is not always run."""
    if isinstance(node, ast.If):
        return _within(node.body, line) or _within(node.orelse, line)
    if isinstance(node, ast.Try):
        return any(_within(handler.body, line) for handler in node.handlers)
    if isinstance(node, ast.Match):
        return any(_within(case.body, line) for case in node.cases)
    return False


def around(path: str, line: int) -> list[ast.AST]:
    """The nodes around a line, innermost first, up to its function."""
    found: list[ast.AST] = []
    node: ast.AST | None = _tree(path)
    while node is not None:
        if isinstance(node, _FUNCTIONS):
            if _within_body(node, line):
                found.clear()
        else:
            found.append(node)
        inside = [child for child in _children(node) if _spans(child, line)]
        node = inside[-1] if inside else None
    return found[::-1]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Statements and expressions; parts that have no lines of their own are looked through."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield child
        else:
            yield from _children(child)


def _spans(node: ast.AST, line: int) -> bool:
    end = getattr(node, "end_lineno", None)
    return end is not None and node.lineno <= line <= end  # type: ignore[attr-defined]


def _within(body: Sequence[ast.AST], line: int) -> bool:
    return any(_spans(statement, line) for statement in body)


def _within_body(node: ast.AST, line: int) -> bool:
    body = node.body  # type: ignore[attr-defined]
    return _within(body if isinstance(body, list) else [body], line)


def _skipped(loop: ast.AST, line: int) -> bool:
    """A `continue` before the line: some iterations do not come to it."""
    return any(isinstance(n, ast.Continue) and n.lineno < line for n in ast.walk(loop))


def _summed(path: str, loop: ast.AST, line: int) -> bool:
    """True where the line reads names that a loop inside of this one has made, or a call of one."""
    read = {n.id for n in _at(loop, line) if isinstance(n, ast.Name)}
    made: set[str] = set()
    for node in ast.walk(loop):
        own = isinstance(node, LOOPS) and node is not loop and not _spans(node, line)
        if own or (isinstance(node, ast.Assign) and _loops_inside(path, node.value)):
            made |= _stored(node)
    return bool(read & made)


def _stored(node: ast.AST) -> set[str]:
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _at(loop: ast.AST, line: int) -> Iterator[ast.AST]:
    return (n for n in ast.walk(loop) if getattr(n, "lineno", 0) == line)


def _loops_inside(path: str, value: ast.expr) -> bool:
    """True for a call of a function, of this file or imported into it, that has a loop."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            function = node.func
            name = getattr(function, "id", None) or getattr(function, "attr", "")
            if name in _looping(path) or any(name in _looping(p) for p in _imported(path, name)):
                return True
    return False


@lru_cache(maxsize=64)
def _looping(path: str) -> frozenset[str]:
    """Names of the functions and methods of a file that run a `for` or `while`; no jitted ones."""
    tree = _tree(path)
    nodes = ast.walk(tree) if tree is not None else ()
    return frozenset(
        node.name
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not any("jit" in ast.unparse(each) for each in node.decorator_list)
        and any(isinstance(inner, LOOPS) for inner in ast.walk(node))
    )


def _imported(path: str, name: str) -> Iterator[str]:
    """The file that a name was imported from, as far as it is loaded."""
    tree = _tree(path)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ImportFrom) and any(
            name == (a.asname or a.name) for a in node.names
        ):
            ends = node.module or ""
            for loaded, module in list(sys.modules.items()):
                known = loaded == ends or (node.level and loaded.endswith("." + ends))
                if known and (file := file_of(module)):
                    yield file


@lru_cache(maxsize=64)
def _tree(path: str) -> ast.Module | None:
    return parse("".join(linecache.getlines(path)))
