"""What functions tell each other: one table of plain data, filled round by round to a fixpoint.

Keys are tuples, of a word and what it is about (f: a function, n: the name of a parameter, c: a
class). Functions tell, and read of others:

    param f n, tparam f n   what calls give, from host code and while tracing
    return f, attr c name, global path name, local f name (that inner functions capture)
    unfilled f              what a call gets that leaves the function to decorate out
    traced f, host f        that it is traced, and why; that it runs on the host for certain
    flag f n                which of True and False a flag is while tracing; None: not known
    created c name          what states of a class get: whose `apply`
    closes f                the functions that a traced closure holds
    unsure f n              a call while tracing gives what is not known
    promised c name, plain c name   fields that are annotated as arrays; that hold something else
    rate f n, sign f n      a step size; which signs it was given
    computes f              it gives only what it makes of its parameters: numbers or arrays

`survey` alone reads, at the end: called f, within f (by whom, from host and traced code),
updated f n (a state with one update), stored c name (the methods that assign
it), reset global (the functions whose loops change it).
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

    def shows(self, reads: Effects) -> bool:
        """Whether it would be read now as it was then."""
        table, news = self.table, self.news
        for key, value in reads.items():
            now = table.get(key)
            if now is None:
                now = news.get(key)
            if not alike(now, value):
                return False
        return True


def alike(a: Any, b: Any) -> bool:
    """Equal, and of the same types too: `(False,) == (0,)`."""
    if a is b:
        return True
    if a != b:
        return False
    literals = getattr(a, "literal", None), getattr(b, "literal", None)
    return literals[0].__class__ is not tuple or repr(literals[0]) == repr(literals[1])


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
        static=_static_in_both(first, second) if both else first.static,
        wrt=wrt if both else first.wrt,
        known=first.known and second.known if both else first.known,
        filtered=first.filtered and second.filtered if both else first.filtered,
        past=first.past,
    )


def _static_in_both(a: Trace, b: Trace) -> frozenset[str]:
    """`grad` hands on as they are the parameters that it does not differentiate."""
    return frozenset(
        name
        for name in a.static | b.static
        if all(name in t.static or (t.wrt is not None and name not in t.wrt) for t in (a, b))
    )
