"""Which files a file is run with: those that it imports at any distance, in their order."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b


@dataclass(frozen=True)
class ImportGraph:
    """The files of a project, and which of them each imports."""

    links: Mapping[str, Collection[str]]

    @cached_property
    def circles(self) -> list[tuple[str, ...]]:
        """Files that import each other, as one; each after those that it imports (Tarjan).

        Within a circle, and between those that do not depend on each other, in the order of names:
        the same from any directory.
        """
        order: list[tuple[str, ...]] = []
        number: dict[str, int] = {}
        low: dict[str, int] = {}
        open_: list[str] = []
        is_open: set[str] = set()
        for start in _sorted(self.links):
            if start in number:
                continue
            work = [(start, iter(_sorted(self.links[start])))]
            number[start] = low[start] = len(number)
            open_.append(start)
            is_open.add(start)
            while work:
                path, targets = work[-1]
                new = next((t for t in targets if self._seen(t, path, number, low, is_open)), None)
                if new is not None:
                    number[new] = low[new] = len(number)
                    open_.append(new)
                    is_open.add(new)
                    work.append((new, iter(_sorted(self.links[new]))))
                    continue
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[path])
                if low[path] == number[path]:
                    at = open_.index(path)
                    order.append(tuple(_sorted(open_[at:])))
                    is_open.difference_update(open_[at:])
                    del open_[at:]
        return order

    def _seen(
        self,
        target: str,
        path: str,
        number: Mapping[str, int],
        low: dict[str, int],
        is_open: Collection[str],
    ) -> bool:
        """Whether a file is new; if not, a circle that it closes is noted."""
        if target not in self.links:
            return False
        if target not in number:
            return True
        if target in is_open:
            low[path] = min(low[path], number[target])
        return False

    @cached_property
    def order(self) -> list[str]:
        """All files, each after those that it imports."""
        return [path for circle in self.circles for path in circle]

    @cached_property
    def closures(self) -> dict[str, frozenset[str]]:
        """A file, and all that it imports at any distance."""
        out: dict[str, frozenset[str]] = {}
        for circle in self.circles:
            targets = {t for path in circle for t in self.links[path] if t in self.links}
            below = {out[target] for target in targets if target in out}
            whole = frozenset(circle).union(*below)
            out.update(dict.fromkeys(circle, whole))
        return out

    @cached_property
    def scripts(self) -> frozenset[str]:
        """Those that no file imports."""
        imported = {t for path, targets in self.links.items() for t in targets if t != path}
        return frozenset(self.links) - imported

    def importers(self, paths: Iterable[str]) -> set[str]:
        """All that import one of these, at any distance, and these themselves."""
        wanted = set(paths)
        return {path for path, closure in self.closures.items() if not wanted.isdisjoint(closure)}

    def nearest_importers(self, path: str) -> list[str]:
        """All that import it at any distance, those before that are fewer imports away."""
        found, new = [], [path]
        seen = {path}
        while new:
            targets = frozenset(new)
            new = [p for p in _sorted(self.links) if not targets.isdisjoint(self.links[p])]
            new = [p for p in new if p not in seen]
            seen.update(new)
            found += new
        return found

    def digests(self, own: Mapping[str, bytes]) -> dict[str, bytes]:
        """What the closure of each file is, of what each file is."""
        out: dict[str, bytes] = {}
        for circle in self.circles:
            total = blake2b(digest_size=16)
            inside = frozenset(circle)
            below = {t for path in circle for t in self.links[path] if t in self.links} - inside
            for part in (*(own[path] for path in circle), *sorted(out[t] for t in below)):
                total.update(part)
            out.update(dict.fromkeys(circle, total.digest()))
        return out


def _sorted(paths: Iterable[str]) -> list[str]:
    return sorted(paths, key=os.path.abspath)
