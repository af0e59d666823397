"""What one path through a function knows, and how two paths meet."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.values import Value, join


class State:
    """What a branch can change: the names, the keys used up, the buffers given away.

    `aliases` are pairs of names: after `best = params` both stand for the same buffers.
    `aside`: no traced call comes here, though the function is traced.
    """

    __slots__ = ("aliases", "aside", "donated", "env")

    def __init__(
        self,
        env: dict[str, Value],
        donated: dict[str, cst.CSTNode],
        aliases: frozenset[tuple[str, str]] = frozenset(),
        aside: bool = False,
    ) -> None:
        self.env, self.donated = env, donated
        self.aliases, self.aside = aliases, aside

    def rebind(self, name: str) -> None:
        """The name stands for something new: it was not given away, and shares with nobody."""
        if self.donated:
            self.donated = {n: by for n, by in self.donated.items() if not within(n, name)}
        if self.aliases:
            self.aliases = frozenset(p for p in self.aliases if not any(within(n, name) for n in p))

    def donate(self, name: str, node: cst.CSTNode) -> None:
        """The buffers of this name, and of all names that share them, are given away."""
        self.donated[name] = node
        for pair in self.aliases:
            for one, other in (pair, pair[::-1]):
                if within(one, name):
                    self.donated[other] = node

    def copy(self) -> State:
        return State(dict(self.env), dict(self.donated), self.aliases, self.aside)


def within(name: str, whole: str) -> bool:
    """`state.params` is part of `state`, and so is `state`."""
    return name == whole or name.startswith(whole + ".")


def join_states(a: State | None, b: State | None) -> State | None:
    if a is None or b is None:
        return b if a is None else a
    if a.aside is not b.aside:
        return b if a.aside else a
    env = dict(a.env)
    for name, value in b.env.items():
        old = env.get(name)
        if old is None:
            env[name] = value
        elif old is not value:
            env[name] = join(old, value)
    return State(env, {**b.donated, **a.donated}, a.aliases | b.aliases, a.aside)
