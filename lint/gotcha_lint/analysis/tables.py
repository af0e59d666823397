"""What functions tell each other: one table of plain data, filled round by round to a fixpoint.

Keys are tuples: ("param", function, name) for calls from host code, ("tparam", function, name) for
calls while tracing, ("return", function), ("global", path, name), ("local", function, name) for
names that nested functions capture, ("attr", class, name), ("traced", function),
("host", function), ("consumes", function, name), ("unsure", function, name) where a call while
tracing gives what is not known, ("logits", function, name) for parameters that must be logits, with
what they must not be, ("anew", function) for those that give another function at each call,
("promised", class, name) for fields that their annotation calls arrays,
("plain", class, name) for those that traced code gives something else, ("logged", function,
name) for parameters of which the logarithm is taken, ("graded", function) for
the parameters that a gradient runs through and the results that it starts from, ("sets", function)
for functions that only put settings right, with these, ("reads", function) for the parameters that
it reads on the host, ("carried", function) for those that a loop fills with what the call before
gave. ("rate", function, name) is a
parameter that is a step size, ("sign", function, name) of which sign it was given. No function
reads ("acts", function), that it acts on the world, ("updated", function, name), a parameter that
is a state with one update,
("flag", function, name), which of True and False a flag is while tracing, or None,
("closes", function), the functions that a traced closure holds,
("called", function), its calls from code that is not traced, ("within", function), the traced
functions that it is used in, nor ("stored", class, name), the
methods that assign an attribute, and ("static read", function) is for callers: the attributes that
it reads of a `self` that is part of a cache's key. Nobody reads ("reset", global), the functions
whose loops change a global setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.values import Value, join

Key = tuple[Any, ...]
Effects = dict[Key, Any]


class View:
    """The table as one function's analysis sees it; remembers what was read, to know when to redo.

    Functions of one file see each other's news at once, in the order of the file; those of other
    files see it in the next round. So the outcome does not depend on how files are shared out.
    """

    __slots__ = ("news", "reads", "table")

    def __init__(self, table: Mapping[Key, Any], news: Effects) -> None:
        self.table, self.news = table, news
        self.reads: Effects = {}

    def get(self, key: Key) -> Any:
        value = self.table.get(key)
        if value is None:
            value = self.news.get(key)
        self.reads[key] = value
        return value


def merge(key: Key, a: Any, b: Any) -> Any:
    """Two contributions to one key."""
    if a is b or a == b:
        return a
    if isinstance(a, Value):
        return join(a, b)
    if isinstance(a, Trace):
        return merge_traces(a, b)
    return a | b


def merge_traces(a: Trace, b: Trace) -> Trace:
    first, second = sorted((a, b), key=lambda t: (t.soft, not t.direct, len(t.chain), t.chain))
    both = first.direct and second.direct
    if both and first.known != second.known:  # jit(vmap(f, in_axes=...)): one of them can be read
        sure, other = (first, second) if first.known else (second, first)
        if sure.staged or not other.staged:
            first, second = sure._replace(chain=first.chain), other
            both = False
    wrt = None if first.wrt is None or second.wrt is None else first.wrt | second.wrt
    return Trace(
        roles=first.roles | second.roles,
        staged=first.staged or (second.staged and first.soft == second.soft),
        chain=first.chain,
        soft=first.soft and second.soft,
        direct=first.direct or second.direct,
        static=first.static & second.static if both else first.static,
        wrt=wrt if both else first.wrt,
        known=first.known and second.known if both else first.known,
        filtered=first.filtered and second.filtered if both else first.filtered,
    )
