from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind
from gotcha_lint.analysis.syntax import dotted, names_in
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.host import is_host
from gotcha_lint.queries.places import is_test, long_loops
from gotcha_lint.rule import Example, Report, Rule

_GROWING = frozenset(["concatenate", "append", "concat", "vstack", "hstack"])


class GrowingArray(Rule):
    """Grows a `jax.Array` in a loop: each turn has a new shape, and compiles for it.

    ## What happens
    `jnp.concatenate([buffer, new])` outside of `jit` compiles for every new length (22 compilations
    for 20 turns), and so does every jitted function that is given the result: 15 tokens, 15
    traces. It also copies the whole buffer each time.

    ## Instead
    Allocate the full buffer and write with `buffer.at[i].set(new)`, or collect in a Python list
    (or numpy) and concatenate once after the loop.
    """

    roots = frozenset(_GROWING)
    confirmed_by = (("recompile", "shape"),)
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                tokens = jnp.zeros(1)
                for i in range(12):
                    tokens = jnp.append(tokens, i)  # ! growing-array
                print(tokens)
            """,
            good="""
                import jax.numpy as jnp

                tokens = jnp.zeros(13)
                for i in range(12):
                    tokens = tokens.at[i + 1].set(i)
                print(tokens)
            """,
            compiles=4,
        ),
    )

    def check(self, site: Bind) -> Iterator[Report]:
        call = site.body.call_of(site.source)
        if call is None or not long_loops(site) or is_test(site.body) or not is_host(site.body):
            return
        head, _, last = call.name.rpartition(".")
        if head != "jax.numpy" or last not in _GROWING or not call.node.args:
            return
        if site.old is None or site.old.kind not in (Kind.ARRAY, Kind.UNKNOWN):
            return
        if _made_in_this_turn(site):
            return
        if site.name not in _parts(call.node.args):
            return
        yield Report(
            site.source or site.node,
            f"`{site.name}` is longer at each turn of this loop, and operations on it compile "
            f"again: fill a buffer of the full length, or concatenate once after the loop",
        )


def _made_in_this_turn(site: Bind) -> bool:
    """The loop binds the name to something else before: it starts anew in each turn."""
    loop = site.at.loops[-1]
    return any(
        bind.name == site.name
        and bind.at.order < site.at.order
        and any(around is loop for around in bind.at.loops)
        and bind.source is not None
        and site.name not in names_in(bind.source)
        for bind in site.body.of(Bind)
    )


def _parts(args: object) -> set[str | None]:
    """The names among what is put together."""
    assert isinstance(args, list | tuple)
    first = args[0].value
    if isinstance(first, cst.Tuple | cst.List):
        return {dotted(element.value) for element in first.elements}
    return {dotted(arg.value) for arg in args if arg.keyword is None}
