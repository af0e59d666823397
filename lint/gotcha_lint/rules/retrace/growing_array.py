from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.hosting import is_host
from gotcha_lint.analysis.sites import Bind, Body, Call, Return, Store
from gotcha_lint.analysis.syntax import dotted, names_in, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.places import draws_figures, long_loops
from gotcha_lint.queries.small import small_statements
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import called, each_turn, loop_places, variations
from gotcha_lint.solve.programs import Programs

_GROWING = frozenset(["concatenate", "append", "concat", "vstack", "hstack"])


class GrowingArray(Rule):
    """Grows a `jax.Array` in a loop: each iteration has a new shape, and compiles for it.

    ## What happens
    `jnp.concatenate([buffer, new])` outside of `jit` compiles for every new length (22 compilations
    for 20 iterations), and so does every jitted function that is given the result: 15 tokens, 15
    traces. It also copies the whole buffer each time.

    ## Instead
    Allocate the full buffer and write with `buffer.at[i].set(new)`, or collect in a Python list
    (or numpy) and concatenate once after the loop.

    ## Not reported
    Loops over a few things that are written out, and those that draw into a figure in each
    iteration.
    """

    roots = frozenset(_GROWING)
    confirmed_by = (("recompile", "shape"), ("eager-op-storm", ""))
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def following(tokens):
                    return jnp.sum(tokens) % 7


                tokens = jnp.ones(1)
                for _ in range(12):
                    tokens = jnp.append(tokens, following(tokens))  # ! growing-array
                print(tokens)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def following(tokens):
                    return jnp.sum(tokens) % 7


                tokens = jnp.zeros(13).at[0].set(1)
                for i in range(12):
                    tokens = tokens.at[i + 1].set(following(tokens))
                print(tokens)
            """,
            compiles=4,
        ),
    )

    def check(self, body: Body) -> Iterator[Report]:
        if is_test(body.model.path) or not body.eager:
            return
        for site in body.of(Bind):
            call = _putting_together(body, site.source)
            if call is not None and site.name in _parts(call) and _grows(site):
                yield _report(site.source or site.node, site.name)
        for back in body.of(Return):
            source = back.node.value if isinstance(back.node, cst.Return) else None
            call = _putting_together(body, source)
            name = _carried(body, call) if call is not None else ""
            if name:
                yield _report(source or back.node, name, "the loop that calls this")
        for store in body.of(Store):
            name, source = dotted(store.node) or "", _source(store)
            call = _putting_together(body, source)
            if call is not None and name in _parts(call) and _grows_in_object(store, name):
                yield _report(source or store.node, name)

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "length"):
            call = variation.call
            each = each_turn(variation.loops, call.path)
            yield Foreseen(
                (call.path, call.span),
                f"`{variation.label}` is a container that is longer at each {each}: "
                f"{called(row.function)} compiles one program for each length; fill an array of "
                "the full length, and pass how much of it counts",
                (*variation.places, *loop_places(variation.loops)),
                variation.certain,
            )


def _carried(body: Body, call: Call) -> str:
    """What grows is a parameter, and a loop gives back what this returns."""
    carried = body.usage.carried.get(body.id, frozenset())
    return next((name for name in sorted(carried) if name in _parts(call)), "")


def _report(node: cst.CSTNode, name: str, turns: str = "this loop") -> Report:
    return Report(
        node,
        f"`{name}` is longer in each iteration of {turns}, and operations on it compile "
        f"again: fill a buffer of the full length, or concatenate once after the loop",
    )


def _putting_together(body: Body, source: cst.CSTNode | None) -> Call | None:
    """`jnp.append(x, v)`, also as `v if x is None else jnp.append(x, v)`."""
    if isinstance(source, cst.IfExp) and _is_none(source.test):
        branches = (source.body, source.orelse)
        return next((c for c in (_putting_together(body, one) for one in branches) if c), None)
    call = body.call_of(source)
    if call is None or not call.node.args:
        return None
    head, _, last = call.name.rpartition(".")
    return call if head == "jax.numpy" and last in _GROWING else None


def _is_none(test: cst.CSTNode) -> bool:
    return any(isinstance(part, cst.Is | cst.IsNot) for part in walk(test))


def _grows(site: Bind) -> bool:
    if not long_loops(site) or not is_host(site.body) or _made_in_this_turn(site):
        return False
    if draws_figures(long_loops(site)[-1]) or _asked_for_truth(site):
        return False
    return site.old is not None and site.old.kind in (Kind.ARRAY, Kind.UNKNOWN, Kind.NONE)


def _asked_for_truth(site: Bind) -> bool:
    """Under `if mask:`, which an array of two elements does not pass."""
    tests = (guard.test for guard in site.at.guards if guard.when)
    return any(isinstance(test, cst.Name) and test.value == site.name for test in tests)


def _made_in_this_turn(site: Bind) -> bool:
    """The loop binds the name to something else before, or cuts it down again."""
    loop = long_loops(site)[-1]
    others = (bind for bind in site.body.of(Bind) if bind is not site and bind.name == site.name)
    return any(
        any(around is loop for around in bind.at.loops)
        and (
            (bind.at.order < site.at.order and _starts_anew(bind))
            or isinstance(bind.source, cst.Subscript)
        )
        for bind in others
    )


def _starts_anew(bind: Bind) -> bool:
    """Not only in the first turn: `if x is None: x = v`."""
    first = any(_is_none(guard.test) for guard in bind.at.guards)
    assigned = (s.value for s in small_statements(bind.at) if isinstance(s, cst.Assign))
    source = bind.source or next(assigned, None)  # of several names at once, what all come from
    return not first and source is not None and bind.name not in names_in(source)


def _grows_in_object(store: Store, name: str) -> bool:
    """The only assignment to this attribute here, in a loop that does not make the object."""
    loops, head = long_loops(store), name.partition(".")[0]
    if not isinstance(store.node, cst.Attribute) or not loops or not is_host(store.body):
        return False
    if any(b.name == head and loops[-1] in b.at.loops for b in store.body.of(Bind)):
        return False
    others = (one for one in store.body.of(Store) if one is not store)
    return head not in loops[-1].names and all(
        dotted(one.node) != name or loops[-1] not in one.at.loops for one in others
    )


def _source(store: Store) -> cst.CSTNode | None:
    for small in small_statements(store.at):
        if isinstance(small, cst.Assign) and small.targets[0].target is store.node:
            return small.value
    return None


def _parts(call: Call) -> set[str | None]:
    """The names among what is put together."""
    args = call.node.args
    first = args[0].value
    if isinstance(first, cst.Tuple | cst.List):
        return {dotted(element.value) for element in first.elements}
    return {dotted(arg.value) for arg in args if arg.keyword is None}
