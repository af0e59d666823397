from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported, once
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import children, dotted
from gotcha_lint.analysis.values import Value
from gotcha_lint.facts.environment import STARTS_BACKEND
from gotcha_lint.facts.options import INITIALIZE, IS_INITIALIZED, READ_AT_START, UPDATES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.backend import AT_IMPORT
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.started import backend_starts
from gotcha_lint.rule import Example, Foreseen, Report, Rule, text_of
from gotcha_lint.solve.programs import Programs

_JOINS, _RAISES = "`jax.distributed.initialize`", "raises RuntimeError"


class _Late(NamedTuple):
    call: Call
    what: str
    effect: str


class BackendStartedTooEarly(Rule):
    """Starts JAX's backend before `jax.distributed.initialize` or a setting that it reads.

    ## What happens
    `RuntimeError: jax.distributed.initialize() must be called before any JAX calls that might
    initialise the XLA backend.` An array or a key at the top of the module starts it, and so does a
    question like `jax.process_count()` or `jax.devices()`, also where it decides whether to
    initialize. On one machine, without initialization, it is not seen. `jax_num_cpu_devices` raises
    a `RuntimeError` as well; `jax_platforms` does nothing any more.

    ## Instead
    Initialize first; ask, make arrays and keys after that, inside functions. At the top of a module
    use numpy.

    ## Not reported
    Calls behind `jax.distributed.is_initialized()`; starts that may not come about; tests. With
    `--all`: modules that start the backend while they are imported, where nothing that is seen
    initializes after that.

    ## In a run
    The `RuntimeError` itself.

    ## The price
    An error, or a setting without effect.
    """

    severity = "error"
    preview = True
    roots = frozenset({"initialize", *READ_AT_START})
    examples = (
        Example(
            bad="""
                import jax

                if jax.device_count() < 4:
                    jax.config.update("jax_num_cpu_devices", 4)  # ! backend-started-too-early
                devices = jax.devices()
            """,
            good="""
                import jax

                devices = jax.devices()
            """,
            unseen="the process in which the examples run has as many devices already",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                SCALE = jnp.ones(3)


                def main():
                    jax.distributed.initialize()  # ! backend-started-too-early
            """,
            good="""
                import jax
                import numpy as np

                SCALE = np.ones(3)


                def main():
                    jax.distributed.initialize()
            """,
            unseen="JAX has started in the process in which the examples run",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, effect in sorted(programs.effects[AT_IMPORT].items(), key=lambda item: item[0]):
            if is_test(place[0]):
                continue
            late, *calls = effect.origins
            if effect.maybe:
                says, role = "comes too late in a program that imports it", "imported here"
            else:
                says, role = f"{_RAISES} after it", "too late here"
            yield Foreseen(
                place,
                f"the import of this module starts JAX's backend, so {_JOINS} {says}: make arrays "
                "and keys, and ask for devices, in functions",
                (*((*at, "called here") for at in calls), (*late, role)),
                certain=not effect.maybe,
            )

    def check(self, site: Body) -> Iterator[Report]:
        if site.trace is not None or is_test(site.model.path):
            return
        late = [one for one in _late(site) if not expected_to_fail(site, one.call.node)]
        starts = _starts(site) if late else []
        for one in late:
            early = next((start for start in starts if start.at.surely_before(one.call.at)), None)
            if early is not None:
                yield _report(one.call.node, one.what, one.effect, early.node)
        if site.function.number == 0:
            yield from _in_functions(site)


def _report(node: cst.CSTNode, what: str, effect: str, early: cst.Call) -> Report:
    return Report(
        node,
        f"{what} {effect}: `{text_of(early.func)}` has started the backend; do it before",
        places=((early, "starts the backend"),),
    )


def _late(body: Body) -> Iterator[_Late]:
    for call in body.of(Call):
        if any(IS_INITIALIZED in text_of(guard.test) for guard in call.at.guards):
            continue
        if call.name == INITIALIZE:
            yield _Late(call, _JOINS, _RAISES)
        elif call.name in UPDATES and call.args:
            option = call.args[0].literal
            if option in READ_AT_START:
                yield _Late(call, f"`{option}`", READ_AT_START[option])
        elif body.function.number and _reaches(body, call.callee, {INITIALIZE}):
            name = text_of(call.node.func)
            yield _Late(call, f"{_JOINS} in `{name}`", _RAISES)


def _starts(body: Body) -> list[Call]:
    found = {id(call): call for call in backend_starts(body)}
    for call in body.of(Call):
        if not call.decorator and _reaches(body, call.callee, STARTS_BACKEND):
            found[id(call)] = call
    return sorted(found.values(), key=lambda call: call.at.order)


def _in_functions(module: Body) -> Iterator[Report]:
    """Functions that initialize, of a module that has started the backend when they can be called.

    A function that the module calls further up may have run before.
    """
    starts = [call for call in _starts(module) if not call.at.guards]
    project = module.project
    if not starts or project is None or _calls_before(module, starts[0]):
        return
    for function in module.model.functions[1:]:
        if isinstance(function.node, cst.Lambda) or IS_INITIALIZED in text_of(function.node):
            continue
        for call in _calls_of(function.node, sure=False):
            if _canonical(project, function, call.func) == INITIALIZE:
                yield _report(call, _JOINS, _RAISES, starts[0].node)


def _calls_before(module: Body, first: Call) -> bool:
    return any(call.callee.targets and call.at.order < first.at.order for call in module.of(Call))


_DEEP = 3
# A call under one of these may not come about, or not yet.
_UNSURE = (cst.If, cst.Try, cst.For, cst.While, cst.IfExp, cst.FunctionDef, cst.Lambda, cst.Match)
_LATER = (cst.FunctionDef, cst.Lambda)


def _reaches(body: Body, value: Value, names: Collection[str]) -> cst.Call | None:
    """A call of one of these names that a call of this function certainly comes to."""
    if value.via or len(value.targets) != 1 or body.project is None:
        return None
    path, number = next(iter(value.targets))
    if path != body.model.path:
        return None
    return _within(body.project, body.model.functions[number], names, _DEEP)


def _within(
    project: Project, function: Function, names: Collection[str], deep: int
) -> cst.Call | None:
    for call in _sure(function):
        if _canonical(project, function, call.func) in names:
            return call
        inner = _local(function, call.func)
        if inner is not None and deep and _within(project, inner, names, deep - 1) is not None:
            return call
    return None


@once
def _sure(function: Function) -> list[cst.Call]:
    return list(_calls_of(function.node, sure=True))


def _calls_of(root: cst.CSTNode, *, sure: bool) -> Iterator[cst.Call]:
    """The calls in a function's own body; `sure`: only those that are not under a condition."""
    stack = list(reversed(children(root)))
    while stack:
        node = stack.pop()
        if type(node) is cst.Call:
            yield node
        if type(node) is cst.If and sure:
            stack.append(node.test)
        elif node.__class__ not in (_UNSURE if sure else _LATER):
            stack.extend(reversed(children(node)))


def _canonical(project: Project, function: Function, func: cst.CSTNode) -> str:
    """The qualified name of what is called, where it is imported."""
    name = dotted(func) or ""
    head, dot, tail = name.partition(".")
    hows = lookup(function.scope, name) or []
    imported = next((how for how in hows if isinstance(how, Imported)), "")
    return project.facts.canonical(f"{imported}{dot}{tail}") if imported and head else ""


def _local(function: Function, func: cst.CSTNode) -> Function | None:
    hows = lookup(function.scope, dotted(func) or "") or []
    found = hows[0] if len(hows) == 1 else None
    return found if isinstance(found, Function) else None
