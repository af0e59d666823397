from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import right_side
from gotcha_lint.analysis.model import Function, Imported
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Bind, Body, Call, Return
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, literal, names_in, target_names, walk
from gotcha_lint.analysis.values import OPTIMIZER, Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.sharding import COLLECTIVES, LOCAL, SUMS
from gotcha_lint.facts.updates import STATE_UPDATES
from gotcha_lint.interpret.faults.computed import UNREDUCED
from gotcha_lint.queries.returned import function_of, resolved
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.solve.programs import Programs


class GradientsNotReduced(Rule):
    """Trains on each device with gradients that no device has summed or averaged.

    ## What happens
    `out_specs=P()` promises that all devices return the same, and with `check_vma=False` nothing
    looks: the result is what the first device has, the gradient of its own part of the batch. Below
    it moves the weight to 0.5 instead of -2.5. A `pmean` of the loss, inside of the differentiated
    function, does not help there: the gradient of each device stays its own. Under `jax.pmap` each
    device gives its gradient to its own optimizer: there are as many models as devices, each
    trained on its part of the data, and whoever takes the first one throws the others away.

    ## Instead
    `grads = jax.lax.pmean(grads, "data")`. Or keep the check, and average the loss: `shard_map`
    then reduces the gradient itself.

    ## Not reported
    Under `pmap`: steps without an axis name, which may be meant to train several models; steps in
    which any function exchanges anything. Under `shard_map`: specs that are not written out;
    gradients that are given to other functions, which may reduce them, or to an optimizer of which
    not all parts are known; losses of other files; tests.

    ## In a run
    Nothing: on each device the numbers are right.

    ## References
    https://docs.jax.dev/en/latest/301/sharding-ad.html
    """

    severity = "error"
    preview = True
    roots = frozenset({"shard_map", "pmap"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jnp.mean(w * x)


                def step(w, x):
                    grads = jax.grad(loss)(w, x)  # ! gradients-not-reduced
                    return w - grads


                ins = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=ins, out_specs=P(), check_vma=False)
                w = run(1.0, jnp.arange(8.0))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from jax.sharding import AxisType, PartitionSpec as P

                mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


                def loss(w, x):
                    return jnp.mean(w * x)


                def step(w, x):
                    grads = jax.lax.pmean(jax.grad(loss)(w, x), "data")
                    return w - grads


                ins = (P(), P("data"))
                run = jax.shard_map(step, mesh=mesh, in_specs=ins, out_specs=P(), check_vma=False)
                w = run(1.0, jnp.arange(8.0))
            """,
            shows="bool(w > 0)",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        given, function = _sharding(site), site.function
        if given is None or not given.unchecked or not given.gives_replicated:
            return
        if is_test(site.model.path):
            return
        for call in _unreduced(site, given.replicated(function), given.split(function)):
            yield Report(
                call.node,
                "nothing sums these gradients over the devices, and with `check_vma=False` "
                "`out_specs=P()` returns those of the first device",
                places=((given.call, "not checked here"),),
            )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNREDUCED):
            yield Foreseen(
                (fault.path, fault.span),
                "each device gives these gradients to its own optimizer: the axis of `pmap` has a "
                "name, and nothing averages over it; `grads = jax.lax.pmean(grads, axis_name)`",
                fault.places,
                fault.certain,
            )


def _unreduced(body: Body, replicated: set[str], split: set[str]) -> Iterator[Call]:
    """The calls that take gradients by replicated parameters, of losses of a part of the data,
    which are returned as each device has them."""
    for call in body.of(Call):
        if not call.starred and [via.name in GRADS for via in call.callee.via] == [True]:
            gradients = _Gradients(call)
            if gradients.are_of(replicated, split) and gradients.stay():
                yield call


class _Gradients:
    """What one call gives, and the names that hold it."""

    def __init__(self, call: Call) -> None:
        self.call, self.body = call, call.body
        self.loss = function_of(call.body, call.callee._replace(via=()))
        self.names = frozenset(_names(call))

    def are_of(self, replicated: set[str], split: set[str]) -> bool:
        """By these parameters, and of a loss that is given those, or captures them."""
        if self.loss is None or self.call.at.loops:
            return False
        wrt = {self._root(self.call.arg_node(place)) for place in self.call.callee.via[0].wrt}
        captured = [cst.Name(name) for name in self.loss.captured]
        used = self._made_of(self.call, *self.call.node.args, *captured)
        return bool(wrt) and wrt <= replicated and bool(used & split)

    def _root(self, node: cst.CSTNode | None) -> str:
        """`state` of `state.params`, and of `params` after `params, opt_state = state`."""
        name = (dotted(node) or "").partition(".")[0]
        binds = self._binds(name, self.call.at.order)
        if not binds:
            return name
        return self._root(_source(binds[0])) if len(binds) == 1 else ""

    def stay(self) -> bool:
        """They are returned, nothing sums them, and nobody is given them who may."""
        if self._sums_elsewhere():
            return False
        calls = [call for call in self.body.of(Call) if call is not self.call]
        given = [call for call in calls if self._reach(call, *call.node.args, *_owner(call))]
        returned = any(self._reach(site, site.node) for site in self.body.of(Return))
        return returned and all(map(_is_local, given))

    def _reach(self, site: Call | Return, *nodes: cst.CSTNode) -> bool:
        """One of the nodes is made of them."""
        if any(part is self.call.node for node in nodes for part in walk(node)):
            return True
        return self.call.at.order < site.at.order and bool(self.names & self._made_of(site, *nodes))

    def _made_of(self, site: Call | Return, *nodes: cst.CSTNode) -> set[str]:
        """The names in these, and those that they were made of until then."""
        found, seen = set[str](), set[int]()
        stack = [(node, site.at.order) for node in nodes]
        while stack:
            node, order = stack.pop()
            for name in names_in(node):
                found.add(name)
                for bind in self._binds(name, order):
                    source = _source(bind)
                    if source is not None and bind.at.order not in seen:
                        seen.add(bind.at.order)
                        stack.append((source, bind.at.order))
        return found

    def _binds(self, name: str, order: int) -> list[Bind]:
        return [b for b in self.body.of(Bind) if b.name == name and b.at.order < order]

    def _sums_elsewhere(self) -> bool:
        """Inner functions exchange something, or the loss more than its sum."""
        loss = _collectives(self.loss.node) if self.loss else []
        called = [name for call in self.body.of(Call) for name in _collectives(call.node.func)]
        known = {id(name) for name in (*called, *loss)}
        inner = (name for name in _collectives(self.body.function.node) if id(name) not in known)
        return any(name.value not in SUMS for name in loss) or next(inner, None) is not None


def _collectives(node: cst.CSTNode) -> list[cst.Name]:
    return [n for n in walk(node) if isinstance(n, cst.Name) and n.value in COLLECTIVES]


def _source(bind: Bind) -> cst.CSTNode | None:
    return bind.source or right_side(bind.at.statement)


def _names(call: Call) -> Iterator[str]:
    """`grads` of `loss, grads = jax.value_and_grad(f)(w)`."""
    line = call.at.statement
    for part in line.body if isinstance(line, cst.SimpleStatementLine) else ():
        if isinstance(part, cst.Assign) and part.value is call.node:
            target = part.targets[0].target
            if isinstance(target, cst.Tuple) and call.callee.via[0].name == "value_and_grad":
                target = target.elements[-1].value
            yield from (name.value for name in target_names(target))


def _owner(call: Call) -> list[cst.CSTNode]:
    """`grads` of `grads.get(x)`."""
    return [call.node.func.value] if isinstance(call.node.func, cst.Attribute) else []


def _is_local(call: Call) -> bool:
    """It changes nothing between devices."""
    name, last = call.name, call.name.rpartition(".")[2]
    if last in COLLECTIVES or call.decorator:
        return False
    if name == f"{OPTIMIZER}.update":
        made = call.base.literal if call.base and not call.base.maybe else None
        return isinstance(made, frozenset) and "optax.stateless" not in made
    if name == "jax.tree.map":
        given = call.args[0].kind if call.args else Kind.UNKNOWN
        return given is Kind.NAMED or isinstance(call.arg_node(0, "f"), cst.Lambda)
    if call.callee.kind is Kind.CLASS or last in STATE_UPDATES - {"apply_gradients"}:
        return True
    return name.startswith(LOCAL) and call.body.fact(call).transform is None


_CHECKS = ("check_vma", "check_rep")


class _Sharding(NamedTuple):
    """The call of `shard_map`, or of `partial` with it, and the function that it is written in."""

    call: cst.Call
    inside: Function

    @property
    def unchecked(self) -> bool:
        return any(literal(self._given(name)) is False for name in _CHECKS)

    @property
    def gives_replicated(self) -> bool:
        """All that it returns is said to be the same on every device."""
        return self._replicated(self._given("out_specs"))

    def replicated(self, function: Function) -> set[str]:
        """The parameters that are the same on every device."""
        return {name for name, spec in self._specs(function).items() if self._replicated(spec)}

    def split(self, function: Function) -> set[str]:
        """The parameters of which every device has a part."""
        return {name for name, spec in self._specs(function).items() if self._names_axis(spec)}

    def _given(self, name: str) -> cst.CSTNode | None:
        args = (arg.value for arg in self.call.args if arg.keyword and arg.keyword.value == name)
        return self._read(next(args, None))

    def _specs(self, function: Function) -> dict[str, cst.CSTNode | None]:
        specs = self._given("in_specs")
        elements = specs.elements if isinstance(specs, cst.Tuple) else ()
        names = (param.name for param in function.params)
        return dict(zip(names, (self._read(each.value) for each in elements), strict=False))

    def _replicated(self, node: cst.CSTNode | None) -> bool:
        """`P()`, or a tuple of nothing else."""
        if isinstance(node, cst.Tuple):
            return all(self._replicated(self._read(each.value)) for each in node.elements)
        return isinstance(node, cst.Call) and self._is_spec(node) and not node.args

    def _names_axis(self, node: cst.CSTNode | None) -> bool:
        """`P("data")`."""
        args = node.args if isinstance(node, cst.Call) and self._is_spec(node) else ()
        return any(isinstance(literal(arg.value), str) for arg in args)

    def _is_spec(self, node: cst.Call) -> bool:
        name = dotted(node.func) or ""
        hows = lookup(self.inside.scope, name) or []
        tail = name.rpartition(".")[2] if "." in name else ""
        ends = (f"{how}.{tail}".rstrip(".") for how in hows if isinstance(how, Imported))
        return any(end.endswith(".PartitionSpec") for end in ends)

    def _read(self, node: cst.CSTNode | None) -> cst.CSTNode | None:
        return _meant(self.inside, node)


def _sharding(body: Body) -> _Sharding | None:
    """That of a function which is given to `shard_map` itself, in its own file."""
    trace, model = body.trace, body.model
    if trace is None or not trace.direct or trace.soft:
        return None
    (path, number), how = trace.chain[-1]
    if not how.startswith("shard_map ") or path != model.path or number < 0:
        return None
    node = model.node(number)
    inside = _around(body, model.stand_ins.get(id(node), node))
    call = _meant(inside, node)
    return _Sharding(call, inside) if isinstance(call, cst.Call) else None


def _around(body: Body, node: cst.CSTNode) -> Function:
    """The innermost function that holds a node."""
    functions = reversed(body.model.functions)
    holding = (one for one in functions if any(part is node for part in walk(one.node)))
    return next(holding, body.model.module)


def _meant(function: Function | None, node: cst.CSTNode | None) -> cst.CSTNode | None:
    """What a name that is assigned once stands for, in this function or one around it."""
    if not isinstance(node, cst.Name):
        return node
    owner = function.scope.owner(node.value) if function is not None else None
    value = resolved(owner.function, node) if owner is not None else node
    return value if owner is None or value is node else _meant(owner.function, value)
