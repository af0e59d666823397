"""The faulty line in a function of its own, in the same file."""

from __future__ import annotations

from benchmarks.planted.program import Program, marked
from benchmarks.planted.variants import _moving


def vary(program: Program) -> Program | None:
    files = dict(program.files)
    for path, text in marked(program):
        moved = _moving.movable(text)
        if moved is None:
            return None
        call = f"part({', '.join(moved.arguments)})"
        files[path] = _with(_moving.replaced(text, moved, call), moved, text)
    return program._replace(files=files)


def _with(text: str, moved: _moving.Moved, before: str) -> str:
    """Above the end of the file, where a program starts itself."""
    function = _moving.definition("part", moved, before)
    main = '\n\nif __name__ == "__main__":'
    if main in text:
        return text.replace(main, f"\n\n{function}{main}")
    return f"{text}\n\n{function}"
