from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.methods import is_stateless
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import FRESH, Kind
from gotcha_lint.facts.optax import RUNS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.places import long_loops
from gotcha_lint.rule import Example, Report, Rule

_NNX = "flax.nnx.Optimizer"
_INIT, _UPDATE = "optax.GradientTransformation.init", "optax.GradientTransformation.update"


class OptimizerReinitialised(Rule):
    """Makes a new optimizer state for every update, in the step itself or in the training loop.

    ## What happens
    Nothing fails, but momentum, second moments and the schedule's step counter are zero at every
    update. With a warm-up the learning rate stays 0 and nothing is learned: a loss of 4.03 where
    the same run with a kept state reached 0.0000.

    ## Instead
    Call `tx.init(params)` once, before the loop, and carry the state: take it as an argument of the
    step and return the new one.

    ## Not reported
    An optimizer restarted for an inner problem that takes more than one step, or for each run,
    task or client; plain gradient descent, which has no state.
    """

    severity = "error"
    roots = frozenset({"optax"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(optax.linear_schedule(0.0, 0.1, 10))


                @jax.jit
                def step(w):
                    opt_state = tx.init(w)  # ! optimizer-reinitialised
                    updates, opt_state = tx.update(2 * w, opt_state, w)
                    return optax.apply_updates(w, updates)


                w = jnp.ones(3)
                for _ in range(20):
                    w = step(w)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(optax.linear_schedule(0.0, 0.1, 10))


                @jax.jit
                def step(w, opt_state):
                    updates, opt_state = tx.update(2 * w, opt_state, w)
                    return optax.apply_updates(w, updates), opt_state


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for _ in range(20):
                    w, opt_state = step(w, opt_state)
            """,
            shows="bool((w == 1.0).all())",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if is_test(site.body.model.path):
            return
        if _makes_optimizer(site):
            yield from _whole_optimizer(site)
        elif _makes_state(site):
            yield from _state(site)


def _makes_state(site: Call) -> bool:
    """`tx.init(params)`, or a function of the project that gives back what this gives."""
    if site.name == _INIT:
        return site.base is None or not is_stateless(site.base)
    return site.result.of == FRESH and bool(site.callee.targets) and not site.result.maybe


def _makes_optimizer(site: Call) -> bool:
    """`nnx.Optimizer(model, tx)` holds its state; a function may make it."""
    made = site.result.kind is Kind.OBJECT and site.result.of == _NNX and not site.result.maybe
    return made and (site.name == _NNX or bool(site.callee.targets))


def _state(site: Call) -> Iterator[Report]:
    loops = long_loops(site)
    step = not loops and (site.body.trace is not None or bool(site.body.hot))
    if not loops and not step:
        return
    again = "iteration of this loop" if loops else "step"
    name = _assigned(site)
    if name is not None:
        update = _only_update(site, name) or (_own_step(site, name) if loops else None)
    else:
        update = _given_to(site)
    if update is None or update.at.loops != site.at.loops:
        return
    yield Report(
        site.node,
        f"{f'`{name}`' if name else 'the state'} is initialised again in each {again}: moments and "
        "schedule start from zero",
        places=((update.node, "the only update it gets"),),
        why_traced=step and site.body.trace is not None,
        why_hot=step and site.body.trace is None,
    )


def _whole_optimizer(site: Call) -> Iterator[Report]:
    name = _assigned(site)
    if not long_loops(site) or name is None or not site.body.eager:
        return
    update = _own_step(site, name)
    if update is not None and update.at.loops == site.at.loops:
        yield Report(
            site.node,
            f"`{name}` is initialised again in each iteration of this loop: moments and schedule "
            "start from zero",
            places=((update.node, "the only update it makes"),),
        )


def _assigned(site: Call) -> str | None:
    """The one name that the new state is bound to, and nothing else ever is before the update."""
    statement = site.at.statement
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    assign = statement.body[0]
    if not isinstance(assign, cst.Assign) or assign.value is not site.node:
        return None
    names = {dotted(target.target) for target in assign.targets}
    return names.pop() if len(names) == 1 else None


def _only_update(site: Call, name: str) -> Call | None:
    """The update of this state in the same function, if there is one, and the state is not kept."""
    updates = [
        call
        for call in site.body.of(Call)
        if call.name == _UPDATE and dotted(call.arg_node(1, "state")) == name
    ]
    binds = [bind for bind in site.body.of(Bind) if bind.name == name]
    known = all(bind.at.loops == site.at.loops and bind.at.order >= site.at.order for bind in binds)
    guarded = site.at.guards and not (updates and updates[0].at.guards == site.at.guards)
    return updates[0] if len(updates) == 1 and known and "." not in name and not guarded else None


def _given_to(site: Call) -> Call | None:
    """`tx.update(grads, tx.init(params), params)`, or an own step that is given the new state."""
    for call in site.body.of(Call):
        if any(arg.value is site.node for arg in call.node.args):
            if call.name == _UPDATE:
                return call if call.arg_node(1, "state") is site.node else None
            hosted = site.body.trace is None
            step = hosted and _is_step(call, site.node)
            return call if step and _carried(site, call) else None
    return None


def _own_step(site: Call, name: str) -> Call | None:
    """The one call in the same loop that is given the new state, if it makes one step."""
    loop = site.at.loops[-1]
    if site.at.guards or any(word in n for n in loop.names for word in RUNS):
        return None
    calls = [
        (call, arg.value)
        for call in site.body.of(Call)
        for arg in call.node.args
        if loop in call.at.loops and dotted(arg.value) == name
    ]
    if len(calls) != 1:
        return None
    call, given = calls[0]
    if call.at.guards or call.at.order < site.at.order or not _is_step(call, given):
        return None
    kept = _model_stays(site, call) if _makes_optimizer(site) else _carried(site, call)
    return call if kept else None


def _is_step(call: Call, state: cst.CSTNode) -> bool:
    """One function of the project that makes one update with this state, or whose name says so."""
    if len(call.callee.targets) != 1 or call.body.project is None:
        return False
    if filled_by(call, state) in call.body.usage.updated:
        return True
    function = call.body.project.function(next(iter(call.callee.targets)))
    return function.name.lower().strip("_").split("_")[-1] in ("step", "update", "learn")


def _model_stays(site: Call, step: Call) -> bool:
    """The step changes a model in place that was there before the loop."""
    first = site.node.args[0].value if site.node.args else None
    given = {name} if first is not None and (name := dotted(first)) else set[str]()
    passed = {dotted(arg.value) for arg in step.node.args}
    lines = [n for n in walk(site.at.loops[-1].node) if isinstance(n, cst.SimpleStatementLine)]
    return bool(given & passed) and not any(_touches(given, _targets(line)) for line in lines)


def _carried(site: Call, step: Call) -> bool:
    """The parameters come out of the step, and nothing else sets them in the loop."""
    parts = [arg.value for arg in site.node.args]
    if site.callee.self_ and isinstance(site.node.func, cst.Attribute):
        parts.append(site.node.func.value)  # `self.fresh_state()`
    given = {name for part in parts for name in _dotted_names(part)}
    mine = step.at.statement
    if not _touches(given, _targets(mine)):
        return False
    loops = site.at.loops
    if not loops:
        return True
    lines = [n for n in walk(loops[-1].node) if isinstance(n, cst.SimpleStatementLine)]
    made = site.at.statement
    return not any(_touches(given, _targets(line)) for line in lines if line not in (mine, made))


def _touches(names: set[str], targets: set[str]) -> bool:
    """One of the targets is one of the names, or a part of it: `self.params` of `self`."""
    return any(
        target == name or target.startswith(f"{name}.") for target in targets for name in names
    )


def _dotted_names(node: cst.CSTNode) -> Iterator[str]:
    """`self.params` and `model` of `filter(model, is_array)`."""
    if isinstance(node, cst.Call):
        for arg in node.args:
            yield from _dotted_names(arg.value)
    elif (name := dotted(node)) is not None:
        yield name


def _targets(line: cst.CSTNode) -> set[str]:
    found: set[str] = set()
    for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        if isinstance(small, cst.Assign):
            for target in small.targets:
                whole = target.target
                parts = whole.elements if isinstance(whole, cst.Tuple | cst.List) else ()
                names = [dotted(part.value) for part in parts] or [dotted(whole)]
                found |= {name for name in names if name}
    return found
