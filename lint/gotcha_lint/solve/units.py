"""Units: a module and the roots in it, run with the modules that it imports and with no others.

So what a unit shows follows from the texts of these alone, whatever else a project holds; it can be
kept until one of them changes. Modules are run once for all units that import them. A script, which
nothing imports, is run in a layer of its own, which goes when its unit is done. Where a module
changes what another one holds (it registers something there), units that import the other one
without it are run apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gotcha_lint.domain.met import Met, united
from gotcha_lint.domain.sites import Frame
from gotcha_lint.domain.value import Value
from gotcha_lint.facts.user import UserFact
from gotcha_lint.interpret.bindings import may_be_fixed, path_of
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.events import Location
from gotcha_lint.interpret.start import backend
from gotcha_lint.interpret.state import Fields, Layer
from gotcha_lint.program.import_graph import ImportGraph
from gotcha_lint.program.ir import Module
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.solve.names import Names
from gotcha_lint.solve.roots import (
    Segment,
    compiled_names,
    of_import,
    of_roots,
    of_text,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """What a module shows. `failures`: path, root and error of what went wrong."""

    path: str
    segments: list[Segment]
    failures: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class _Imported:
    """What a module shows and leaves when it is run for those that import it."""

    unit: Unit
    layer: Layer
    fields: Fields
    compiled: frozenset[str]  # names of what a transform made
    met: Met  # by it alone


class Running:
    """An engine, the modules that it may run, and those that were run for a group of units.

    It can be used again where some modules have changed: what the others left still holds, and so
    do summaries of their functions.
    """

    def __init__(self) -> None:
        self.engine = Engine({}, ModuleIndex(()))
        self.graph = ImportGraph({})
        self.names: dict[str, Names] = {}
        self.imported: dict[str, _Imported] = {}
        self.clean: dict[str, _Imported] = {}  # those that saw no strangers: good for all groups

    def take(
        self,
        modules: Mapping[str, Module],
        index: ModuleIndex,
        graph: ImportGraph,
        rows: Mapping[str, UserFact],
    ) -> None:
        """These are the modules from now on."""
        old = self.engine.modules
        new = {path for path, module in modules.items() if old.get(path) is not module}
        before, after = self.graph.closures, graph.closures
        for path in list(self.clean):
            if after.get(path) != before[path] or not new.isdisjoint(after[path]):
                del self.clean[path]
        self.names = {
            path: Names(module) if path in new else self.names[path]
            for path, module in modules.items()
        }
        self.engine.take(dict(modules), index, rows)
        self.graph = graph
        self.engine.bindings.rebound.update(
            (path, name)
            for path in new
            for function in modules[path].functions
            for name in function.globals
        )

    def units(self, wanted: Collection[str]) -> Iterator[Unit]:
        """The units of the modules at these paths."""
        groups = [{path for path in wanted if path in self.names}]
        while groups:
            group = groups.pop()
            self._begin(group)
            apart: dict[frozenset[str], set[str]] = {}
            for path in self.graph.order:
                if path not in group:
                    continue
                strangers = self._strangers(path)
                if strangers:
                    apart.setdefault(strangers, set()).add(path)
                else:
                    yield self._unit(path)
            groups.extend(apart.values())

    def texts(self, wanted: Collection[str]) -> Iterator[Unit]:
        """What the texts of these modules show, which are not run."""
        self._reset()
        for path in wanted:
            if path in self.names:
                self.engine.visible = self._visible(path)
                yield Unit(path, [of_text(self.engine, path)], [])

    def _reset(self) -> None:
        self.owners: dict[Any, str] = {}  # which module wrote to an object first
        self.writers: dict[str, set[str]] = {}  # which others change what a module left
        self.fields: Fields = {}
        self.engine.bottom = [{}]

    def _begin(self, group: Iterable[str]) -> None:
        """Runs the modules that these units import, but for scripts."""
        self._reset()
        needed = frozenset[str]().union(*(self.graph.closures[path] for path in group))
        needed = (needed & self.names.keys()) - self.graph.scripts
        for path in needed - self.clean.keys():
            self._forget(path)
        for path in self.graph.order:
            if path in needed:
                self._import(path)

    def _compare(self, path: str, layer: Layer) -> None:
        """The module was run and has left this; names of others, too, may have changed."""
        others = (path_of(place) for place in layer if may_be_fixed(place))
        self.engine.bindings.compare({path, *others}, self._left)

    def _left(self, location: Location) -> Value | None:
        """What the modules have left at a location."""
        found = (layer.get(location) for layer in reversed(self.engine.bottom))
        return next((value for value in found if value is not None), None)

    def _import(self, path: str) -> None:
        done = self.clean.get(path)
        if done is None:
            done = self._run(path)
            self.engine.bottom.pop()
            if not self._strangers(path):
                self.clean[path] = done
        self.imported[path] = done
        for of in self._changed(done.layer):
            owner = of if isinstance(of, str) else self.owners.setdefault(of, path)
            if path not in self.graph.closures.get(owner, ()):
                self.writers.setdefault(owner, set()).add(path)
                self.writers.setdefault(path, set()).add(owner)
        self.engine.bottom[0].update(done.layer)
        self._compare(path, done.layer)
        for base, fields in done.fields.items():
            self.fields.setdefault(base, {}).update(fields)

    def _changed(self, layer: Layer) -> Iterable[Any]:
        """Whose locations the module has written, where that makes a difference to others.

        It makes none where they had left the same, nor in the frame of a function that has ended
        with nothing left in it.
        """
        below = self.engine.bottom[0]
        return dict.fromkeys(
            place[0]
            for place, value in layer.items()
            if (place in below or not _is_inner(place[0])) and below.get(place) != value
        )

    def _run(self, path: str) -> _Imported:
        """Runs a module, into a layer of its own."""
        engine = self.engine
        engine.visible = self._visible(path)
        engine.fields_below = [self.fields]
        below = self._met_below(path)
        engine.met = Met(dict(below.sites), dict(below.closures))
        layer: Layer = {}
        engine.bottom.append(layer)
        before = len(engine.failures)
        segment = of_import(engine, path)
        backend.forget(layer)
        unit = Unit(path, [segment], engine.failures[before:])
        met = engine.met.without(below)
        return _Imported(unit, layer, engine.fields, compiled_names(layer), met)

    def _met_below(self, path: str) -> Met:
        """What the modules have met that it imports."""
        closure = self.graph.closures[path] - {path}
        done = (self.imported[p] for p in self.graph.order if p in closure and p in self.imported)
        return united(each.met for each in done)

    def _forget(self, path: str) -> None:
        """It is run again when it is imported."""
        self.engine.sites.pop(("module", path), None)

    def _visible(self, path: str) -> frozenset[str]:
        return self.graph.closures[path] & self.names.keys()

    def _strangers(self, path: str) -> frozenset[str]:
        """The modules that change what the unit would see, and that it does not import."""
        closure = self.graph.closures[path]
        changed = (writers for owner, writers in self.writers.items() if owner in closure)
        return frozenset().union(*changed) - closure

    def _unit(self, path: str) -> Unit:
        engine = self.engine
        fresh = engine.fresh
        engine.fresh = dict(fresh)
        is_script = path in self.graph.scripts
        if is_script:
            self._forget(path)
        own = self._run(path) if is_script else self.imported[path]
        if is_script:
            self._compare(path, own.layer)
        engine.fields_below = [self.fields, own.fields] if is_script else [self.fields]
        engine.visible = self._visible(path)
        engine.met = united((self._met_below(path), own.met))
        engine.tried, engine.applied = {}, {}
        before = len(engine.failures)
        names = {each: self.names[each] for each in sorted(engine.visible)}
        below = (self.imported[each].compiled for each in engine.visible if each != path)
        compiled = own.compiled.union(*below)
        roots = list(of_roots(engine, engine.modules[path], names, compiled))
        del engine.bottom[1:]
        engine.fresh = fresh
        failures = [*own.unit.failures, *engine.failures[before:]]
        return Unit(path, [*own.unit.segments, *roots], failures)


def _is_inner(base: Any) -> bool:
    """Is it the frame of a function, or of a class that a function makes?"""
    if not isinstance(base, Frame):
        return False
    parent = base.function.parent
    return not base.function.is_class or (parent is not None and not parent.is_module)
