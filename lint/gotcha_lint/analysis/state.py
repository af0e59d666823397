"""What one path through a function knows, and how two paths meet."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.values import Value, join


class State:
    """What a branch can change: the names, the keys used up, the buffers given away."""

    __slots__ = ("donated", "env", "used")

    def __init__(
        self,
        env: dict[str, Value],
        used: dict[int, cst.CSTNode],
        donated: dict[str, cst.CSTNode],
    ) -> None:
        self.env, self.used, self.donated = env, used, donated

    def copy(self) -> State:
        return State(dict(self.env), dict(self.used), dict(self.donated))


def join_states(a: State | None, b: State | None) -> State | None:
    if a is None or b is None:
        return b if a is None else a
    env = dict(a.env)
    for name, value in b.env.items():
        old = env.get(name)
        if old is None:
            env[name] = value
        elif old is not value:
            env[name] = join(old, value)
    return State(env, {**b.used, **a.used}, {**b.donated, **a.donated})
