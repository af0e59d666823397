from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Body, Call, Store
from gotcha_lint.analysis.syntax import dotted, parents, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.program.ir import Function as Traced
from gotcha_lint.queries.nnx import changes_weights, is_module, is_optimizer
from gotcha_lint.queries.stale import is_jitted_itself
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule, module_alias
from gotcha_lint.solve.programs import Programs

# What a caller can put back into its own object.
_HANDED_BACK = frozenset({"flax.nnx.state", "flax.nnx.split", "flax.nnx.pop"})
_PLAIN_JIT = frozenset({"jit", "pmap"})
_CHANGING = frozenset({"BatchNorm", "Dropout"})


class JitOnNnxModule(Rule):
    """Changes an nnx module or optimizer that it got through `jax.jit`.

    ## What happens
    nnx objects are pytrees, so `jax.jit` takes them: the function works on a copy, and what it
    changes there is lost. `optimizer.update(model, grads)` trains nothing: the same loss, 0.005045,
    three times. The mean of a BatchNorm stays 0, and a Dropout draws the same mask at each call.
    Nothing fails.

    ## Instead
    `nnx.jit`, which writes the changes back; or return the objects, and use what is returned.

    ## Not reported
    Functions that only read the module, or that return it, its state or its split. Static
    arguments.
    """

    severity = "error"
    preview = True
    roots = frozenset({"nnx"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @jax.jit
                def train_step(model, optimizer, x):
                    loss, grads = nnx.value_and_grad(loss_of)(model, x)
                    optimizer.update(model, grads)  # ! jit-on-nnx-module
                    return loss


                losses = [train_step(model, optimizer, jnp.ones((4, 2))) for _ in range(3)]
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)


                def loss_of(model, x):
                    return (model(x) - 3.0).mean() ** 2


                @nnx.jit
                def train_step(model, optimizer, x):
                    loss, grads = nnx.value_and_grad(loss_of)(model, x)
                    optimizer.update(model, grads)
                    return loss


                losses = [train_step(model, optimizer, jnp.ones((4, 2))) for _ in range(3)]
            """,
            shows="float(losses[0]) == float(losses[-1])",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        trace = site.trace
        if trace is None or not is_jitted_itself(site) or site.hosted:
            return
        if trace.chain[-1][1].partition(" of ")[0] not in _PLAIN_JIT:
            return
        for param in site.function.params:
            if param.name in trace.static or _comes_back(site, param.name):
                continue
            change = _change(site, param.name)
            if change is not None:
                yield Report(
                    change,
                    f"under `jax.jit` `{param.name}` is a copy: what changes here is lost when "
                    f"`{site.function.name}` returns; use `nnx.jit`",
                    _fix(site),
                    why_traced=True,
                )
                return

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["in place"].values():
            yield Foreseen(
                (effect.path, effect.span),
                "under `jax.jit` this object is a copy: what changes here is lost when "
                f"`{effect.within.name}` returns; use `nnx.jit`",
                certain=not effect.maybe,
                about=_lines(effect.within),
            )


def _lines(function: Traced) -> tuple[str, int, int]:
    return function.path, function.first or function.line, function.end_line


def _change(body: Body, name: str) -> cst.CSTNode | None:
    """Where the object of a parameter changes: an update, an assignment, a layer with a state."""
    value = body.names.get(name)
    if any(p.name == name and p.kind in ("star", "kwargs") for p in body.function.params):
        return None
    if is_optimizer(value):
        return next((c.node for c in body.of(Call) if _updates(c, name)), None)
    handed = next((c.node for c in body.of(Call) if changes_weights(c, name)), None)
    if handed is not None or not is_module(body.project, value):
        return handed
    for store in body.of(Store):
        text = dotted(store.node.value if isinstance(store.node, cst.Subscript) else store.node)
        if text is not None and text.startswith(f"{name}."):
            return store.node
    call = next((c for c in body.of(Call) if _changes_itself(c, name)), None)
    return _trained(body, name) if call is None else call.node


def _updates(call: Call, name: str) -> bool:
    func = call.node.func
    return (
        isinstance(func, cst.Attribute)
        and func.attr.value == "update"
        and dotted(func.value) == name
        and is_optimizer(call.base)
    )


def _changes_itself(call: Call, name: str) -> bool:
    """`meter.add(x)`, a method of this file that assigns to variables of its object."""
    func, targets = call.node.func, call.callee.targets
    own = isinstance(func, cst.Attribute) and dotted(func.value) == name
    if not own or call.callee.kind is not Kind.FUNCTION or len(targets) != 1:
        return False
    path, number = next(iter(targets))
    if path != call.body.model.path or call.callee.via:
        return False
    method = call.body.model.functions[number]
    return bool(method.self_name) and any(_stores(node, method) for node in walk(method.node))


def _stores(node: cst.CSTNode, method: Function) -> bool:
    match node:
        case cst.Assign(targets=[cst.AssignTarget(target=target)]) | cst.AugAssign(target=target):
            part = target.value if isinstance(target, cst.Subscript) else target
            return (dotted(part) or "").startswith(f"{method.self_name}.")
    return False


def _trained(body: Body, name: str) -> cst.CSTNode | None:
    """`nnx.grad(loss)(model)` of a model with batch statistics or random masks."""
    value = body.names[name]
    if value.cls is None or value.cls[0] != body.model.path:
        return None
    nodes = walk(body.model.classes[value.cls[1]].node)
    words = {node.value for node in nodes if isinstance(node, cst.Name)}
    if words.isdisjoint(_CHANGING) or "eval" in _attributes(body):
        return None
    for call in body.of(Call):
        given = [dotted(arg.value) for arg in call.node.args]
        if name in given and any(via.name in GRADS for via in call.callee.via):
            return call.node
    return None


def _attributes(body: Body) -> set[str]:
    nodes = walk(body.function.node)
    return {node.attr.value for node in nodes if isinstance(node, cst.Attribute)}


def _comes_back(body: Body, name: str) -> bool:
    """The function returns the object, or its state: the caller can go on with that."""
    for call in body.of(Call):
        if call.name in _HANDED_BACK and name in [dotted(arg.value) for arg in call.node.args]:
            return True
    for node in walk(body.function.node, into_functions=False):
        if isinstance(node, cst.Return) and node.value is not None and _gives(body, node, name):
            return True
    return any(isinstance(n, cst.Name) and n.value == name for n in _renamed(body))


def _gives(body: Body, returned: cst.Return, name: str) -> bool:
    above = parents(returned)
    for part in walk(returned):
        if isinstance(part, cst.Name) and part.value == name:
            outer = above.get(id(part))
            call = body.call_of(above.get(id(outer))) if isinstance(outer, cst.Arg) else None
            number = call is not None and (call.callee.via or call.result.kind is Kind.ARRAY)
            if not number and not isinstance(outer, cst.Call | cst.Attribute):
                return True
    return False


def _renamed(body: Body) -> Iterator[cst.CSTNode]:
    """`new = model`: what becomes of it is not followed."""
    for node in walk(body.function.node):
        if isinstance(node, cst.Assign):
            yield node.value


def _fix(body: Body) -> Rewrite | None:
    nnx, node = module_alias(body, "flax.nnx"), body.function.node
    plain = f"{module_alias(body, 'jax')}.jit"
    if nnx == "flax.nnx" or not isinstance(node, cst.FunctionDef):
        return None
    for decorator in node.decorators:
        if dotted(decorator.decorator) == plain:
            return Rewrite(f"use `{nnx}.jit`", (Change(decorator.decorator, f"{nnx}.jit"),))
    return None
