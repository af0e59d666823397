"""What function objects have in common that one piece of source makes."""

from __future__ import annotations

import hashlib
import types


def source(function: types.FunctionType) -> tuple[object, ...]:
    """What is the same for each function object that one piece of source makes."""
    code = function.__code__
    place = () if _is_cell(code.co_filename) else (code.co_filename, code.co_firstlineno)
    return (code.co_qualname, digest(code), *place)


def digest(code: types.CodeType) -> str:
    """Of what the code does, not of where it stands."""
    plain = tuple(c if not isinstance(c, types.CodeType) else digest(c) for c in code.co_consts)
    text = repr((code.co_code, code.co_names, code.co_varnames, plain)).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _is_cell(path: str) -> bool:
    """Notebook cells: a cell that is run again is another file."""
    return path.startswith("<") or "ipykernel_" in path
