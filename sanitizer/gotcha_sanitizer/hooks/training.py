"""What the arguments of a jitted step are, call by call: for `training=1`, and for `guard=N`.

A call on JAX's fast path shows its arguments to no hook. So the lines that make such calls are
traced, as a debugger does it (`sys.settrace`), and the arguments are read by their names before
the line runs. The first 64 calls are looked at, later ones ever more rarely. It waits for the
device at these, and evaluates the step a second time at a few: for short runs that ask for it.
"""

from __future__ import annotations

import ast
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType, FrameType, MethodType
from typing import Any

from gotcha_sanitizer.explain.call_text import MISSING, Statement, statement, value
from gotcha_sanitizer.frames import loop_around, owner
from gotcha_sanitizer.hooks import Context, internals, private, stack
from gotcha_sanitizer.hooks.filtered import filtered
from gotcha_sanitizer.hooks.jaxpr.flow import flow
from gotcha_sanitizer.hooks.jaxpr.jaxprs import labels as labels_of
from gotcha_sanitizer.hooks.jaxpr.jaxprs import opened
from gotcha_sanitizer.hooks.jaxpr.observe import Observer
from gotcha_sanitizer.hooks.other_keys import another, is_key
from gotcha_sanitizer.hooks.summaries import copied, drifts, is_updated_in_place, leaf_of, leaves
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.training import Flow, Leaf, Look, Observed

_AT_FIRST = 64  # calls that are all looked at
_LATER = 1.25  # by which the number of a call grows from look to look
_OBSERVED = 12  # looks with a second evaluation
_PLACES = 32

# Told of the arguments of a call by their parameters: those whose values the line names.
Given = Callable[[str, int, dict[str, Any]], None]  # the function, the number of the call
listeners: list[Given] = []


@dataclass
class _Argument:
    """One argument of a call that is to come."""

    name: str  # of the parameter
    text: str  # as the call has it
    leaves: dict[str, Leaf]
    in_place: bool


@dataclass
class _Pending:
    """A call whose line runs."""

    place: _Place
    arguments: list[_Argument]
    drifting: tuple[str, ...]
    observed: tuple[Observed, ...]
    stood_in: tuple[str, ...]


@dataclass
class _Place:
    """A statement that calls a jitted function, and what is known of that."""

    code: CodeType
    statement: Statement
    call: ast.Call
    site: Site
    function: str
    parameters: list[str]
    observer: Observer
    trains: bool
    given: dict[str, list[Any]]  # by parameter: the arrays of the call that was traced, copied
    number: int = 0  # of the next call
    due: float = 0.0  # the number of the next look
    looks: int = 0
    waiting: dict[int, _Pending | None] = field(default_factory=dict)  # by the frame's identity


class Training:
    def __init__(self, context: Context) -> None:
        self.context = context
        self._places: dict[int, dict[int, _Place]] = {}  # by code, by line
        self._jitted = internals.jitted_type(context.jax)
        self._looks = context.options.training
        self._kept: list[CodeType] = []  # their identities stay theirs
        self._installed = False

    def traced(self, jaxpr: Any, function: str, site: Site | None) -> None:
        """A function of the user's was traced for a call: its next calls are looked at."""
        call = stack.find(sys._getframe(1), private.CALL)
        jitted = internals.call(call)
        named = self._named_arguments(jitted) if jitted is not None else {}
        trains = self._looks and self._tell_flow(jaxpr, function, site, named)
        if threading.current_thread() is not threading.main_thread():
            return
        frame = call.f_back if call is not None else None
        while frame is not None and owner(frame.f_code.co_filename) != "user":
            frame = frame.f_back
        if frame is None:
            return
        here = statement(frame.f_code.co_filename, frame.f_lineno)
        if here is None or jitted is None or len(self._kept) >= _PLACES:
            return
        node = self._call(here, frame, jitted.fun)
        if node is None:
            return
        lines = self._places.setdefault(id(frame.f_code), {})
        before = lines.get(here.first)
        place = _Place(
            code=frame.f_code,
            statement=here,
            call=node,
            site=Site(frame.f_code.co_filename, here.first, frame.f_code.co_qualname),
            function=function,
            parameters=list(named),
            observer=Observer(self.context.jax, jaxpr),
            trains=trains,
            given={
                name: [copied(leaf) for _, leaf in leaves(self.context.jax, tree)]
                for name, tree in named.items()
                if self._looks
            },
        )
        if before is not None and before.function == function:  # traced again: the count goes on
            before.observer, before.trains = place.observer, place.trains
            return
        lines[here.first] = place
        self._kept.append(frame.f_code)
        self._trace(frame)
        place.waiting[id(frame)] = self._comes(place, frame, first=True)

    def _tell_flow(
        self, jaxpr: Any, function: str, site: Site | None, named: dict[str, Any]
    ) -> bool:
        """What the program makes of its arguments; True where it trains some."""
        found = flow(jaxpr, self.context.now(), function, site)
        found = self._as_the_user_wrote(found, jaxpr, named)
        self.context.emit(found)
        return found.trains

    def _call(self, here: Statement, frame: FrameType, fun: Any) -> ast.Call | None:
        """The call of the statement that made JAX trace: by its function, else the outermost."""
        base = internals.jitted_function(internals.mapped(fun))
        for node in here.calls:
            called = value(node.func, frame.f_locals, frame.f_globals)
            if called is not MISSING and internals.jitted_function(called) is base:
                return node
        return next((node for node in here.calls if node.args), None)

    def _named_arguments(self, call: internals.Call) -> dict[str, Any]:
        """The arguments by parameter, in the order in which JAX flattens them.

        They also stand for arguments that have no name, as `next(data)`, in the evaluation.
        """
        seen = filtered(self.context.jax, call)
        if seen is not None:  # Equinox packs them
            return dict(seen.args) | dict(seen.kwargs)
        names = parameters(call.fun)
        held = {
            names[i] if i < len(names) else f"args[{i}]": each for i, each in enumerate(call.args)
        }
        return held | dict(sorted(call.kwargs.items()))

    def _as_the_user_wrote(self, found: Flow, jaxpr: Any, named: dict[str, Any]) -> Flow:
        """With the names that the looks have, where the arguments are those of the program."""
        core, _ = opened(jaxpr)
        labels, _ = labels_of(jaxpr)
        pairs = [
            (f"{name}{path}", leaf)
            for name, tree in named.items()
            for path, leaf in leaves(self.context.jax, tree)
        ]
        arrays = [(name, leaf) for name, leaf in pairs if hasattr(leaf, "dtype")]
        for each in (pairs, arrays):
            shapes = [tuple(getattr(leaf, "shape", ())) for _, leaf in each]
            if shapes == [tuple(var.aval.shape) for var in core.invars]:
                new = dict(zip(labels, (name for name, _ in each), strict=True))
                return replace(
                    found,
                    unused=tuple(new.get(name, name) for name in found.unused),
                    kept=tuple(new.get(name, name) for name in found.kept),
                    draws=tuple(new.get(name, name) for name in found.draws),
                    cut={new.get(name, name): why for name, why in found.cut.items()},
                )
        return found

    def _trace(self, frame: FrameType) -> None:
        if not self._installed:
            if sys.gettrace() is not None:
                self.context.degraded(
                    "training" if self._looks else "guard: later calls",
                    "a debugger or a coverage tool traces this run",
                )
                return
            sys.settrace(self._global)
            self._installed = True
        if frame.f_trace is None:
            frame.f_trace = self._local

    def _global(self, frame: FrameType, event: str, _: Any) -> Any:
        return self._local if id(frame.f_code) in self._places else None

    def _local(self, frame: FrameType, event: str, given: Any) -> Any:
        if event in ("line", "return"):
            self.context.guard("training", self._passes, frame, event, given)
        return self._local

    def _passes(self, frame: FrameType, event: str, given: Any) -> None:
        lines = self._places.get(id(frame.f_code), {})
        for place in list(lines.values()):
            first, last = place.statement.first, place.statement.last
            inside = event == "line" and first < frame.f_lineno <= last
            if id(frame) in place.waiting and not inside:
                pending = place.waiting.pop(id(frame))
                if pending is not None:
                    self._over(pending, frame, given if event == "return" else MISSING)
        place = lines.get(frame.f_lineno) if event == "line" else None
        if place is not None and id(frame) not in place.waiting:
            place.waiting[id(frame)] = self._comes(place, frame)

    # -- before the call ---------------------------------------------------------------------------

    def _comes(self, place: _Place, frame: FrameType, first: bool = False) -> _Pending | None:
        number, place.number = place.number, place.number + 1
        if number >= _AT_FIRST and number < place.due:
            return None
        place.due = max(number + 1, number * _LATER)
        if listeners and not first:
            given = self._values(place, frame)
            for told in listeners:
                told(place.function, number, given)
        if not self._looks:
            return None
        found = [self._argument(place, i, node, frame) for i, node in enumerate(place.call.args)]
        found += [
            self._named(keyword.arg or "", keyword.value, frame) for keyword in place.call.keywords
        ]
        known = [each for each in found if each is not None]
        if not any(argument.leaves for argument, _ in known):
            return None
        observed: tuple[Observed, ...] = ()
        given = {argument.name: held for argument, held in known}
        unseen = {name: held for name, held in place.given.items() if name not in given}
        if place.looks < _OBSERVED and not first:
            now = self._stand_ins(place) | given
            observed = self._observe(place, [leaf for held in now.values() for leaf in held])
        place.looks += 1
        stood_in = tuple(name for name, held in unseen.items() if not all(map(is_key, held)))
        drifting = tuple(
            f"{argument.name}{path}"
            for argument, held in known
            for path, leaf in zip(argument.leaves, held, strict=False)
            if hasattr(leaf, "sharding") and drifts(leaf)
        )
        arguments = [argument for argument, _ in known]
        return _Pending(place, arguments, drifting, observed, stood_in)

    def _values(self, place: _Place, frame: FrameType) -> dict[str, Any]:
        names, found = place.parameters, {}
        for index, node in enumerate(place.call.args):
            if isinstance(node, ast.Starred) or index >= len(names):
                break
            found[names[index]] = value(node, frame.f_locals, frame.f_globals)
        for keyword in place.call.keywords:
            if keyword.arg:
                found[keyword.arg] = value(keyword.value, frame.f_locals, frame.f_globals)
        return {name: held for name, held in found.items() if held is not MISSING}

    def _stand_ins(self, place: _Place) -> dict[str, list[Any]]:
        """The arguments of the first call, with random keys that are others in each look."""
        return {
            name: [another(self.context.jax, leaf, place.looks) for leaf in held]
            for name, held in place.given.items()
        }

    def _argument(
        self, place: _Place, index: int, node: ast.expr, frame: FrameType
    ) -> tuple[_Argument, list[Any]] | None:
        names = place.parameters
        return self._named(names[index] if index < len(names) else f"args[{index}]", node, frame)

    def _named(
        self, name: str, node: ast.expr, frame: FrameType
    ) -> tuple[_Argument, list[Any]] | None:
        held = value(node, frame.f_locals, frame.f_globals)
        if held is MISSING:
            return None
        found: dict[str, Leaf] = {}
        arrays = []
        for path, array in leaves(self.context.jax, held):
            if (leaf := leaf_of(array)) is not None:
                found[path] = leaf
                arrays.append(array)
        argument = _Argument(name, ast.unparse(node), found, is_updated_in_place(held))
        return argument, arrays

    def _observe(self, place: _Place, arrays: list[Any]) -> tuple[Observed, ...]:
        """Only where what is at hand is what the program takes."""
        core, _ = opened(place.observer.jaxpr)
        real = [each for each in arrays if hasattr(each, "dtype")]
        for given in (arrays, real):
            shapes = [tuple(getattr(each, "shape", ())) for each in given]
            if shapes == [tuple(var.aval.shape) for var in core.invars]:
                try:
                    return place.observer(given)
                except Exception as error:  # an operation that runs in its program alone
                    place.looks = _OBSERVED
                    why = f"{type(error).__name__}: {error}"[:200]
                    self.context.degraded("second evaluation", why)
        return ()

    # -- after it ----------------------------------------------------------------------------------

    def _over(self, pending: _Pending, frame: FrameType, returned: Any) -> None:
        place = pending.place
        results = dict(_results(place.statement, frame, returned))
        trees = {name: _types(self._leaves(held)) for name, held in results.items()}
        carried: dict[str, Leaf] = {}
        inputs: dict[str, Leaf] = {}
        for argument in pending.arguments:
            kind = _types(argument.leaves)
            back = argument.text in results or (len(kind) > 1 and kind in trees.values())
            into = carried if back or (argument.in_place and place.trains) else inputs
            for path, leaf in argument.leaves.items():
                into[f"{argument.name}{path}"] = leaf
        texts = {argument.text for argument in pending.arguments}
        numbers = {
            f"{name}{path}": leaf
            for name, held in results.items()
            if name not in texts
            for path, leaf in self._leaves(held).items()
            if leaf.shape == ()
        }
        loop = loop_around(place.site.path, place.site.line)
        self.context.emit(
            Look(
                at=self.context.now(),
                site=place.site,
                function=place.function,
                number=place.number - 1,
                carried=carried,
                inputs=inputs,
                results=numbers,
                drifting=pending.drifting,
                observed=pending.observed,
                stood_in=pending.stood_in,
                loop=Site(place.site.path, loop) if loop else None,
            )
        )

    def _leaves(self, held: Any) -> dict[str, Leaf]:
        found = ((path, leaf_of(array)) for path, array in leaves(self.context.jax, held))
        return {path: leaf for path, leaf in found if leaf is not None}

    def stop(self) -> None:
        if self._installed and sys.gettrace() == self._global:
            sys.settrace(None)
        self._places.clear()


def parameters(fun: Any) -> list[str]:
    base = internals.jitted_function(internals.mapped(fun))
    try:
        names = list(inspect.signature(base).parameters)
    except (TypeError, ValueError):
        return []
    bound = isinstance(fun, MethodType) or isinstance(getattr(fun, "__wrapped__", None), MethodType)
    return names[1:] if bound else names


def _types(found: dict[str, Leaf]) -> tuple[tuple[str, tuple[int, ...], str], ...]:
    return tuple((path, leaf.shape, leaf.dtype) for path, leaf in found.items())


def _results(here: Statement, frame: FrameType, returned: Any) -> Iterator[tuple[str, Any]]:
    """What the call gave, by the text of what it went to."""
    if here.returns:
        parts: Sequence[Any] = returned if isinstance(returned, tuple) else (returned,)
        for index, part in enumerate(parts if returned is not MISSING else ()):
            yield f"result[{index}]", part
    for target in here.targets:
        held = value(target, frame.f_locals, frame.f_globals)
        if held is not MISSING:
            yield ast.unparse(target), held


_running: list[Training] = []


def at_trace_end(context: Context, jaxpr: Any, function: str, site: Site | None) -> None:
    if _running:
        _running[-1].traced(jaxpr, function, site)


def install(context: Context) -> Callable[[], None]:
    if not context.options.training and not context.options.guard:
        return lambda: None
    training = Training(context)
    _running.append(training)

    def uninstall() -> None:
        training.stop()
        _running.remove(training)

    return uninstall
