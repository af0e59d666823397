from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.known import RNGS, STREAM
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call, Place, Store
from gotcha_lint.analysis.syntax import last_word, source_of, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.nnx import is_module, is_optimizer
from gotcha_lint.queries.traced import surely_traced
from gotcha_lint.rule import Example, Report, Rule

_UPDATE = "update"
_VARIABLES = frozenset({"flax.nnx.Param", "flax.nnx.Variable"})
# Transforms that start a trace of their own.
_STARTS = frozenset(
    [
        *("jit", "nnx.jit", "pmap", "nnx.pmap", "shard_map", "grad", "value_and_grad", "vmap"),
        *("scan", "while", "cond", "fori", "checkpoint", "eval_shape"),
    ]
)
# Take the variables out of a module.
_GRADIENTS = frozenset({"flax.nnx.grad", "flax.nnx.value_and_grad"})
_TAKE_MODULES = frozenset({"state", "split", "update"})


class NnxMutatedInOtherTrace(Rule):
    """Draws from `nnx.Rngs`, or changes an nnx object, that a traced function captured.

    ## What happens
    `TraceContextError: Cannot mutate RngCount from a different trace level`. Each draw counts, and
    an object can be changed only in the trace that it was made in, or was given to: by `jax.jit`,
    `nnx.jit`, `grad`, `vmap`, `scan`, `cond`, `checkpoint`, `eval_shape`, all alike. The same for
    `count.value += 1` of a captured `nnx.Variable`, for `model.scale = ...`, and for
    `optimizer.update(model, grads)` of a captured optimizer.

    So does `nnx.grad(loss)(model)` of a captured model, in the body of a `jax.lax.scan` say:
    `ValueError: Cannot extract graph node from different trace level`.

    ## Instead
    Pass the object to a function under `nnx.jit`, `nnx.grad`, `nnx.scan`. Or draw the key before
    (`key = rngs()`), and capture that.

    ## Not reported
    What models do when they are called: a captured model with Dropout or BatchNorm fails alike,
    unless it is in evaluation. Functions of other files that are given the object.

    ## In a run
    Flax's own message says it; the sanitizer adds the place where the object was made.
    """

    severity = "error"
    roots = frozenset({"nnx"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import nnx

                rngs = nnx.Rngs(0)


                @nnx.jit
                def noisy(x):
                    key = rngs.noise()  # ! nnx-mutated-in-other-trace
                    return x + jax.random.normal(key, x.shape)


                y = noisy(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import nnx

                rngs = nnx.Rngs(0)


                @nnx.jit
                def noisy(x, rngs):
                    key = rngs.noise()
                    return x + jax.random.normal(key, x.shape)


                y = noisy(jnp.ones(3), rngs)
            """,
            raises="from a different trace level",
        ),
        Example(
            bad="""
                import jax.numpy as jnp
                from flax import nnx

                calls = nnx.Variable(jnp.zeros(()))


                @nnx.jit
                def double(x):
                    calls[...] += 1  # ! nnx-mutated-in-other-trace
                    return 2 * x


                y = double(jnp.ones(3))
            """,
            good="""
                import jax.numpy as jnp
                from flax import nnx

                calls = nnx.Variable(jnp.zeros(()))


                @nnx.jit
                def double(x, calls):
                    calls[...] += 1
                    return 2 * x


                y = double(jnp.ones(3), calls)
            """,
            raises="from a different trace level",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not surely_traced(site) or is_test(site.model.path):
            return
        done: set[str] = set()
        for place, thing, what in _changes(site):
            name = _root(thing)
            if name in done or not _made_outside(site, name) or expected_to_fail(site, place.node):
                continue
            done.add(name)
            yield Report(
                place.node,
                f"{what} `{source_of(thing, 30)}`, which was neither made in the trace of "
                f"`{site.function.name}` nor given to it: Flax raises; pass it as an argument of "
                "the nnx transform",
                why_traced=True,
            )


def _changes(body: Body) -> Iterator[tuple[Place, cst.BaseExpression, str]]:
    """The places that change an nnx object, with the expression that names it."""
    for call in body.of(Call):
        func = call.node.func
        owner = func.value if isinstance(func, cst.Attribute) else func
        if _is_rngs(call.callee) or _is_rngs(call.base):
            yield call, func if call.callee.of == RNGS else owner, "this draws from"
        elif _updates(call):
            yield call, owner, "this updates"
        elif (module := _differentiated(call)) is not None:
            yield call, module, "this takes the gradient of"
        else:
            yield from ((call, given, "this draws from") for given in _handed(call))
    for store in body.of(Store):
        target = store.node
        if isinstance(target, cst.Attribute | cst.Subscript) and _is_changed(body, store):
            yield store, target.value, "this changes"


def _is_rngs(value: Value | None) -> bool:
    return value is not None and value.kind is Kind.OBJECT and value.of in (RNGS, STREAM)


def _updates(call: Call) -> bool:
    """`optimizer.update(model, grads)`."""
    return last_word(call.node.func) == _UPDATE and is_optimizer(call.base)


def _differentiated(call: Call) -> cst.BaseExpression | None:
    """`model` of `nnx.value_and_grad(loss)(model)`, which takes the object apart."""
    made = call.body.call_of(call.node.func)
    given = call.arg_node(0)
    if made is None or made.name not in _GRADIENTS or not isinstance(given, cst.Name):
        return None
    known = is_module(call.body.project, call.arg(0))
    return given if known or _is_taken_apart(call.body.function, given.value) else None


def _is_taken_apart(function: Function, name: str) -> bool:
    """A function around hands it to what takes modules alone: `nnx.split(model)`."""
    outer: Function | None = function
    while outer is not None and outer.number != 0:
        for node in walk(outer.node):
            if isinstance(node, cst.Call) and last_word(node.func) in _TAKE_MODULES:
                given = node.args[0].value if node.args else None
                if isinstance(given, cst.Name) and given.value == name:
                    return True
        outer = outer.parent
    return False


def _handed(call: Call) -> Iterator[cst.BaseExpression]:
    """The object in `nnx.Linear(2, 3, rngs=rngs)`, `sample(rngs, x)`, `train(optimizer, x)`."""
    layer = call.name.startswith("flax.nnx.") and call.name.rpartition(".")[2][:1].isupper()
    function = None if layer else _called(call)
    used = {"rngs": {""}} if layer else _methods(function)
    for name, node, value in _given(call, function):
        methods = used.get(name, set())
        if (_is_rngs(value) and methods) or (is_optimizer(value) and _UPDATE in methods):
            yield node


def _given(
    call: Call, function: Function | None
) -> Iterator[tuple[str, cst.BaseExpression, Value]]:
    """The arguments, with the names of the parameters."""
    params = [p.name for p in function.params][call.callee.bound :] if function else []
    plain = [arg.value for arg in call.node.args if arg.keyword is None and not arg.star]
    yield from zip(params, plain, call.args, strict=False)
    for arg in call.node.args:
        if arg.keyword is not None and arg.keyword.value in call.kwargs:
            yield arg.keyword.value, arg.value, call.kwargs[arg.keyword.value]


def _called(call: Call) -> Function | None:
    """The function of this file that is called as it is, without a transform."""
    targets, path = call.callee.targets, call.body.model.path
    if call.callee.kind is not Kind.FUNCTION or call.callee.via or len(targets) != 1:
        return None
    file, number = next(iter(targets))
    return call.body.model.functions[number] if file == path else None


def _methods(function: Function | None) -> dict[str, set[str]]:
    """What a function calls of each name: `noise` of `rngs.noise()`, nothing of `rngs()`."""
    found: dict[str, set[str]] = {}
    for node in walk(function.node, into_functions=False) if function is not None else ():
        if isinstance(node, cst.Call):
            word = last_word(node.func) if isinstance(node.func, cst.Attribute) else ""
            found.setdefault(_root(node.func), set()).add(word)
    return found


def _is_changed(body: Body, store: Store) -> bool:
    """`count.value = ...`, `count[...] += 1`, `model.scale = ...`."""
    base = store.base
    if base.kind is not Kind.OBJECT or base.maybe:
        return False
    if base.of in _VARIABLES:
        value = isinstance(store.node, cst.Attribute) and store.node.attr.value == "value"
        return value or isinstance(store.node, cst.Subscript)
    return isinstance(store.node, cst.Attribute) and is_module(body.project, base)


def _root(node: cst.CSTNode) -> str:
    """`a` of `a.b[0].c`; "" of what does not begin with a name."""
    while isinstance(node, cst.Attribute | cst.Subscript):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def _made_outside(body: Body, name: str) -> bool:
    """It belongs to code around the traced function, or to the module."""
    function, trace = body.function, body.trace
    if name not in function.captured or trace is None:
        return False
    owner = function.scope.owner(name)
    if owner is None or trace.roles.isdisjoint(_STARTS):
        return False
    starts = trace.direct and trace.chain[-1][1].partition(" of ")[0] in _STARTS
    return starts or owner.kind == "module"
