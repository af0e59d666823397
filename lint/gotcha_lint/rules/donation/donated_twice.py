"""Two names for the same arrays."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.sharing import PLACED, SHARED
from gotcha_lint.analysis.sites import Bind, Body, Call, Store
from gotcha_lint.analysis.syntax import dotted, names_in
from gotcha_lint.queries.donated import donated_names, donating, gives_back, is_buffer
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Example, Report, Rule


class DonatedTwice(Rule):
    """Passes one array twice to a call that donates it.

    ## What happens
    `INVALID_ARGUMENT: Attempt to donate the same buffer twice in Execute()`; where only one of the
    two is donated: `Attempt to use a buffer that was previously donated in the same call`. It
    happens on the first step, while average and parameters are still the same arrays.

    ## Instead
    Start the second from a copy: `ema = jax.tree.map(jnp.copy, params)`.
    """

    severity = "error"
    roots = frozenset({"donate_argnums", "donate_argnames"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def average(params, ema):
                    return params * 1.0, 0.9 * ema + 0.1 * params


                average = jax.jit(average, donate_argnums=(0, 1))

                params = jnp.ones(4)
                params, ema = average(params, params)  # ! donated-twice
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def average(params, ema):
                    return params * 1.0, 0.9 * ema + 0.1 * params


                average = jax.jit(average, donate_argnums=(0, 1))

                params = jnp.ones(4)
                params, ema = average(params, jnp.copy(params))
            """,
            raises="donate the same buffer twice",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        via = donating(site)
        if via is None or site.body.trace is not None or site.decorator:
            return
        for name, arg in donated_names(site, via):
            if not is_buffer(site, arg) or expected_to_fail(site.body, site.node):
                continue
            others = [dotted(other.value) or "" for other in site.node.args if other is not arg]
            if name in others:
                yield Report(
                    site.node,
                    f"`{name}` is given twice to a call that donates it: one buffer cannot be "
                    "given away and used a second time",
                )
                return
            twice = _shared_in(site, name)
            if twice is not None and gives_back(site.body, site, arg):
                yield Report(
                    site.node,
                    f"`{name}` holds the same arrays twice when it comes to this call, which "
                    "donates it: start one of the two from a copy",
                    places=((twice.node, "made of one tree given twice"),),
                )
                return
            for other in others:
                bind = _is_still(site, name, other) or _is_still(site, other, name)
                if bind is not None and gives_back(site.body, site, arg):
                    yield Report(
                        site.node,
                        f"`{name}` and `{other}` are still the same arrays in this call, which "
                        f"donates `{name}`: start one of them from a copy",
                        places=((bind.node, "the second name for the same arrays"),),
                    )
                    return


def _is_still(call: Call, name: str, other: str) -> Bind | None:
    """`name = other`, after which neither got a new value until the call, in its first turn."""
    if not name or not other:
        return None
    bind = _last_before(call, name)
    if bind is None or dotted(bind.source) != other:
        return None
    return None if _changed_between(call, bind, other) else bind


def _shared_in(call: Call, name: str) -> Bind | None:
    """The assignment of an object that holds one tree twice, as it is when it comes here."""
    binds = [b for b in call.body.of(Bind) if b.name == name]
    first = _last_before(call, name)
    if first is not None and _holds_twice(call.body, first):
        return first
    loops = call.at.loops
    inner = [b for b in binds if loops and b.at.loops[: len(loops)] == loops]
    before = any(b.at.order < call.at.order for b in inner)
    last = inner[-1] if inner else None  # the next turn begins with it
    late = last is not None and last.at.order > call.at.order and not before
    return last if late and last is not None and _holds_twice(call.body, last) else None


def _holds_twice(body: Body, bind: Bind) -> bool:
    """Put on devices, a tree is still the same twice where each device gets all of it."""
    if bind.value.literal != PLACED or bind.value.maybe:
        return bind.value.literal == SHARED and not bind.value.maybe
    return any(
        call.name == "jax.sharding.PartitionSpec" and not call.node.args
        for call in body.of(Call)
        if call.at.statement is bind.at.statement
    )


def _last_before(call: Call, name: str) -> Bind | None:
    """The only assignment that can have made the name what it is at the call's first turn."""
    before = [
        bind
        for bind in call.body.of(Bind)
        if bind.name == name
        and bind.at.order < call.at.order
        and bind.at.statement is not call.at.statement
    ]
    if not before or not _is_around(before[-1], call):
        return None
    return before[-1]


def _is_around(bind: Bind, call: Call) -> bool:
    """The assignment dominates the call: it is in no branch or loop of its own."""
    loops, guards = bind.at.loops, bind.at.guards
    if call.at.loops[: len(loops)] != loops or not bind.at.is_passed_by(call.at):
        return False
    return call.at.loops == loops or call.at.guards == guards  # else not in the first turn, perhaps


def _changed_between(call: Call, bind: Bind, other: str) -> bool:
    head, dot, _ = other.partition(".")
    for site in call.body.sites:
        if (
            not bind.at.order < site.at.order < call.at.order
            or site.at.statement is call.at.statement
        ):
            continue
        if isinstance(site, Bind) and site.name == head:
            return True
        if isinstance(site, Store) and (dotted(site.node) or head) in (head, other):
            return True
        if dot and isinstance(site, Call) and head in names_in(site.node):
            return True  # a method may replace the attribute
    return False
