"""Which files need to be parsed at all, told from their bytes.

A file is skipped only if it neither uses a JAX library nor imports, or is imported by, directly or
through other files of the project, one that does.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

_IMPORT = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]*"  # a byte order mark
    rb"(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]+))",
    re.MULTILINE,
)
_WORD = re.compile(rb"[\w.]+")
# Comments and texts; group 1 is one in triple quotes.
_LEXEMES = re.compile(
    rb"#[^\n]*"
    rb"|(\"\"\"(?:[^\\]|\\.)*?\"\"\"|\'\'\'(?:[^\\]|\\.)*?\'\'\')"
    rb"|\"(?:[^\"\\\n]|\\.)*\"|\'(?:[^\'\\\n]|\\.)*\'",
    re.DOTALL,
)
# Words that no import of a JAX library can do without. Kept short: it runs over all files.
_ALWAYS = ("jax", "flax", "optax", "equinox", "haiku", "orbax", "chex", "nnx")


@lru_cache
def _pattern(extra: frozenset[str]) -> re.Pattern[bytes]:
    words = "|".join(re.escape(word) for word in (*_ALWAYS, *sorted(extra)))
    return re.compile(words.encode())


def mentions(raw: bytes, extra: frozenset[str] = frozenset()) -> bool:
    """The bytes hold the name of a JAX library (or of a module that the user gave facts about)."""
    return b"gotcha:" in raw or _pattern(extra).search(raw) is not None


def is_of_jax(name: str) -> bool:
    """Does an imported name say that it is a JAX library's, or wraps one?"""
    return any(word in name for word in _ALWAYS)


def code(path: str, raw: bytes) -> bytes:
    """The bytes of a file, those of a notebook with its code at the start of lines."""
    if path.endswith(".ipynb"):
        return raw.replace(b"\\n", b"\n").replace(b'"', b"\n")
    return raw


def imported_names(raw: bytes) -> set[str]:
    """Dotted names that a file imports: `a.b` and `a.b.c` of `from a.b import c`."""
    names: set[str] = set()
    raw = raw.replace(b"\\\n", b" ").replace(b"\\\r\n", b" ")
    for match in _IMPORT.finditer(raw):
        base, members, plain = match.groups()
        if plain is not None:
            names.update(
                part.split()[0].decode("utf-8", "replace")
                for part in plain.split(b",")
                if part.split()
            )
            continue
        module = base.decode("utf-8", "replace")
        names.add(module)
        for word in _WORD.findall(re.sub(rb"#[^\n]*", b"", members)):
            joined = module if module.endswith(".") else module + "."
            names.add(joined + word.decode("utf-8", "replace"))
    return names


def outside_of_texts(raw: bytes) -> bytes:
    """The bytes of a file without its texts in triple quotes: an import in one of them is none."""
    return _LEXEMES.sub(lambda match: match[0] if match[1] is None else b'""', raw)


def components(
    files: Collection[str], links: Mapping[str, Iterable[str]], wanted: Iterable[str]
) -> list[set[str]]:
    """The files joined to each wanted one by imports, in either direction, at any distance."""
    both: dict[str, set[str]] = defaultdict(set)
    for source in files:
        for target in links.get(source, ()):
            if target in files:
                both[source].add(target)
                both[target].add(source)
    parts: list[set[str]] = []
    done: set[str] = set()
    for start in wanted:
        if start not in done:
            parts.append(_reached(start, both))
            done |= parts[-1]
    return parts


def _reached(start: str, links: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    stack = [start]
    while stack:
        path = stack.pop()
        if path not in found:
            found.add(path)
            stack.extend(links.get(path, ()))
    return found
