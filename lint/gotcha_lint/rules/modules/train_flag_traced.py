from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.roles import boundary
from gotcha_lint.analysis.sites import Body, Call, Test
from gotcha_lint.analysis.syntax import children, dotted, walk
from gotcha_lint.analysis.values import is_tracer
from gotcha_lint.facts.flags import FLAGS
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import Example, Report, Rule

_CHOICES = frozenset({"cond", "where", "select"})


class TrainFlagTraced(Rule):
    """Takes `train` or `deterministic` as a traced argument of a jitted function.

    ## What happens
    `TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].`,
    raised deep inside of dropout or batch normalisation, which branch on the flag in Python.

    ## Instead
    Declare it static: `@partial(jax.jit, static_argnames="train")`. Two values are two programs.

    ## Not reported
    Flags that only choose in `jax.lax.cond` or `jnp.where`, which take tracers.
    """

    severity = "error"
    roots = frozenset({"jit"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                dropout = nn.Dropout(0.5)
                rngs = {"dropout": jax.random.key(0)}


                @jax.jit
                def forward(x, deterministic):  # ! train-flag-traced
                    return dropout.apply({}, x, deterministic=deterministic, rngs=rngs)


                forward(jnp.ones(3), False)
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                dropout = nn.Dropout(0.5)
                rngs = {"dropout": jax.random.key(0)}


                @partial(jax.jit, static_argnames="deterministic")
                def forward(x, deterministic):
                    return dropout.apply({}, x, deterministic=deterministic, rngs=rngs)


                forward(jnp.ones(3), deterministic=False)
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        body, trace = site, site.trace
        if (
            trace is None
            or trace.soft
            or not trace.direct
            or not trace.known
            or "jit" not in trace.roles
        ):
            return
        if trace.wrt is not None or body.hosted:
            return
        for param in body.function.params:
            if param.name not in FLAGS or param.name in trace.static or param.kind == "kwargs":
                continue
            if param.default is not None and param.name not in body.given:
                continue  # left out, it is the default itself
            use = _use(body, param.name)
            if use is not None:
                yield Report(
                    param.node,
                    f"Python branches on `{param.name}`, a tracer: list it in `static_argnames`",
                    places=((use, "its truth value is needed here"),),
                    why_traced=True,
                )


def _use(body: Body, name: str) -> cst.CSTNode | None:
    """Where the flag is branched on, or handed on as a flag; None if `traced-if` tells."""
    for test in body.of(Test):
        if _is(test.node, name):
            return None if is_tracer(test.value) else test.node
    chosen = {id(arg) for call in body.of(Call) for arg in call.node.args if _chooses(call, arg)}
    for arg in _arguments(body.function.node, name):
        if arg.keyword is None or arg.keyword.value not in FLAGS or id(arg) in chosen:
            continue
        if _mentions(arg.value, name):
            return arg.value
    for call in body.of(Call):
        for arg in call.node.args:
            if arg.keyword is None and _mentions(arg.value, name) and _is_flag(body, call, arg):
                return arg.value
    return None


def _chooses(call: Call, arg: cst.Arg) -> bool:
    """All that a function of this file does with it is `jax.lax.cond(flag, ...)`.

    Or the function is jitted itself, and takes a tracer anyway: it is told there what it does.
    """
    if call.callee.targets and boundary(call.callee):
        return True
    parameter = filled_by(call, arg.value)
    if parameter is None or parameter[0][0] != call.body.model.path:
        return False
    function = call.body.model.functions[parameter[0][1]].node
    asked = sum(_is_choice(node, parameter[1]) for node in walk(function))
    body = function.body if isinstance(function, cst.FunctionDef | cst.Lambda) else function
    return 0 < asked == sum(read.value == parameter[1] for read in names_read(body))


def _is_choice(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Call(func=func, args=[first, *_]):
            word = (dotted(func) or "").rpartition(".")[2]
            return word in _CHOICES and _is(first.value, name)
    return False


def _arguments(root: cst.CSTNode, name: str) -> Iterator[cst.Arg]:
    """The arguments of all calls, but for functions with a parameter of this name of their own."""
    stack = list(children(root))
    while stack:
        node = stack.pop(0)
        if isinstance(node, cst.Arg):
            yield node
        if not (isinstance(node, cst.FunctionDef | cst.Lambda) and _has(node, name)):
            stack[:0] = children(node)


def _has(function: cst.FunctionDef | cst.Lambda, name: str) -> bool:
    return any(isinstance(n, cst.Param) and n.name.value == name for n in walk(function.params))


def _is_flag(body: Body, call: Call, arg: cst.Arg) -> bool:
    """It fills a flag, of a function that branches on it, as far as that can be seen."""
    parameter = filled_by(call, arg.value)
    if parameter is None or parameter[1] not in FLAGS:
        return False
    (path, number), name = parameter
    if path != body.model.path:
        return True
    nodes = walk(body.model.functions[number].node)
    return any(_mentions(n.test, name) for n in nodes if isinstance(n, cst.If | cst.IfExp))


def _is(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _mentions(node: cst.CSTNode, name: str) -> bool:
    """The flag itself, or `not flag`."""
    return not isinstance(node, cst.Call) and any(_is(part, name) for part in walk(node))
