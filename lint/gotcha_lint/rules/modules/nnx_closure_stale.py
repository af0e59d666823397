from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES, boundary
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, parents, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.jitted import compiled
from gotcha_lint.queries.nnx import OPTIMIZERS, changes_weights, is_module, is_optimizer
from gotcha_lint.queries.places import happens_once, long_loops
from gotcha_lint.queries.returned import function_of
from gotcha_lint.rule import Example, Report, Rule

# What reads only the structure of a model.
_STRUCTURE = frozenset({"graphdef", "isinstance", "type", "len", "print", "display", "tabulate"})


class NnxClosureStale(Rule):
    """Evaluates an nnx model that the jitted function captured, while training changes it.

    ## What happens
    The weights are constants of the program that is compiled at the first call. Training updates
    the model in place, and the compiled program does not see it: in the example below the loss is
    1.37 after each of twenty steps, where it was 0.0 in the end. Nothing fails; `jax.jit` and
    `nnx.jit` do the same.

    ## Instead
    Pass the model: `evaluate(model, x)`, under `nnx.jit`.

    ## Not reported
    Functions that are called only after the training, and those that are jitted again by then.
    What `stale-capture` tells: the function, its calls and the training stand together.
    """

    severity = "error"
    preview = True
    roots = frozenset({"nnx"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
                x = jnp.ones((4, 2))


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @nnx.jit
                def train_step(model, optimizer, x):
                    optimizer.update(model, nnx.grad(loss_of)(model, x))


                @nnx.jit
                def evaluate(x):
                    return loss_of(model, x)  # ! nnx-closure-stale


                def fit(steps):
                    losses = []
                    for _ in range(steps):
                        train_step(model, optimizer, x)
                        losses.append(evaluate(x))
                    return losses


                losses = fit(20)
            """,
            good="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
                x = jnp.ones((4, 2))


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @nnx.jit
                def train_step(model, optimizer, x):
                    optimizer.update(model, nnx.grad(loss_of)(model, x))


                @nnx.jit
                def evaluate(model, x):
                    return loss_of(model, x)


                def fit(steps):
                    losses = []
                    for _ in range(steps):
                        train_step(model, optimizer, x)
                        losses.append(evaluate(model, x))
                    return losses


                losses = fit(20)
            """,
            shows="float(losses[0]) == float(losses[-1])",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if not site.eager or is_test(site.model.path):
            return
        done: set[tuple[int, str]] = set()
        for call in site.of(Call):
            for used in _compiled(call):
                function = function_of(site, used)
                for name in function.captured if function is not None else ():
                    assert function is not None
                    use = _weights_read(function, name)
                    if use is None or (function.number, name) in done:
                        continue
                    made = _maker(site, used, function, name)
                    here = dotted(made.arg_node(_place(function, name), name)) if made else name
                    if not here or not (made or _is_shared(site, function, name)):
                        continue
                    change = _changed(site, used, here, made)
                    if change is not None:
                        done.add((function.number, name))
                        yield _report(function, name, use, call, change)
        yield from _of_partials(site)


def _compiled(call: Call) -> Iterator[Value]:
    """The jitted functions that run here: what is called, or handed on to what calls it."""
    if compiled(call) is not None:
        yield call.callee
    elif not call.decorator and call.callee.kind is Kind.FUNCTION:
        for value in (*call.args, *call.kwargs.values()):
            if value.kind is Kind.FUNCTION and boundary(value):
                yield value


def _of_partials(body: Body) -> Iterator[Report]:
    """`score = nnx.jit(partial(loss, model))`, which is the same."""
    for made in body.of(Call):
        inner = body.call_of(made.arg_node(0))
        via = made.result.via[-1] if made.result.via else None
        if inner is None or inner.name != "functools.partial" or made.callee.kind is not Kind.NAMED:
            continue
        if via is None or via.name not in BOUNDARIES or made.decorator:
            continue
        for arg in inner.node.args[1:]:
            name = dotted(arg.value)
            if name is None or not is_module(body.project, next(_given(inner, name), None)):
                continue
            change = _changed(body, made.result, name, made)
            if change is not None:
                yield Report(
                    arg.value,
                    f"this was compiled with the weights that `{name}` had at the first call: "
                    f"it does not see later changes; pass `{name}` as an argument",
                    places=((change.node, f"`{name}` changes here"),),
                )


def _is_shared(body: Body, function: Function, name: str) -> bool:
    return function.scope.owner(name) is body.function.scope.owner(name)


def _maker(body: Body, used: Value, function: Function, name: str) -> Call | None:
    """`evaluate = make_evaluate(model)`: the call that gave the function what it captures."""
    maker = function.parent
    if maker is None or _place(function, name) < 0 or _is_shared(body, function, name):
        return None
    made = [c for c in body.of(Call) if c.callee.targets == {(body.model.path, maker.number)}]
    same = len(made) == 1 and made[0].result.targets == used.targets
    return made[0] if same and not made[0].starred else None


def _place(function: Function, name: str) -> int:
    """Which parameter of the function around it a captured name is."""
    params = [p.name for p in function.parent.params] if function.parent is not None else []
    return params.index(name) if name in params else -1


def _weights_read(function: Function, name: str) -> cst.CSTNode | None:
    """Where the model is called, or handed on to what calls it."""
    above = parents(function.node)
    for node in walk(function.node):
        if not isinstance(node, cst.Name) or node.value != name:
            continue
        match outer := above.get(id(node)):
            case cst.Call(func=func) if func is node:
                return node
            case cst.Arg(value=value) if value is node:
                called = above.get(id(outer))
                word = (dotted(called.func) or "") if isinstance(called, cst.Call) else ""
                if word and word.rpartition(".")[2] not in _STRUCTURE:
                    return node
            case cst.Attribute(value=value) if value is node:
                called = above.get(id(outer))
                if isinstance(called, cst.Call) and called.func is outer and called.args:
                    return node
                if _is_variable(outer, above):
                    return node
    return None


def _is_variable(node: cst.CSTNode, above: dict[int, cst.CSTNode]) -> bool:
    """The value of a parameter: `model.out.kernel[...]`, `model.out.kernel.value`."""
    outer = above.get(id(node))
    while isinstance(outer, cst.Attribute) and outer.value is node:
        if outer.attr.value == "value":
            return True
        node, outer = outer, above.get(id(outer))
    match outer:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Ellipsis()))]):
            return True
    return False


def _changed(body: Body, used: Value, name: str, maker: Call | None) -> Call | None:
    """A change of the weights between two calls of the function."""
    calls = [c for c in body.of(Call) if any(_same(value, used) for value in _compiled(c))]
    made = maker or next((c for c in body.of(Call) if _makes(c, used)), None)
    for change in body.of(Call):
        if change in calls or not changes_weights(change, name):
            continue
        if not _is_nnx(body, change, name) or (made and not maker and _told(body, change, name)):
            continue
        around = {id(loop.node) for loop in made.at.loops} if made is not None else set[int]()
        turns = {id(loop.node) for loop in long_loops(change)} - around
        if any(turns & {id(x.node) for x in long_loops(c)} for c in calls if not happens_once(c)):
            return change
        orders = [c.at.order for c in calls if set(c.at.guards) <= set(change.at.guards)]
        if orders and min(orders) < change.at.order < max(orders):
            return change if made is None or made.at.order < change.at.order else None
    return None


def _same(one: Value, other: Value) -> bool:
    same = one.via[-1:] == other.via[-1:] or not one.bound == other.bound == 0
    return one.targets == other.targets and bool(one.targets) and same


def _makes(made: Call, used: Value) -> bool:
    return bool(made.result.via) and made.result.via[-1].site == used.via[-1].site


def _is_nnx(body: Body, change: Call, name: str) -> bool:
    """The optimizer's own method says it, or what is known of the name."""
    if change.name == "flax.nnx.update" or is_optimizer(change.base):
        return True
    value = next(_given(change, name), None)
    if is_module(body.project, value):
        return True
    wrapped = [c for c in body.of(Call) if c.name in OPTIMIZERS and c.node.args]
    layer = value is not None and value.of == "flax.module" and not value.maybe
    return layer or any(dotted(c.node.args[0].value) == name for c in wrapped)


def _given(call: Call, name: str) -> Iterator[Value]:
    """The value that an argument of this name has."""
    plain = [arg for arg in call.node.args if arg.keyword is None and not arg.star]
    yield from (v for arg, v in zip(plain, call.args, strict=False) if dotted(arg.value) == name)
    keywords = [arg for arg in call.node.args if arg.keyword and dotted(arg.value) == name]
    yield from (call.kwargs[a.keyword.value] for a in keywords if a.keyword is not None)


def _told(body: Body, change: Call, name: str) -> bool:
    """`stale-capture` reports it."""
    value = body.names.get(name)
    return is_module(body.project, value) and change.name != "flax.nnx.update"


def _report(function: Function, name: str, use: cst.CSTNode, call: Call, change: Call) -> Report:
    return Report(
        use,
        f"`{function.name}` was compiled with the weights that `{name}` had at its first call: "
        f"it does not see later changes; pass `{name}` as an argument",
        places=((change.node, f"`{name}` changes here"), (call.node, "compiled, called here")),
    )
