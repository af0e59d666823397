"""What one path through a function knows, and how two paths meet."""

from __future__ import annotations

from gotcha_lint.analysis.values import Value, join


class State:
    """What a branch can change: what the names hold.

    `aside`: no traced call comes here, though the function is traced.
    """

    __slots__ = ("aside", "env")

    def __init__(self, env: dict[str, Value], aside: bool = False) -> None:
        self.env, self.aside = env, aside

    def copy(self) -> State:
        return State(dict(self.env), self.aside)


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
    return State(env, a.aside)
