"""How many programs a compiled function has: what of its cache key varies, with what, from where.

The answers are facts, without names of rules and without advice: `rules/` asks for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.domain.value import (
    NO_MARKS,
    Array,
    Object,
    Value,
)
from gotcha_lint.interpret.arrays import bytes_of
from gotcha_lint.interpret.effects import COLLECTIVE, is_named_state, is_of_device
from gotcha_lint.interpret.element_reads import ENTRY
from gotcha_lint.interpret.events import (
    Allocation,
    CallString,
    CompiledCall,
    EagerControl,
    EagerUpdate,
    Effect,
    Identity,
    KeyUse,
    Location,
    Replaced,
    Unrolled,
    Write,
)
from gotcha_lint.interpret.faults.flags import IGNORED_FLAG, KEPT_ON, disagrees
from gotcha_lint.interpret.indexing import own_cut
from gotcha_lint.interpret.layers.eager_loops import FEW_TURNS
from gotcha_lint.interpret.leaves import Static
from gotcha_lint.interpret.models.example_gradients import MEAN_OF_EXAMPLES, averaged_in
from gotcha_lint.interpret.models.optax_chains import CHAIN
from gotcha_lint.interpret.models.optax_states import STATE_MADE, STATE_USED
from gotcha_lint.interpret.models.transforms import AHEAD
from gotcha_lint.interpret.replicated import AVERAGED, is_summed
from gotcha_lint.interpret.start.backend import AT_IMPORT, DEFAULT, FORK, WORKERS
from gotcha_lint.patterns.data.dropped_datasets import DroppedStep
from gotcha_lint.patterns.data.pipeline_order import Cycled, LateShuffle
from gotcha_lint.patterns.repeated_calls import is_repeated
from gotcha_lint.program.data_flow import is_lost
from gotcha_lint.program.elsewhere import Elsewhere
from gotcha_lint.program.flags import HandedFlag
from gotcha_lint.program.ir import Function
from gotcha_lint.program.text import Text
from gotcha_lint.solve.ahead import Idle, idle
from gotcha_lint.solve.cache_keys import Differing, distinct, exclude
from gotcha_lint.solve.captured import (
    arrays_in,
    call_in,
    changes,
    is_own_variable,
    is_variable,
    may_be_arrays,
    model_called,
    other_each_turn,
    static_is_operand,
)
from gotcha_lint.solve.chains import Chains
from gotcha_lint.solve.checkpoints import CHECKPOINT_EFFECTS, Checkpoints
from gotcha_lint.solve.compiled_functions import (
    Capture,
    CompiledFunction,
    Loops,
    Place,
    Stale,
    Variation,
)
from gotcha_lint.solve.constant_keys import ConstantKey, ConstantKeys
from gotcha_lint.solve.host import ElementRead, Wait, host_reads
from gotcha_lint.solve.host_bound import HostBoundLoop, host_bound
from gotcha_lint.solve.keys import KeyReuses
from gotcha_lint.solve.loop_work import (
    EagerBody,
    EagerWork,
    UnrolledLoop,
    eager_work,
    is_of_outsider,
    turns_of,
)
from gotcha_lint.solve.one_process import OneProcess
from gotcha_lint.solve.optimizer_states import OptimizerStates, Restarted
from gotcha_lint.solve.options import IgnoredArgument, UnreadOption
from gotcha_lint.solve.per_input import comes_from, is_called_for_each_input, is_step
from gotcha_lint.solve.remarks import Faults
from gotcha_lint.solve.roots import Segment
from gotcha_lint.solve.startup import TooLate, too_late
from gotcha_lint.solve.structures import signature
from gotcha_lint.solve.timing import Elapsed, unwaited
from gotcha_lint.solve.variations import compare, compare_leaves, where
from gotcha_lint.solve.weights import weights_read

_SETTINGS = 2
_WORDS = {"no tree": "is no pytree", "unhashable": "has no hash"}  # of a class
# Each speaks for itself.
_PLAIN = frozenset(
    (FORK, WORKERS, "apply", "paramless", "dropped", "undecided", AT_IMPORT, DEFAULT, ENTRY)
)


@dataclass(slots=True)
class Programs:
    """What the project compiles. `counted`: how many programs is asked, too; no rule does."""

    counted: bool = False
    compiled: dict[Site, CompiledFunction] = field(default_factory=dict)
    unrolled: list[UnrolledLoop] = field(default_factory=list)
    host_bound: list[HostBoundLoop] = field(default_factory=list)
    eager: list[EagerBody] = field(default_factory=list)
    updates: dict[tuple[str, Origin], EagerWork] = field(default_factory=dict)
    """What is updated outside of jit in loops, by what (see `EagerUpdate`) and where."""
    keys: KeyReuses = field(default_factory=KeyReuses)
    waits: dict[Origin, Wait] = field(default_factory=dict)
    elements: list[ElementRead] = field(default_factory=list)
    too_late: list[TooLate] = field(default_factory=list)  # settings
    times: dict[Origin, Elapsed] = field(default_factory=dict)  # that end too early
    forward: dict[Origin, tuple[CompiledCall, Effect]] = field(default_factory=dict)
    """Calls that run a module in training mode without a gradient, and what drops there."""
    effects: dict[str, dict[Origin, Effect]] = field(default_factory=lambda: defaultdict(dict))
    """By kind and place; of one place, one that is certain where there is such a one."""
    constant_keys: list[ConstantKey] = field(default_factory=list)
    idle: list[Idle] = field(default_factory=list)  # executables
    restarted: dict[Origin, Restarted] = field(default_factory=dict)  # states of optimizers
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    one_process: OneProcess = field(default_factory=OneProcess)
    chains: Chains = field(default_factory=Chains)  # of optimizers
    examples: dict[Origin, tuple[Effect, bool]] = field(default_factory=dict)
    """By `vmap`: where its gradients are averaged, and whether they are in memory until then."""
    faults: Faults = field(default_factory=Faults)
    texts: list[Text] = field(default_factory=list)  # of the file that is asked about
    wide: bool = False  # the project may switch 64-bit types on
    elsewhere: Elsewhere = field(default_factory=Elsewhere)  # the other files, also those above
    unread: list[UnreadOption] = field(default_factory=list)
    flags: list[HandedFlag] = field(default_factory=list)
    shuffles: list[LateShuffle] = field(default_factory=list)
    dropped: list[DroppedStep] = field(default_factory=list)
    cycled: list[Cycled] = field(default_factory=list)
    ignored: list[IgnoredArgument] = field(default_factory=list)

    def add(self, segment: Segment) -> None:
        """Takes the events of one root, in program order.

        Faults first: what the other events say may be unreadable, and hides none of them.
        """
        self.faults.add(segment)
        _Reader(self, segment).read()
        if segment.text is not None:
            self.texts.append(segment.text)
        self.checkpoints.end(segment)
        self.keys.add(segment)
        waits, elements = host_reads(segment)
        for wait in waits:
            old = self.waits.get(wait.place)
            self.waits[wait.place] = wait if old is None else old.joined(wait)
        self.elements += elements
        self.host_bound += host_bound(segment)
        self.too_late += too_late(segment)
        for time in unwaited(segment):
            self.times.setdefault(time.place, time)


class _Reader:
    def __init__(self, programs: Programs, segment: Segment) -> None:
        self.programs = programs
        self.segment = segment
        self.made: dict[Site, Function] = {}  # by which function
        self.makers: dict[Site, CallString] = {}  # the calls that lead there
        self.kept: set[Site] = set()
        self.asked: dict[Site, list[CompiledCall]] = {}
        self.objects: dict[Site, list[Allocation]] = {}  # that were made there, one by one
        self.traces: dict[Site, dict[Location, Value]] = {}
        self.readers: dict[Location, set[Site]] = {}
        self.dirty: dict[Site, dict[Location, Write]] = {}
        self.trained: dict[Site, dict[Location, Effect]] = {}  # captured models of nnx
        self.counts: list[Effect] = []
        self.groups: dict[tuple[Site, Any], list[CompiledCall]] = {}
        self.first: dict[tuple[Site, str], Replaced] = {}  # of arguments, at the first call
        self.updated: list[EagerUpdate] = []
        self.elements: list[Effect] = []
        self.ahead: list[Effect] = []
        self.constant_keys = ConstantKeys()
        self.states = OptimizerStates()

    def read(self) -> None:
        for event in self.segment.events:
            if isinstance(event, Allocation):
                self._allocation(event)
            elif isinstance(event, Write):
                self._write(event)
            elif isinstance(event, CompiledCall):
                self._call(event)
            elif isinstance(event, Unrolled):
                self._unrolled(event)
            elif isinstance(event, EagerUpdate):
                self._update(event)
            elif isinstance(event, EagerControl):
                self._eager(event)
            elif isinstance(event, Effect) and event.kind in _PLAIN:
                self._effect(event)
            elif isinstance(event, Effect) and event.kind == COLLECTIVE:
                self.programs.one_process.add(event)
            elif isinstance(event, Effect) and event.kind in CHECKPOINT_EFFECTS:
                self.programs.checkpoints.add(event)
            elif isinstance(event, Effect) and event.kind == IGNORED_FLAG:
                if (told := disagrees(event)) is not None:
                    self._effect(replace(event, maybe=event.maybe or not told))
            elif isinstance(event, Effect) and event.kind == KEPT_ON:
                if disagrees(event):
                    self._effect(event)
            elif isinstance(event, Effect) and event.kind in (STATE_MADE, STATE_USED):
                self.states.add(event)
            elif isinstance(event, Effect) and event.kind == CHAIN:
                self.programs.chains.add(event)
            elif isinstance(event, Effect) and event.kind == "pickle":
                if any(is_of_device(value) or is_named_state(value) for value in event.values):
                    self._effect(event)
            elif isinstance(event, Effect) and event.kind == AVERAGED:
                if summed := tuple(value for value in event.values if is_summed(value)):
                    self._effect(replace(event, values=summed))
            elif isinstance(event, Effect) and event.kind == MEAN_OF_EXAMPLES:
                for place, whole in averaged_in(event.values):
                    known = self.programs.examples
                    known[place] = event, whole or (place in known and known[place][1])
            elif isinstance(event, Effect) and event.kind == "closure":
                if event.what:
                    self._effect(event)
            elif isinstance(event, Effect) and event.kind in ("count", "drops", "in place"):
                if event.kind == "in place":
                    self._trained(event)
                if event.traced:
                    self.counts.append(event)
            elif isinstance(event, KeyUse):
                self.constant_keys.use(event)
            elif isinstance(event, Effect) and event.kind == AHEAD:
                self.ahead.append(event)
            elif isinstance(event, Effect) and event.kind == "element":
                self.elements.append(event)
        self._element_reads()
        self.programs.constant_keys += self.constant_keys.end(self.asked)
        self.programs.idle += idle(self.ahead, self.asked)
        for one in self.states.end(self.segment):
            self.programs.restarted.setdefault(one.place, one)
        for (site, _), calls in self.groups.items():
            self._varying(self._row(site, calls[-1]), calls)
        if self.programs.counted:
            self._count()
        if not self.segment.runs_once:
            self._called_once()
            self._passed_anew()
            self._cut_to_its_own_length()
        self._across()
        self._updates()

    def _count(self) -> None:
        """How many programs the calls of each place need for certain."""
        for site, calls in self.asked.items():
            row = self._row(site, calls[0])
            count, parts = distinct(calls)
            objects = len(self.objects.get(site, ()))
            if calls[-1].fresh and count < objects <= len(calls):
                count, parts = objects, (Differing("identity", "", 0, calls[-1]), *parts)
            if count > row.distinct:
                row.distinct, row.differing = count, parts
        self._shared()

    def _update(self, event: EagerUpdate) -> None:
        """Kept until it is known whether the loops around call what is compiled."""
        if event.loops and not event.few:
            self.updated.append(event)

    def _updates(self) -> None:
        calls = (call for calls in self.asked.values() for call in calls)
        for key, work in eager_work(self.segment, self.updated, calls):
            old = self.programs.updates.get(key)
            self.programs.updates[key] = work if old is None else old.joined(work)

    def _element_reads(self) -> None:
        """Beside a compiled function, one element in an iteration may not be worth a word.

        Nor may a loop of a script that runs once, over an array of unknown length.
        """
        around = {call.loops for calls in self.asked.values() for call in calls}
        for event in self.elements:
            beside = any(event.loops <= loops for loops in around)
            in_script = event.within.is_module or self.segment.runs_once
            once = in_script and len(event.loops) == 1
            once = once and turns_of(self.segment, event.loops) is None
            self._effect(replace(event, maybe=event.maybe or beside or once))

    def _effect(self, event: Effect) -> None:
        known = self.programs.effects[event.kind]
        place = event.path, event.span
        if place not in known or (known[place].maybe and not event.maybe):
            known[place] = event

    def _row(self, site: Site, call: CompiledCall) -> CompiledFunction:
        row = self.programs.compiled.get(site)
        if row is None:
            row = self.programs.compiled[site] = CompiledFunction(site, call.function)
        row.function = row.function or call.function
        row.is_kept = row.is_kept or site in self.kept
        return row

    def _allocation(self, event: Allocation) -> None:
        """A site that is allocated again is another object: what was traced held the old one."""
        site = event.site
        self.made[site] = event.within
        if len(event.calls) > 1 or site not in self.makers:  # 1: an outsider called the maker
            self.makers[site] = event.calls
        objects = self.objects.setdefault(site, [])
        if not (event.kept or event.loops or any(_on_other_sides(event, o) for o in objects)):
            objects.append(event)
        if event.kept:
            self.kept.add(site)
        self.traces.pop(site, None)
        self.dirty.pop(site, None)
        self.trained.pop(site, None)
        if site.kind == "instance":
            for place in [place for place in self.readers if place[0] is site]:
                for reader in self.readers.pop(place):
                    self.traces.get(reader, {}).pop(place, None)
                    self.dirty.get(reader, {}).pop(place, None)

    def _write(self, event: Write) -> None:
        for site in self.readers.get(event.location, ()):
            trace = self.traces.get(site)
            before = trace.get(event.location) if trace else None
            if before is not None and changes(before, event.value):
                self.dirty.setdefault(site, {})[event.location] = event

    def _trained(self, event: Effect) -> None:
        """An optimizer of nnx writes to the model that it is given, which a trace may hold."""
        models = {
            atom.site
            for value in event.values
            if isinstance(atom := value.only, Object) and atom.site.kind == "instance"
        }
        for site, trace in self.traces.items() if models and not event.maybe else ():
            for place, value in trace.items():
                held = value.only
                if isinstance(held, Object) and held.site in models and is_variable(place):
                    self.trained.setdefault(site, {}).setdefault(place, event)

    def _counted(self, call: CompiledCall) -> None:
        """What the trace of this call has counted on, of what it has not made itself."""
        for event in self.counts:
            if event.kind == "drops":
                self._dropping(call, event)
                continue
            if event.kind == "in place":
                self._lost(call, event)
                continue
            owner = event.owner
            maker = self.made.get(owner) if isinstance(owner, Site) else owner
            if event.within in call.traced and maker not in call.traced:
                self._effect(event)
        self.counts.clear()

    def _lost(self, call: CompiledCall, event: Effect) -> None:
        """A plain `jax.jit` traces a copy of an nnx object: what is written to it is lost."""
        owner, function = event.owner, call.function
        if function is None or not isinstance(owner, Site) or event.within is not function:
            return
        inside = any(
            f.path == owner.path and f.line <= owner.span[0] <= f.end_line for f in call.traced
        )
        is_plain = call.site.info.get("library") == "jax.jit"
        if is_plain and not inside and is_lost(function, event.span):
            self._effect(event)

    def _dropping(self, call: CompiledCall, event: Effect) -> None:
        """A compiled forward pass without a gradient drops at random, as in training.

        Not so what is repeated with the same arguments: these are samples, and chance is wanted.
        """
        driven = self.segment.root is not None and self.segment.root.is_class
        if event.within in call.traced and not (driven or is_repeated(call.within, call.span)):
            place = call.path, call.span
            self.programs.forward.setdefault(place, (call, event))

    def _call(self, call: CompiledCall) -> None:
        self._counted(call)
        self.constant_keys.call(call)
        site = call.site
        row = self._row(site, call)
        row.calls += 1
        row.traced.update(call.traced)
        row.exported = row.exported and self.segment.root is not None
        row.keys.add(signature(call.leaves))
        self.asked.setdefault(site, []).append(call)
        captured = dict(call.captured)
        for place, write in self.dirty.get(site, {}).items():
            before = self.traces.get(site, {}).get(place)
            if place in captured and before is not None:
                self._stale(row, call, place, before, write)
        for place, event in self.trained.get(site, {}).items():
            if place in captured and event.within not in call.traced:
                rooted = self.segment.root is not None
                path, span = call_in(place, event, event.calls[rooted:])
                at_top = not rooted and isinstance(place[0], str)
                before = self.traces[site][place]
                row.stale.append(
                    Stale(
                        call, place, before, before, path, span, False, False, at_top,
                        event.within.name, by_call=True,
                    )
                )  # fmt: skip
        known = self.traces.setdefault(site, {})
        for place, value in captured.items():
            if isinstance(place[0], str):
                row.globals.setdefault((place[0], str(place[1])), []).append(call)
            known.setdefault(place, value)
            self.readers.setdefault(place, set()).add(site)
        self._captures(row, call)
        self._replaced(row, call)
        self.groups.setdefault((site, (*call.calls, (call.path, call.span))), []).append(call)

    def _replaced(self, row: CompiledFunction, call: CompiledCall) -> None:
        """In the first turn the size is known best; those after it show that it goes on.

        What an object holds is replaced as often as somebody calls the method.
        """
        for each in call.replaced:
            first = self.first.setdefault((call.site, each.text), each)
            if call.loops or "." in each.text:
                row.replaced.setdefault(each.text, (call, first))

    def _stale(
        self,
        row: CompiledFunction,
        call: CompiledCall,
        place: Location,
        before: Value,
        write: Write,
    ) -> None:
        base = place[0]
        of_object = isinstance(base, Site) and base.kind == "instance"
        static_self = call.by_method or any(s.label == "self" for s in call.statics)
        at_top = self.segment.root is None and not write.calls
        row.stale.append(
            Stale(
                call, place, before, write.value, write.path, write.span,
                of_object, static_self, at_top, write.within,
            )
        )  # fmt: skip

    def _captures(self, row: CompiledFunction, call: CompiledCall) -> None:
        parts: list[tuple[int | None, Location, Array]] = []
        counted: set[tuple[Array, Origin]] = set()  # one array may be read by several names
        total = 0
        weights = weights_read(call.traced)
        for place, value in call.captured:
            of_object = isinstance(place[0], Site)
            at = weights.get(f".{place[1]}" if of_object else place[1])
            if at is not None and may_be_arrays(value) and not is_own_variable(place):
                row.captures.append(Capture(call, place, None, at, 0, is_weights=True))
                continue
            at = model_called(call, place, value)
            if at is not None:
                row.captures.append(Capture(call, place, None, at, 0, is_weights=True))
                continue
            if value.unknown or is_own_variable(place):
                continue
            for array in arrays_in(value):
                size = bytes_of(array)
                if array.origin is None or (array, array.origin) not in counted:
                    total += size or 0
                if array.origin is not None:
                    counted.add((array, array.origin))
                parts.append((size, place, array))
        for size, place, array in parts:
            row.captures.append(Capture(call, place, size, array.origin, total))

    def _unrolled(self, event: Unrolled) -> None:
        self.programs.unrolled.append(
            UnrolledLoop(
                event.path, event.span, event.turns.constant, event.equations,
                event.turns.marks, event.within, event.alike, event.steps,
            )
        )  # fmt: skip

    def _eager(self, event: EagerControl) -> None:
        loops, places = self._anew(event.identity, event.loops)
        once = self.segment.runs_once  # elsewhere the caller may be tracing
        if loops:
            self.programs.eager.append(
                EagerBody(event.what, event.path, event.span, loops, places, event.within, once)
            )
        elif not once and (made := _closures(event)):
            self.programs.eager.append(
                EagerBody(event.what, event.path, event.span, NO_MARKS, made, event.within, False)
            )

    def _anew(self, identity: Iterable[Identity], around: Loops) -> tuple[Loops, tuple[Place, ...]]:
        """The loops around in whose turns what is called is a new object."""
        loops: set[Any] = set()
        places: list[Place] = []
        for part in identity:
            fresh = self.segment.fresh.get(part.site, NO_MARKS)
            own = (fresh | (part.marks if fresh else NO_MARKS)) & around
            if own:
                loops |= own
                places.append((part.site.path, part.site.span, part.why))
        return frozenset(loops), tuple(places)

    def _shared(self) -> None:
        """Two places that compile one function of a module share its programs."""
        groups: dict[tuple[Function, Any], list[Site]] = {}
        for site, calls in self.asked.items():
            inner, function = site.info["inner"].only, calls[0].function
            direct = isinstance(inner, Object) and inner.site.kind == "function"
            if direct and function is not None and not calls[0].fresh:
                options = tuple(sorted(site.info["keywords"].items(), key=lambda item: item[0]))
                groups.setdefault((function, options), []).append(site)
        for sites in groups.values():
            count, parts = distinct([call for site in sites for call in self.asked[site]])
            for site in sites if len(sites) > 1 else ():
                row = self._row(site, self.asked[site][0])
                row.shared, row.distinct, row.differing = True, count, parts

    # What varies

    def _varying(self, row: CompiledFunction, calls: list[CompiledCall]) -> None:
        """The calls of one place: what differs between its turns."""
        loops: set[Any] = set()
        places: list[Place] = []
        for call in calls:
            own, why = self._anew(call.identity, call.loops)
            loops |= own
            places += why
        last = calls[-1]
        if loops:
            waits = all(self.segment.loops.of(loop).waits for loop in loops)
            certain = not waits and not any(
                other_each_turn(call, frozenset(loops)) for call in calls
            )
            certain = certain and not self._are_settings(loops)
            row.variations.append(
                Variation(
                    "identity", last, loops=frozenset(loops),
                    places=(*places, *where(last)), certain=certain,
                    made=self.makers.get(row.site, ()),
                    fresh=self._fresh_captures(last, frozenset(loops)),
                    turns=turns_of(self.segment, loops),
                )
            )  # fmt: skip
            return
        for call in calls:
            self._statics(row, call)
        if any(call.in_loop for call in calls):
            compare_leaves(row, calls, self.segment.loops)

    def _fresh_captures(self, call: CompiledCall, loops: Loops) -> frozenset[Site]:
        sites = (a.site for _, value in call.captured for a in value.atoms if isinstance(a, Object))
        return frozenset(s for s in sites if self.segment.fresh.get(s, NO_MARKS) & loops)

    def _are_settings(self, loops: Iterable[Any]) -> bool:
        """A program for each of a few settings that are written out: it may be meant."""
        known = [self.segment.loops.of(loop) for loop in loops]
        return all(
            loop.listed and loop.turns is not None and loop.turns.high <= FEW_TURNS
            for loop in known
        )

    def _statics(self, row: CompiledFunction, call: CompiledCall) -> None:
        for static in call.statics:
            outsiders = frozenset(mark for mark in static.marks if is_of_outsider(mark))
            loops = static.marks & call.loops or outsiders
            if static.kind in ("object", "data") and static.site is not None:
                fresh = self.segment.fresh.get(static.site, NO_MARKS)
                loops = (fresh | (static.marks if fresh else NO_MARKS)) & call.loops
            elif static.kind == "length":
                loops = static.marks & call.loops
            if not loops and static.kind not in ("no tree", "unhashable"):
                continue
            if static.kind == "symbol":
                continue
            certain, kind = static.certain, static.kind
            if kind == "data":  # a run of two settings compiles a second program, and no more
                turns = turns_of(self.segment, loops)
                certain = certain and not call.maybe and (turns is None or turns > _SETTINGS)
            if kind == "few":
                if not self._needs_no_program(call, static, loops):
                    continue
                kind = "value"
            fails = static.kind in ("no tree", "unhashable")  # the call, where it is this function
            places: list[Place] = []
            if static.origin:
                places.append((*static.origin, "made here"))
            if static.cls is not None:
                how = _WORDS.get(static.kind, "is hashed by identity")
                places.append((*static.cls.origin, f"this class {how}"))
            certain = certain and not (fails and call.maybe)
            row.variations.append(
                Variation(
                    kind, call, static.label, loops=loops,
                    places=(*places, *where(call)), certain=certain, cls=static.cls,
                )
            )  # fmt: skip

    def _needs_no_program(self, call: CompiledCall, static: Static, loops: Loops) -> bool:
        """Is it another float in each iteration (must), with which the trace only computes?"""
        few = static.value.atoms if static.value is not None else ()
        return turns_of(self.segment, loops) == len(few) and static_is_operand(call, static.label)

    def _called_once(self) -> None:
        """Made, called once and dropped by a function that others call as often as they like."""
        for site, asked in self.asked.items():
            calls = [call for call in asked if call.within.path] or asked  # others: of an outsider
            call = calls[0]
            places = {(each.path, each.span) for each in calls}
            if site not in self.made or len(places) > 1 or not call.fresh:
                continue
            if any(each.in_own_loop for each in calls):
                continue
            maker, calls_to = self.made[site], self.makers.get(site, ())
            own = maker is call.within
            makes = site.span if own else comes_from(maker, call.within, calls_to)
            if makes is None or (not own and site in self.kept):
                continue
            row = self._row(site, call)
            certain = is_called_for_each_input(call, makes, maker)
            row.variations.append(
                Variation("once", call, places=where(call), certain=certain, made=calls_to)
            )

    def _cut_to_its_own_length(self) -> None:
        """`step(episode.seen[: episode.size])`, in what is called for each episode."""
        for call in (call for calls in self.asked.values() for call in calls):
            if call.in_own_loop or not is_step(call.within):
                continue
            for path, leaf in call.leaves.items():
                cut = next((c for s, _ in leaf.symbols if (c := own_cut(s)) is not None), None)
                if cut is not None:
                    axis, row = cut, self._row(call.site, call)
                    row.variations.append(
                        Variation("shape", call, path, axis=axis, places=where(call))
                    )
                    break

    def _passed_anew(self) -> None:
        """Static objects, equal to no other, that a function which others call makes each time."""
        for call in (call for calls in self.asked.values() for call in calls):
            within = call.within
            if call.in_own_loop or within.is_module or not within.path:
                continue
            for static in call.statics:
                site = static.site
                new = static.kind == "object" and site is not None and site not in self.kept
                if new and site is not None and self.made.get(site) is within:
                    row = self._row(call.site, call)
                    certain = is_step(within) and not call.maybe
                    place = (*site.origin, "made here")
                    row.variations.append(
                        Variation(
                            "object", call, static.label, places=(place, *where(call)),
                            certain=certain,
                        )
                    )  # fmt: skip

    def _across(self) -> None:
        """Calls of one compiled function from several places: what differs unasked."""
        sites: dict[tuple[Site, Any], list[CompiledCall]] = {}
        for (site, calls), group in self.groups.items():
            sites.setdefault((site, calls[:-1]), []).append(group[-1])
        for (site, _), calls in sites.items():
            first = calls[0]
            row = self._row(site, first)
            for other in calls[1:]:
                if other.generation == first.generation and not exclude(first, other):
                    compare(row, first, other)


def _on_other_sides(a: Allocation, b: Allocation) -> bool:
    sides = dict(a.sides)
    return any(sides.get(at, side) != side for at, side in b.sides)


def _closures(event: EagerControl) -> tuple[Place, ...]:
    """Bodies that the very function defines which runs them: new ones at each of its calls."""
    return tuple(
        (part.site.path, part.site.span, part.why)
        for part in event.identity
        if part.site.kind == "function"
        and part.site.info["function"].parent is event.within
        and not event.within.is_module
    )
