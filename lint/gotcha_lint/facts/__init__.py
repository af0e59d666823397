"""What is known of functions outside of the project: one table, qualified name -> `Fact`.

Nothing about JAX is written into a rule that can be a row here. The tables are the modules of this
package; what users add under `[tool.gotcha.facts]` is read by `user.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple


class Transform(NamedTuple):
    """A function that traces functions given to it."""

    role: str  # jit, pmap, shard_map, grad, vmap, checkpoint, scan, while, cond, custom, ...
    functions: tuple[int, ...] = (0,)  # positions of the functions among the arguments
    names: tuple[str, ...] = ("fun", "f")  # ... and their keywords
    gives: str = "function"  # or "result": it calls the function at once


class Fact(NamedTuple):
    """One row. Empty fields mean: nothing known, rules stay silent."""

    returns: str = ""  # array key keys host static tree none same function object:NAME, ...
    transform: Transform | None = None
    key: int | None = None  # position of the key that it consumes; -1: given as `key=` only
    pickles: int | None = None  # position of the object that it serialises with pickle
    effect: str = ""  # print log time random io wait read: what it does to the world outside


@dataclass(frozen=True)
class Facts:
    """The table with the aliases that lead to it, and what a whole module's functions return."""

    rows: Mapping[str, Fact]
    aliases: Mapping[str, str]
    modules: Mapping[str, Fact]  # longest matching prefix, with its dot
    libraries: frozenset[str] = field(default_factory=frozenset)
    _asked: dict[str, Fact] = field(default_factory=dict, init=False, repr=False, compare=False)

    def canonical(self, name: str) -> str:
        """The name that the table uses: `jax.tree_util.tree_map` becomes `jax.tree.map`."""
        if name in self.aliases:
            return self.aliases[name]
        head, dot, tail = name.rpartition(".")
        while head:
            if head in self.aliases:
                return f"{self.aliases[head]}.{tail}"
            head, dot, more = head.rpartition(".")
            tail = f"{more}.{tail}" if dot else tail
        return name

    def get(self, name: str) -> Fact:
        """The fact of a canonical name; an empty one where nothing is known."""
        fact = self._asked.get(name)
        if fact is None:
            fact = self._asked[name] = self.rows.get(name) or self._of_module(name)
        return fact

    def _of_module(self, name: str) -> Fact:
        head, dot, _ = name.rpartition(".")
        while dot:
            if head + "." in self.modules:
                return self.modules[head + "."]
            head, dot, _ = head.rpartition(".")
        return _NOTHING


_NOTHING = Fact()


def _tables() -> Iterator[object]:
    for module in sorted(m.name for m in iter_modules(__path__)):
        yield import_module(f"{__name__}.{module}")


@cache
def library_names() -> frozenset[str]:
    """The names of the libraries that the tables know."""
    return load().libraries


def load() -> Facts:
    """The built-in table: the union of this package's modules."""
    rows: dict[str, Fact] = {}
    aliases: dict[str, str] = {}
    modules: dict[str, Fact] = {}
    libraries: set[str] = set()
    for table in _tables():
        rows |= getattr(table, "ROWS", {})
        aliases |= getattr(table, "ALIASES", {})
        modules |= getattr(table, "MODULES", {})
        libraries |= getattr(table, "LIBRARIES", set())
    return Facts(rows, aliases, modules, frozenset(libraries))
