"""Where in the user's program something happens: stacks, loops, and whose code a file is."""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import site
import sys
import sysconfig
from functools import cache, lru_cache
from importlib.machinery import SourceFileLoader
from types import CodeType, FrameType, ModuleType
from typing import NamedTuple

from gotcha_sanitizer.syntax import parse
from gotcha_sanitizer.values.parts import Site

_MOST_FRAMES = 400
_PACKAGES = ("site-packages", "dist-packages")  # also where no installation of ours is
_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Where(NamedTuple):
    """The user's lines, innermost first; the library's line before them; loops around them."""

    stack: tuple[Site, ...]
    library: Site | None
    loops: tuple[Site, ...]
    columns: tuple[int, ...] = ()  # of the calls that the lines in `stack` are at; -1: not known

    @property
    def site(self) -> Site | None:
        return self.stack[0] if self.stack else self.library


@cache
def _installed() -> tuple[str, ...]:
    """Folders whose files are not the user's: the standard library and all that is installed."""
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= set(site.getsitepackages()) | {site.getusersitepackages(), os.path.dirname(_OWN[:-1])}
    real = {os.path.realpath(path) for path in paths if path}
    return tuple(sorted({path + os.sep for path in paths | real if path}))


def module_of(kind: type) -> str:
    """The name of a class's module, "" where it has none, as some classes of C code."""
    name = getattr(kind, "__module__", "")
    return name if isinstance(name, str) else ""


def file_of(module: ModuleType | None) -> str:
    """The file that a module was read from, "" for none. At exit Python has already taken the
    `__file__` of the script away; its loader still knows."""
    held = getattr(module, "__dict__", {})
    file, loader = held.get("__file__"), held.get("__loader__")
    if not file and isinstance(loader, SourceFileLoader):
        file = loader.path
    return file if isinstance(file, str) else ""


@cache
def _packages() -> tuple[str, ...]:
    """Folders of JAX itself."""
    found = []
    for name in ("jax", "jaxlib"):
        if file := file_of(sys.modules.get(name)):
            found.append(os.path.dirname(file) + os.sep)
    return tuple(found)


def _main_package() -> str:
    """The folder of the package that runs as `python -m package`, installed or not."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    file = file_of(main)
    if not file or spec is None or not spec.name or spec.name.startswith("gotcha_"):
        return ""
    top = spec.name.partition(".")[0]
    folder = os.path.dirname(os.path.abspath(file))
    while os.path.basename(folder) != top and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    known = os.path.basename(folder) == top and top not in {"pytest", "_pytest", "ipykernel"}
    return folder + os.sep if known else ""


@cache
def _from_a_file() -> bool:
    """False for `python -c` and a program that comes by standard input."""
    return bool(file_of(sys.modules.get("__main__")))


@lru_cache(maxsize=4096)
def owner(path: str) -> str:
    """Whose code a file is: `jax`, `library` (installed, or ours), or `user`."""
    if path.startswith(_packages()):
        return "jax"
    if path.startswith(_OWN):
        return "library"
    if (main := _main_package()) and path.startswith(main):
        return "user"
    if path.startswith("<ipython-input") or "ipykernel_" in path:
        return "user"
    if path.startswith("<") and (path not in {"<string>", "<stdin>"} or _from_a_file()):
        return "library"  # <frozen ...>, generated code such as the __init__ of a dataclass
    elsewhere = any(f"{os.sep}{folder}{os.sep}" in path for folder in _PACKAGES)
    return "library" if elsewhere or path.startswith(_installed()) else "user"


def where(frame: FrameType | None, want: int = 4, columns: bool = False) -> Where:
    """The user's part of the stack that `frame` is on top of.

    `columns`: also where in its line each call stands, which takes half of the time.
    """
    stack: list[Site] = []
    offsets: list[int] = []
    library: Site | None = None
    for _ in range(_MOST_FRAMES):
        if frame is None or len(stack) == want:
            break
        code = frame.f_code
        whose = owner(code.co_filename)
        if whose == "user":
            stack.append(Site(code.co_filename, frame.f_lineno, code.co_qualname))
            offsets.append(_column(frame) if columns else -1)
        elif whose == "library" and not (library or stack or code.co_filename.startswith(_OWN)):
            library = Site(code.co_filename, frame.f_lineno, code.co_qualname)
        frame = frame.f_back
    found = (loop_around(at.path, at.line) for at in stack)
    loops = tuple(Site(at.path, line) for at, line in zip(stack, found, strict=True) if line)
    return Where(tuple(stack), library, loops, tuple(offsets))


def _column(frame: FrameType) -> int:
    """In bytes from 0, as syntax trees count; -1 where Python keeps none."""
    at = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
    return -1 if at is None or at[2] is None else at[2]


def caller(frame: FrameType | None) -> CodeType | None:
    """The code that made a call into JAX, the user's or a library's."""
    for _ in range(_MOST_FRAMES):
        if frame is None or owner(frame.f_code.co_filename) != "jax":
            break
        frame = frame.f_back
    return frame.f_code if frame is not None else None


@lru_cache(maxsize=4096)
def loop_around(path: str, line: int) -> int:
    """The line of the innermost loop, within its function, that this line is in; 0 for none."""
    best = 0
    for start, end, head in _loops(path):
        if start <= line <= end:
            best = max(best, head)
    return best


@lru_cache(maxsize=256)
def _loops(path: str) -> tuple[tuple[int, int, int], ...]:
    tree = parse("".join(linecache.getlines(path)))
    return tuple(_spans(tree)) if tree is not None else ()


def _spans(tree: ast.AST) -> list[tuple[int, int, int]]:
    """(first line, last line, line of the loop) of each piece of code that a loop repeats.

    A function's body is not repeated by the loop that it is defined in: who calls it decides.
    """
    spans: list[tuple[int, int, int]] = []
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        todo.extend(ast.iter_child_nodes(node))
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
            body, last = node.body[0], node.body[-1]
            first = node.lineno if isinstance(node, ast.While) else body.lineno
            spans.append((first, last.end_lineno or last.lineno, node.lineno))
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            spans.append((node.lineno, node.end_lineno or node.lineno, node.lineno))
    functions = [
        n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    return [piece for span in spans for piece in _cut(span, functions)]


def _cut(span: tuple[int, int, int], functions: list) -> list[tuple[int, int, int]]:
    """A span without the bodies of the functions defined in it."""
    pieces, start = [], span[0]
    inside = sorted(
        (f.body[0].lineno, f.end_lineno or f.lineno)
        for f in functions
        if span[0] <= f.lineno and (f.end_lineno or f.lineno) <= span[1]
    )
    for first, last in inside:
        if first > start:
            pieces.append((start, first - 1, span[2]))
        start = max(start, last + 1)
    if start <= span[1]:
        pieces.append((start, span[1], span[2]))
    return pieces
