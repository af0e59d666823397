"""Names of functions that run before anything is compiled."""

from __future__ import annotations

_SET_UP = (
    "__init__",
    "__post_init__",
    "__new__",
    "__setstate__",
    "__enter__",
    "__attrs_post_init__",
)
_SET_UP_WORDS = (
    "init",
    "build",
    "setup",
    "set_up",
    "create",
    "make",
    "compile",
    "jit",
    "configure",
    "prepare",
    "load",
    "reset",
)


def is_set_up(name: str) -> bool:
    """A function that runs before anything is traced."""
    words = name.lstrip("_")
    return name in _SET_UP or words.startswith(_SET_UP_WORDS) or words.endswith(("_init", "_setup"))
