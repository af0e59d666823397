"""A random key made from a literal, inside a traced function."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import children, last_word, literal, names_in, source_of, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.flags import TRAIN
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.random import KEY_MAKERS, SEEDS, SHAPE_ONLY
from gotcha_lint.queries.traced import surely_traced
from gotcha_lint.queries.undrawn import only_dropout_while_evaluating
from gotcha_lint.rule import Example, Report, Rule

_REPEATED = frozenset({"scan", "fori", "while", "map"})


class ConstantKeyInJit(Rule):
    """Makes a random key from a constant inside a traced function that is called repeatedly.

    ## What happens
    The key, and with it every number drawn from it, is a constant of the compiled program: each
    call and each iteration of a `scan` has the same noise. In a diffusion trainer four batches drew
    four equal timesteps.

    ## Instead
    Pass a key in, and split it outside or `fold_in` the step.

    ## Not reported
    Functions that initialise, and keys given to `init` or `initialize_carry`, which need only a
    key's shape. `rngs={"dropout": key}` of a model that is not told to train, where nothing is
    differentiated.
    """

    severity = "warning"
    preview = True
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def corrupt(x):
                    key = jax.random.key(0)  # ! constant-key-in-jit
                    return x + jax.random.normal(key, x.shape)


                noisy = [corrupt(jnp.zeros(3)) for _ in range(8)]
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def corrupt(x, key):
                    return x + jax.random.normal(key, x.shape)


                keys = jax.random.split(jax.random.key(0), 8)
                noisy = [corrupt(jnp.zeros(3), keys[n]) for n in range(8)]
            """,
            shows="bool((noisy[0] == noisy[1]).all())",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path) or not surely_traced(site) or not _repeated(site):
            return
        for call in site.plain_calls():
            if call.name not in SEEDS or not _literal(call) or only_dropout_while_evaluating(call):
                continue
            if _drawn_from(site, call):
                yield Report(
                    call.node,
                    f"`{source_of(call.node)}` is a constant of the traced function: every "
                    "call draws the same numbers; pass a key in",
                    why_traced=True,
                    why_hot=bool(site.hot),
                )


def _repeated(body: Body) -> bool:
    trace = body.trace
    if trace is None or "eval_shape" in trace.roles or "init" in body.function.name.lower():
        return False
    if any("init" in why.lower() for _, why in trace.chain):
        return False
    return bool(body.hot or body.rerun) or bool(trace.roles & _REPEATED)


def _literal(call: Call) -> bool:
    seed = call.arg(0, "seed")
    return seed is not None and seed.kind is Kind.STATIC and isinstance(seed.literal, int)


def _drawn_from(body: Body, seed: Call) -> bool:
    """The key itself, or one made of it, goes to a function that draws numbers."""
    made = {seed.result.ident // 1024}
    for call in body.plain_calls():
        given = [v for v in (*call.args, *call.kwargs.values()) if _holds_one_of(v, made)]
        if not given or _for_shape(call):
            continue
        if call.name in KEY_MAKERS:
            if not _folds_in_news(call):
                made.add(call.result.ident // 1024)
        elif (
            call.name.startswith("jax.random.")
            or _draws(call)
            or (call.callee.targets and not _is_told_to_evaluate(call))
        ):
            return True
    names = {bind.name for bind in body.of(Bind) if _is_one_of(bind.value, made)}
    return any(map(_draws_within(body.function), names & body.function.shared))


def _folds_in_news(call: Call) -> bool:
    """`fold_in(key, step)`: a key for each step."""
    data = call.arg(1, "data")
    return call.name.endswith("fold_in") and (data is None or data.kind is not Kind.STATIC)


def _is_told_to_evaluate(call: Call) -> bool:
    """`step(params, batch, key=key, train=False)`: it asks for a key, and drops nothing."""
    return isinstance(call.node, cst.Call) and _evaluates(call.node)


def _draws(call: Call) -> bool:
    """`apply(..., rngs={"dropout": key})` while a model trains."""
    return "rngs" in call.kwargs and not _evaluates(call.node)


def _draws_within(function: Function) -> Callable[[str], bool]:
    """A nested function, but one that only makes a state, gives the name to another function."""
    return lambda name: any(
        name in names_in(arg.value)
        for call in _nested_calls(function, name)
        if not _named_for_shape(call) and not _evaluates(call) and not _folds_within(call)
        for arg in call.args
    )


def _nested_calls(function: Function, name: str) -> Iterator[cst.Call]:
    """The calls in nested functions, but for those in which the name is a parameter."""
    waiting = [(child, False) for child in children(function.node)]
    while waiting:
        node, nested = waiting.pop()
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            if name in {param.name.value for param in _params(node.params)}:
                continue
            nested = True
        if nested and isinstance(node, cst.Call):
            yield node
        waiting.extend((child, nested) for child in children(node))


def _params(params: cst.Parameters) -> Iterator[cst.Param]:
    return (part for part in walk(params) if isinstance(part, cst.Param))


def _folds_within(node: cst.Call) -> bool:
    """`fold_in(key, step)` again, where only the text is known."""
    data = node.args[1].value if len(node.args) > 1 else None
    return last_word(node.func) == "fold_in" and literal(data) is None


def _evaluates(node: cst.Call) -> bool:
    told = {arg.keyword.value: literal(arg.value) for arg in node.args if arg.keyword}
    return any(told.get(name) is (not value) for name, value in TRAIN.items())


def _holds_one_of(value: Value, made: set[int]) -> bool:
    return _is_one_of(value, made) or any(_holds_one_of(item, made) for item in value.items)


def _is_one_of(value: Value, made: set[int]) -> bool:
    return value.kind is Kind.KEY and value.ident // 1024 in made


def _for_shape(call: Call) -> bool:
    return isinstance(call.node, cst.Call) and _named_for_shape(call.node)


def _named_for_shape(node: cst.Call) -> bool:
    name = last_word(node.func)
    return name in SHAPE_ONLY or "init" in name.lower()
