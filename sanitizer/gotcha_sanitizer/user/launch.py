"""Runs a script or a module as `python SCRIPT` and `python -m MODULE` do, with the sanitizer on.

For where no .pth file is read: packages found through PYTHONPATH, `python -S`, Bazel, zipapps. The
program gets a `__main__` of its own, and its tracebacks do not show how it was started.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from itertools import pairwise
from pkgutil import read_code
from types import CodeType, ModuleType, TracebackType
from typing import Any

from gotcha_sanitizer.run.leaving import left

_kept: list[object] = []  # the modules that were `__main__` before: their functions still run


class CannotStart(Exception):
    """There is no such program; the message is Python's own."""


def start_sanitizer() -> None:
    """Turns the sanitizer on here, and in the processes that this one starts.

    `GOTCHA_SANITIZE` is left as it is where it names checks.
    """
    if os.environ.get("GOTCHA_SANITIZE", "0") in {"", "0"}:
        os.environ["GOTCHA_SANITIZE"] = "1"
    from gotcha_sanitizer._startup import start

    start()


def run_script(path: str, args: Sequence[str]) -> None:
    """Like `python path args`. What the program raises leaves here. Raises CannotStart.

    As in `run_module`, the caller has taken its own first entry out of `sys.path`.
    """
    sys.argv[:] = [path, *args]
    file = os.path.abspath(path)
    if os.path.isdir(path) or _is_archive(path):
        start_sanitizer()
        sys.path.insert(0, file)
        spec = PathFinder.find_spec("__main__", [file])
        if spec is None:
            raise CannotStart(f"can't find '__main__' module in {file!r}")
        _run_spec(spec)
        return
    program = _program(file)
    start_sanitizer()
    _look_first_in(os.path.dirname(os.path.realpath(path)))
    main = _new_main(file, SourceFileLoader("__main__", file), None)
    _as_the_program(program, main, keep=0)


def _look_first_in(folder: str) -> None:
    """After our own imports: the program's folder may hold modules of any name."""
    if not sys.flags.safe_path:
        sys.path.insert(0, folder)


def run_module(name: str, args: Sequence[str]) -> None:
    """Like `python -m name args`. What the program raises leaves here. Raises CannotStart."""
    sys.argv[:] = ["-m", *args]
    start_sanitizer()
    _look_first_in(os.getcwd())
    _run_spec(_module_spec(name))


def _program(file: str) -> Callable[[], CodeType]:
    """What gives the code of a script; a syntax error is raised by the call."""
    try:
        with io.open_code(file) as stream:
            code = read_code(stream)  # of a .pyc; None for all else
            stream.seek(0)
            source = stream.read()
    except OSError as error:
        text = f"can't open file {file!r}: [Errno {error.errno}] {error.strerror}"
        raise CannotStart(text) from error
    return lambda: code or compile(source, file, "exec", dont_inherit=True)


def _is_archive(path: str) -> bool:
    from zipfile import is_zipfile

    return os.path.isfile(path) and not path.endswith((".py", ".pyc")) and is_zipfile(path)


def _module_spec(name: str) -> ModuleSpec:
    """Of a module, or of a package's `__main__`. What an `__init__` raises is the program's own."""
    try:
        spec = find_spec(name)
    except (ModuleNotFoundError, ValueError) as error:
        text = f"Error while finding module specification for {name!r}"
        raise CannotStart(f"{text} ({type(error).__name__}: {error})") from error
    if spec is None:
        raise CannotStart(f"No module named {name}")
    if spec.submodule_search_locations is None:
        return spec
    inner = find_spec(f"{name}.__main__")
    if inner is None:
        text = f"{name!r} is a package and cannot be directly executed"
        raise CannotStart(f"No module named {name}.__main__; {text}")
    return inner


def _run_spec(spec: ModuleSpec) -> None:
    loader: Any = spec.loader
    get_code = getattr(loader, "get_code", None)
    if get_code is None:
        raise CannotStart(f"No code object available for {spec.name}")
    if sys.argv[0] == "-m":
        sys.argv[0] = spec.origin or ""
    main = _new_main(spec.origin, loader, spec)
    # `python -m` shows two frames of runpy, and so does the process that runs us by `-m`.
    _as_the_program(lambda: get_code(spec.name), main, keep=2)


def _new_main(file: str | None, loader: object, spec: ModuleSpec | None) -> ModuleType:
    main = ModuleType("__main__")
    main.__dict__.update(
        __file__=file,
        __loader__=loader,
        __spec__=spec,
        __package__=spec.parent if spec else None,
        __cached__=spec.cached if spec else None,
        __builtins__=sys.modules["builtins"],
    )
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    _kept.append(sys.modules["__main__"])
    sys.modules["__main__"] = main
    return main


def _as_the_program(code: Callable[[], CodeType], main: ModuleType, keep: int) -> None:
    try:
        exec(code(), main.__dict__)
    except SystemExit as end:
        left(end.code)
        raise
    except BaseException:
        _hide_launch(keep)
        raise
    left(None)


def _hide_launch(keep: int) -> None:
    """Shows the exception that is on its way out without the frames between `keep` and its own.

    The interpreter itself calls the hook, so that the exit code and `sys.last_exc` are as ever.
    """
    hook = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, tb: TracebackType | None) -> None:
        cut = _without_launch(tb, keep)
        sys.last_traceback = cut
        hook(kind, error.with_traceback(cut), cut)

    sys.excepthook = show


def _without_launch(tb: TracebackType | None, keep: int) -> TracebackType | None:
    frames: list[TracebackType] = []
    while tb is not None:
        frames.append(tb)
        tb = tb.tb_next
    ours = [i for i, each in enumerate(frames) if each.tb_frame.f_globals is globals()]
    if not ours:
        return frames[0] if frames else None
    rest = [each for each in frames[max(ours) + 1 :] if not _is_compiling(each)]
    first = [each for each in frames[:keep] if each.tb_frame.f_code.co_filename == "<frozen runpy>"]
    shown = first + rest
    for this, following in pairwise(shown):
        this.tb_next = following
    return shown[0] if shown else None


def _is_compiling(tb: TracebackType) -> bool:
    """A loader that compiles a module with a syntax error: Python does not show it for scripts."""
    return tb.tb_frame.f_code.co_filename.startswith("<frozen importlib")
