"""Which files import which: who hangs together, who is near, who comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property


class ImportGraph:
    """`links` are the files that each file imports."""

    def __init__(self, links: Mapping[str, Sequence[str]]) -> None:
        self.links = links

    @cached_property
    def joined(self) -> Mapping[str, set[str]]:
        """All files that hang together with each one, itself among them."""
        groups = {path: {path} for path in self.links}
        for path, below in self.links.items():
            for other in below:
                small, large = sorted((groups[path], groups[other]), key=len)
                if small is not large:
                    large |= small
                    groups.update(dict.fromkeys(small, large))
        return groups

    @cached_property
    def near(self) -> Mapping[str, set[str]]:
        """Each file, those that it imports and those that import it."""
        near = {path: {path} for path in self.links}
        for path, below in self.links.items():
            for other in below:
                near[path].add(other)
                near[other].add(path)
        return near

    def depths(self) -> dict[str, int]:
        """How many imports lie below each file; files that import each other count as one step."""
        links, depth = self.links, dict[str, int]()
        for start in links:
            stack, entered = [start], set()
            while stack:
                path = stack[-1]
                if path in depth:
                    stack.pop()
                    continue
                below = [p for p in links[path] if p not in depth and p not in entered]
                if path in entered or not below:
                    depth[path] = 1 + max((depth[p] for p in links[path] if p in depth), default=-1)
                    stack.pop()
                entered.add(path)
                stack.extend(below if path not in depth else ())
        return depth
