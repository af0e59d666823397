from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Place, Store
from gotcha_lint.analysis.syntax import dotted, source_of, walk
from gotcha_lint.facts.updates import AT_UPDATES
from gotcha_lint.queries.expected import is_benchmark
from gotcha_lint.queries.host import driven_by_host, runs_often_on_host
from gotcha_lint.queries.places import long_loops
from gotcha_lint.queries.small import small_statements
from gotcha_lint.queries.updated import is_reference, through_at
from gotcha_lint.rule import Example, Report, Rule


class EagerAtLoop(Rule):
    """Fills an array element by element with `.at[...].set(...)`, outside of `jit`.

    ## What happens
    No error. Under `jit` the compiler updates in place. Outside, each `x = x.at[i].set(v)` makes a
    new array and copies all of the old one, so that n elements cost n copies.

    ## Instead
    Fill a numpy array and convert it after the loop, or collect what is on the device in a list and
    `jnp.stack` it. If each iteration needs the array, update it in the jitted function, with
    `donate_argnums`.

    ## Not reported
    Loops that use the array for something else in each iteration, tokens that a model goes on from,
    say; loops of a few iterations; functions that are not seen to run as plain Python (they print,
    read files or are a program's main one), as they may be jitted elsewhere; references of kernels.

    ## In a run
    The sanitizer says nothing: each operation compiles once, and each by itself is right.
    """

    preview = True
    roots = frozenset({"at"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(x):
                    return jnp.tanh(x).sum()


                losses = jnp.zeros(20)
                for i in range(20):
                    losses = losses.at[i].set(predict(jnp.full(3, i)))  # ! eager-at-loop
                print(losses)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(x):
                    return jnp.tanh(x).sum()


                losses = []
                for i in range(20):
                    losses.append(predict(jnp.full(3, i)))
                print(jnp.stack(losses))
            """,
            unseen="the copies cost time, and how much depends on the size of the array",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not site.eager or is_benchmark(site):
            return
        seen: set[str] = set()
        for place, name in _updates(site):
            if name in seen or not _is_filled(place, name):
                continue
            if runs_often_on_host(place) or driven_by_host(place):
                seen.add(name)
                yield Report(
                    place.node,
                    f"`{source_of(place.node, 40)}` copies all of `{name}` in each iteration, "
                    "outside of `jit`: fill a numpy array, or collect in a list, "
                    "and convert it once",
                    why_hot=True,
                )


def _updates(body: Body) -> Iterator[tuple[Call, str]]:
    """Calls of `x.at[...].set` whose result is `x` again."""
    for place in body.sites:
        match place:
            case Bind(name=name, source=source):
                pass
            case Store(node=node):
                name, source = dotted(node) or "", _source(place)
            case _:
                continue
        call = body.call_of(source)
        if call is None or not isinstance(call.node.func, cst.Attribute):
            continue
        updated = through_at(call.node.func)
        if updated is None or not name or dotted(updated) != name:
            continue
        known = call.node.func.attr.value in AT_UPDATES
        if known and not is_reference(body, call.base, updated):
            yield call, name


def _source(store: Place) -> cst.CSTNode | None:
    for small in small_statements(store.at):
        if isinstance(small, cst.Assign) and small.targets[0].target is store.node:
            return small.value
    return None


def _is_filled(place: Call, name: str) -> bool:
    """Nothing but such updates happens to the array, where the place is reached again."""
    loops = long_loops(place)
    whole = loops[-1].node if loops else place.body.function.node
    if not loops and "." not in name:
        return False  # made again at each call
    return all(_is_update(one, name) for one in _uses(whole, name))


def _uses(whole: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    """What stands around the name: an attribute of it, or the assignment to it."""
    above = {id(child): node for node in walk(whole) for child in node.children}
    for node in walk(whole):
        if isinstance(node, cst.Name | cst.Attribute) and dotted(node) == name:
            outer = above.get(id(node), node)
            yield above.get(id(outer), outer) if isinstance(outer, cst.AssignTarget) else outer


def _is_update(use: cst.CSTNode, name: str) -> bool:
    """`x.at`, or `x = x.at[...].set(v)`."""
    match use:
        case cst.Attribute(attr=cst.Name(value="at")):
            return True
        case cst.Assign(targets=[_], value=cst.Call(func=func)):
            return dotted(through_at(func)) == name
    return False
