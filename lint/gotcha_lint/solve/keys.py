"""Keys that are used twice: the typestate of random keys, fresh or consumed, along each run.

The names of keys are expressions (`domain.keys`), so a key that is renewed is another one, and a
turn of a loop forgets the keys that vary with it. What is said here may happen on some path; that
both uses are of the same key holds on all (*must*), unless the reuse says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from gotcha_lint.domain.freshness import TURN
from gotcha_lint.domain.keys import (
    SPLIT,
    Argument,
    Gates,
    Guessed,
    Key,
    Seeded,
    alternatives,
)
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import GROWS, INFINITY, Symbol
from gotcha_lint.interpret.events import KeyUse, Turn
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function
from gotcha_lint.program.result_uses import ResultUses, uses_of_results
from gotcha_lint.solve.key_ways import (
    are_alternatives,
    are_exclusive,
    are_of_other_runs,
    both_happen,
    is_around,
    is_doubted,
    part_ways,
)
from gotcha_lint.solve.roots import Segment

CONSUMES = frozenset({"draw", "split", "given", "handed"})
_GIVEN = frozenset({"given", "handed"})
_DRAWS = frozenset({"draw", "given", "handed", "streams", "init"})
_BY_NUMBER = frozenset({"split", "fold"})
# One of the two folds something in, so that the numbers differ; what they are made of does not.
_WEAK = ({"streams", "draw"}, {"streams", "split"}, {"draw", "fold"})
_BEGINS = {"init", "split"}
_MAY_CLASH = (_BEGINS, *_WEAK)
_LOOKED_AT = 100
_KEPT = 12  # uses of one key that are compared with later ones
_LAST = -1  # an index
_ONCE = frozenset({"main", "<lambda>"})  # functions that a program calls once


@dataclass(frozen=True, slots=True)
class Reuse:
    """A key is used (`now`) that was used before (`first`); the same use where a loop repeats it.

    `at`, `before`: the places where the two part ways: calls of one function, or the uses.
    `made`: where the key was made, if that is known. `loop`: in whose turns it is used again.
    `folded`: it is split and folded, which gives the same keys. `names`: of the results.
    `of_seed`: they are two keys of one seed. `in_turn`: one of several keys that are all taken, and
    the last of them again.
    `each_call`: a function makes the key, of a number that is written there.
    `minor`: the numbers are the same, and nothing shows that a result suffers.
    `of_layers`: layers of one network make the key, each of the same number.
    """

    first: KeyUse
    now: KeyUse
    before: Origin
    at: Origin
    certain: bool
    made: Origin | None = None
    loop: Any = None
    folded: bool = False
    names: frozenset[str] = frozenset()
    of_seed: bool = False
    in_turn: bool = False
    each_call: Function | None = None
    minor: bool = False
    of_layers: bool = False


def by_weight(reuse: Reuse) -> tuple[bool, bool]:
    """Orders the surest first."""
    return not reuse.certain, reuse.minor


@dataclass(slots=True)
class KeyReuses:
    """All that is used twice in a project."""

    found: list[Reuse] = field(default_factory=list)
    dropped: dict[Origin, KeyUse] = field(default_factory=dict)  # new keys that nothing uses
    _made: set[Origin] = field(default_factory=set)
    _results: _Results = field(default_factory=lambda: _Results())

    def add(self, segment: Segment) -> None:
        """Takes the events of one root, in program order."""
        _Reader(self.found, self._results).read(segment)
        for event in segment.events:
            if isinstance(event, KeyUse) and event.how in _BY_NUMBER:
                self._make(event)

    def _make(self, event: KeyUse) -> None:
        """New keys are made: does anything use them?"""
        place = event.path, event.span
        if place not in self._made:
            self._made.add(place)
            uses = self._results.uses(event.functions[-1], event.span, event.span)
            if uses is not None and not uses.kinds[0] and not uses.read:
                self.dropped[place] = event


class _Results:
    """What becomes of the results of calls, for the first hundred questions about a function."""

    def __init__(self) -> None:
        self._known: dict[tuple[Function, Span, Span], ResultUses | None] = {}
        self._asked: Counter[Function] = Counter()

    def uses(
        self, function: Function, first: Span, second: Span, own: frozenset[Span] = frozenset()
    ) -> ResultUses | None:
        key = function, first, second
        if key not in self._known:
            self._asked[function] += 1
            few = self._asked[function] <= _LOOKED_AT
            self._known[key] = uses_of_results(function, first, second, own) if few else None
        return self._known[key]


class _Reader:
    def __init__(self, found: list[Reuse], results: _Results) -> None:
        self.found, self.results = found, results
        self.own: list[Reuse] = []  # of this root
        self.undrawn: set[Key] = set()
        self.uses: dict[Key, list[KeyUse]] = {}
        self.varying: dict[Any, set[Key]] = {}  # by loop
        self.below: dict[Any, set[Key]] = {}  # by base
        self.seeds: dict[Any, KeyUse] = {}
        self.before_seed: dict[Any, set[KeyUse]] = {}  # by base
        self.told: set[Key] = set()
        self.doubled: dict[Key, float] = {}  # split twice, last when: what is below is there twice
        self.now = 0  # counts the uses
        self.when: dict[int, int] = {}  # by the identity of a use that is kept
        self.turned: dict[Any, int] = {}  # when a turn of a loop has begun last
        self.of_seed: dict[Any, dict[Any, KeyUse]] = {}  # bases by seed, and where they were made
        self.seed_of: dict[Any, Any] = {}  # by base
        self.all_taken: dict[Key, KeyUse] = {}  # of several keys, where a loop takes each in turn
        self.last_taken: dict[Key, KeyUse] = {}  # ... and where the last one of them is taken
        self.drawn: set[Key] = set()
        self.pairs: set[tuple[Key, frozenset[Origin]]] = set()  # of uses, that were told

    def read(self, segment: Segment) -> None:
        self.loops = segment.loops
        for event in segment.events:
            if isinstance(event, Turn):
                self._turn(event.loop)
            elif isinstance(event, KeyUse) and event.how == "undrawn":
                self.undrawn.update(key for key, _ in alternatives(event.key))
            elif isinstance(event, KeyUse):
                for use in _alternatives(event):
                    self._use(use)
        # Of an object that outsiders make, they may renew the key between two calls, or within.
        driven = segment.root is not None and segment.root.is_class
        for each in self.own:
            if not self._is_undrawn(each):
                certain = each.certain and self._reaches_draws(each)
                certain = certain and not (driven and _is_of_driver(each))
                self.found.append(replace(each, certain=certain))

    def _reaches_draws(self, reuse: Reuse) -> bool:
        """Is something drawn with the keys of each split, or may an outsider do so?"""
        splits = [use for use in (reuse.first, reuse.now) if use.how == "split"]
        if not splits or any(len(use.calls) < 2 for use in splits):
            return True
        key = reuse.now.key
        return any(other.is_below(key) and other != key for other in self.drawn)

    def _is_undrawn(self, reuse: Reuse) -> bool:
        """Is it split alone, into keys that draw nothing?"""
        return any(
            use.how == "split" and use.key.step(SPLIT) in self.undrawn
            for use in (reuse.first, reuse.now)
        )

    def _turn(self, loop: Any) -> None:
        """What varies with the loop is another key from now on."""
        self.turned[loop] = self.now
        for key in self.varying.pop(loop, ()):
            kept = [use for use in self.uses.get(key, ()) if loop not in use.marks]
            self.uses[key] = kept

    def _use(self, now: KeyUse) -> None:
        key = now.key
        if now.how == "seed":
            self._seed(now)
            return
        self.now += 1
        if now.how in ("some", "last"):
            if now.how == "last":
                self.last_taken[key] = now
            elif now.loops:
                self.all_taken.setdefault(key, now)
            return
        if now.how in _DRAWS:
            self.drawn.add(key)
        known = self.uses.setdefault(key, [])
        self.below.setdefault(key.base, set()).add(key)
        reuses = [reuse for first in known if (reuse := self._compare(first, now)) is not None]
        for reuse in reuses:
            if reuse.folded:
                self._tell(reuse)
        others = sorted((r for r in reuses if not r.folded), key=by_weight)
        strong = [each for each in others if {each.first.how, now.how} not in _WEAK]
        others = strong or others
        if strong:
            if any(each.certain for each in strong):
                self.told.add(key)
            if any(each.first.how == now.how == "split" for each in others):
                self.doubled[key] = self._renewed(key)
        elif not others:
            others = list(self._each_call(now))
        for reuse in (*_one_of_each_side(others), *self._twins(now), *self._last_of_all(now)):
            self._tell(reuse)
        if len(known) < _KEPT and not any(_place(now) == _place(each) for each in known):
            known.append(now)
            self.when[id(now)] = self.now
            for mark in now.marks:
                self.varying.setdefault(mark, set()).add(key)

    def _is_given_anew(self, first: KeyUse, now: KeyUse, loop: Hashable) -> bool:
        """What a call gives is another key in the next one: is the loop around that call?

        Then the two are two ways of one call, and no turn of the loop has begun between them.
        """
        is_given = isinstance(now.key.base, Argument)
        return is_given and self.turned.get(loop, -1) < self.when[id(first)]

    def _renewed(self, key: Key) -> float:
        """From when on the keys below are those of the new split, if those of the first were used.

        Else it is unknown of which split they are: never.
        """
        below = (k for k in self.below[key.base] if k != key and k.is_below(key))
        return self.now if any(self.uses.get(k) for k in below) else INFINITY

    def _twins(self, now: KeyUse) -> Iterator[Reuse]:
        """A key of the same seed was used, too: once for two places where they are made."""
        base = now.key.base
        number = self.seed_of.get(base) if now.how in CONSUMES else None
        for other, made in self.of_seed.get(number, {}).items() if number is not None else ():
            own = self.seeds[base]
            if other == base or are_exclusive(made, own):
                continue
            used = (use for key in self.below.get(other, ()) for use in self.uses.get(key, ()))
            first = next((use for use in used if use.how in CONSUMES), None)
            if first is not None and not are_exclusive(first, now):
                before, at = part_ways(made, own)
                yield Reuse(first, now, before, at, False, made.place, of_seed=True)

    def _each_call(self, now: KeyUse) -> Iterator[Reuse]:
        """A draw from a key of a literal, in the function that makes it or has it as a default.

        So are the numbers of a loop in it.
        """
        base = now.key.base
        if now.how not in ("draw", "streams") or not isinstance(base, Seeded):
            return
        if not base.constant and not _counts(self.seed_of.get(base)):
            return
        made = base.path, base.span
        for function in reversed(now.functions):
            if is_around(function, (base.path, *base.span)) and not function.is_module:
                if function.name not in _ONCE and not _takes_seed(function, base.span):
                    yield Reuse(now, now, made, made, False, each_call=function)
                return

    def _last_of_all(self, now: KeyUse) -> Iterator[Reuse]:
        """`keys[-1]`, after a loop that takes all of them in turn."""
        if now.how in CONSUMES and now.key.steps[-2:] == (SPLIT, _LAST):
            keys = Key(now.key.base, now.key.steps[:-1])
            first, last = self.all_taken.get(keys), self.last_taken.get(keys)
            if first is not None and last is not None and not are_exclusive(first, last):
                before, at = part_ways(first, last)
                yield Reuse(first, now, before, at, False, in_turn=True)

    def _tell(self, reuse: Reuse) -> None:
        """Once for two places: a loop comes to the same two uses the other way round."""
        places = frozenset({reuse.first.place, reuse.now.place})
        pair = reuse.now.key, places | {reuse.at} if reuse.each_call is not None else places
        if pair not in self.pairs:
            self.pairs.add(pair)
            self.own.append(reuse)

    def _seed(self, now: KeyUse) -> None:
        """Another key has that name now, unless its seed is written there."""
        base = now.key.base
        self.of_seed.get(self.seed_of.pop(base, None), {}).pop(base, None)
        if now.seed is not None:
            self.seed_of[base] = now.seed
            self.of_seed.setdefault(now.seed, {})[base] = now
        self.seeds[base] = now
        if isinstance(base, Seeded) and not base.constant:
            for key in self.below.pop(base, ()):
                self.uses.pop(key, None)
        elif base in self.below:
            old = [use for key in self.below[base] for use in self.uses.get(key, ())]
            self.before_seed.setdefault(base, set()).update(old)
        for mark in now.marks:
            self.varying.setdefault(mark, set()).add(now.key)

    def _compare(self, first: KeyUse, now: KeyUse) -> Reuse | None:
        if any(
            now.key.is_below(key) and now.key != key and self.when[id(first)] <= since
            for key, since in self.doubled.items()
        ):
            return None
        made = self.seeds.get(now.key.base)
        at_seed = (made.path, made.span) if made is not None else None
        if _place(first) == _place(now):
            loops = [
                loop
                for loop in now.loops
                if isinstance(loop, tuple)
                and not _varies(now, loop)
                and not self._is_given_anew(first, now, loop)
            ]
            if not loops or not now.key.is_one or now.how in ("fold", "init"):
                return None
            if are_of_other_runs(first, now, loops):
                return None
            loop = min(loops, key=str)
            place = _in_loop(now, loop)
            certain = self._repeats(now, loops, made, place)
            if place != now.place and any(self.loops.of(loop).listed for loop in now.around):
                certain = False  # settings that are compared: each starts from the same numbers
            reuse = Reuse(first, now, place, place, certain, at_seed, loop)
            return self._judged(replace(reuse, of_layers=_are_of_one_network(now, place)))
        if are_exclusive(first, now) or are_alternatives(first, now):
            return None
        if {first.how, now.how} == _BY_NUMBER:
            return self._fold(first, now, at_seed)
        how = {first.how, now.how}
        if not (
            are_of_two_models(first, now)
            or how in _MAY_CLASH
            or (first.how in CONSUMES and now.how in CONSUMES)
        ):
            return None
        if first.how == now.how == "handed" and isinstance(now.key.base, Symbol):
            return None  # nothing shows that it is a key
        before, at = part_ways(first, now)
        certain = not is_doubted(first, now) and _is_surely_key(now.key)
        if how in _WEAK or "handed" in how or any(map(_may_make_weights, (first, now))):
            certain = False  # streams fold names in; nothing shows that the other one takes a key
        if now.key in self.told and first.calls != now.calls:
            certain = False  # one of several already
        equal_layers = _are_of_one_network(now, at)
        if first in self.before_seed.get(now.key.base, ()) and not equal_layers:
            certain = False  # the same seed, written in a function that is called twice
        if not now.key.is_one and first.what == now.what and now.how == "draw":
            certain = False  # the same numbers, computed in two ways
        direct = before == first.place and at == now.place
        if direct and first.how == now.how == "split" and before[1][0] == at[1][0]:
            certain = False  # `split(key)[0], split(key)[1]`
        certain = certain and both_happen(first, now)
        # It is unknown what others do with a key; Flax folds the names of the weights in.
        minor = "given" in how or "init" in how
        reuse = Reuse(first, now, before, at, certain, at_seed, minor=minor, of_layers=equal_layers)
        return self._judged(reuse)

    def _fold(self, first: KeyUse, now: KeyUse, made: Origin | None) -> Reuse | None:
        """`fold_in(key, i)` is `split(key, n)[i]` where `i` is less than `n`."""
        fold, split = (now, first) if now.how == "fold" else (first, now)
        if fold.numbers is None or split.numbers is None or not now.key.is_one:
            return None
        if not 0 <= fold.numbers[0] <= split.numbers[1]:
            return None
        before, at = part_ways(split, fold)
        certain = not is_doubted(first, now) and _is_surely_key(now.key)
        certain = certain and both_happen(first, now)
        return self._judged(Reuse(split, fold, before, at, certain, made, folded=True))

    def _judged(self, reuse: Reuse) -> Reuse | None:
        """What the results of both are good for: None where at most one of them counts."""
        uses = self._uses_of(reuse)
        if uses is None:
            return reuse
        if uses.exclude or uses.is_chosen_or_input(0) or uses.is_chosen_or_input(1):
            return None
        idle = uses.has_no_effect(0) or uses.has_no_effect(1)
        shown = uses.is_only_shown(0) or uses.is_only_shown(1)
        together = uses.meet and reuse.loop is None
        doubtful = idle or (shown and uses.in_main)
        doubtful = doubtful or ((shown or _are_apart(reuse)) and not together)
        names = frozenset(name.lower() for name in uses.names)
        return replace(reuse, names=names, certain=reuse.certain and not doubtful)

    def _uses_of(self, reuse: Reuse) -> ResultUses | None:
        """In the function where the two part ways, if it is one."""
        function = _function_at(reuse.now, reuse.at)
        if function is None or function is not _function_at(reuse.first, reuse.before):
            return None
        entered = ((reuse.first, reuse.before), (reuse.now, reuse.at))
        own = frozenset(at[1] for use, at in entered if at != use.place)
        return self.results.uses(function, reuse.before[1], reuse.at[1], own)

    def _repeats(self, now: KeyUse, loops: list[Any], made: KeyUse | None, at: Origin) -> bool:
        """Is it certain that the turns use one key, and that they are meant to differ?"""
        if now.guarded or now.maybe or now.how in _GIVEN:
            return False
        if isinstance(now.key.base, Argument) and any(map(_is_of_list, now.marks)):
            return False  # an unknown one of many
        begins = made is not None and any(loop in made.loops for loop in loops)
        if begins and not _are_of_one_network(now, at):
            return False  # each turn begins from the seed
        real = [loop for loop in loops if len(loop) > 3 or loop[2] >= 0]
        return any(loop[3:] != ("vmap",) for loop in real) and _is_surely_key(now.key)


def _are_of_one_network(use: KeyUse, at: Origin) -> bool:
    """Does a module construct two others at `at` that each make this key, of the same number?

    Elsewhere the same seed may be meant: two runs are compared, or a function is called again.
    """
    ways, base = (*use.calls, use.place), use.key.base
    if at not in ways or not isinstance(base, Seeded) or not base.constant:
        return False
    level = ways.index(at)
    makers = [
        inner
        for inner in range(level + 1, len(use.functions))
        if is_around(use.functions[inner], (base.path, *base.span))
        and not _takes_seed(use.functions[inner], base.span)
    ]
    return use.layers[level] and any(use.layers[inner] for inner in makers)


def _alternatives(use: KeyUse) -> Iterator[KeyUse]:
    """The uses that this one may be, one for each key; on which way, where there is but one."""
    ways: dict[Key, list[Gates]] = {}
    for key, gates in alternatives(use.key):
        ways.setdefault(key, []).append(gates)
    for key, found in ways.items():
        one = replace(use, key=key, doubt=0 if len(found) > 1 else use.doubt)
        yield _on_that_way(one, found[0]) if len(found) == 1 else one


def _on_that_way(use: KeyUse, gates: Gates) -> KeyUse:
    """The use of a key that one side of a branch has left: it happens only on that side.

    Where the same branch is open around the use, it was left there in an earlier iteration.
    """
    sides, doubt, left = list(use.sides), use.doubt, list(use.left)
    for path, span, holds in gates:
        around = [n for n, f in enumerate(use.functions) if is_around(f, (path, *span))]
        level = around[-1] if around else 0
        if not around:
            left.append((path, span, holds))
        if any(branch == span for branch, _ in sides[level]):
            doubt = 0
        else:
            sides[level] = (*sides[level], (span, holds))
    return replace(use, sides=tuple(sides), left=tuple(left), doubt=doubt)


def _methods_beside(body: Function) -> Iterator[str]:
    """The names of the methods of a class, and of others that stand where it does: its bases."""
    around = () if body.parent is None else steps_of(body.parent)
    for code in (body.body, *(i[2].body for i in around if i[0] == "class")):
        yield from (i[2].name for i in instructions(code) if i[0] == "closure")


def _hands_itself_out(function: Function) -> bool:
    """Does a method give its object, or a method of it, to something else?"""
    if function.parent is None or not function.parent.is_class or not function.parameters:
        return False
    own = function.parameters[0].name
    methods = set(_methods_beside(function.parent))
    given: set[int] = set()
    for instruction in steps_of(function):
        if instruction[0] == "load" and instruction[2] == own:
            given.add(instruction[1])
    me = set(given)
    for instruction in steps_of(function):
        if instruction[0] == "attr" and instruction[2] in me and instruction[3] in methods:
            given.add(instruction[1])
    calls = [i for i in steps_of(function) if i[0] == "call"]
    return any(register in given for call in calls for _, register in (*call[3], *call[4]))


def _is_of_driver(reuse: Reuse) -> bool:
    """Do two calls from outside come to the same key, or may others renew it meanwhile?"""
    if reuse.loop is not None:
        function = _function_at(reuse.now, reuse.at)
        return reuse.loop[2] < 0 or function is None or _hands_itself_out(function)
    return reuse.first.calls[:1] != reuse.now.calls[:1]


def _is_of_list(mark: Hashable) -> bool:
    """Of what a loop has put into a list."""
    return isinstance(mark, tuple) and mark[0] == GROWS


def _varies(use: KeyUse, loop: Hashable) -> bool:
    """Is it another key in each turn? An unknown one that a dispatch of the turn has
    made, may be.
    """
    made = isinstance(use.key.base, Argument) and (TURN, loop) in use.marks
    return loop in use.marks or made


def _counts(seed: Hashable) -> bool:
    """Is a seed, as an affine sum, made of the numbers of loops alone?"""
    terms = seed[0] if isinstance(seed, tuple) else ()
    return bool(terms) and all(isinstance(n, tuple) and n[0] == "range" for n, _ in terms)


def _takes_seed(function: Function, span: Span) -> bool:
    """Is the seed of the key that is made at this place a parameter, which has a default?"""
    steps = list(steps_of(function))
    call = next((step for step in steps if step[0] == "call" and step[-1] == span), None)
    given = [] if call is None else [register for _, register in (*call[3], *call[4])]
    own = {parameter.name for parameter in function.parameters}
    return any(step[0] == "load" and step[1] in given and step[2] in own for step in steps)


def _place(use: KeyUse) -> tuple[Any, ...]:
    return use.path, use.span, use.calls


def _are_apart(reuse: Reuse) -> bool:
    """Cells of a notebook, or whole models of a script, which may be looked at one by one?"""
    function = _function_at(reuse.now, reuse.at)
    if function is None or not function.is_module or reuse.loop is not None:
        return False
    return function.is_notebook or (
        reuse.before != reuse.first.place and reuse.at != reuse.now.place
    )


def _function_at(use: KeyUse, place: Origin) -> Function | None:
    ways = (*use.calls, (use.path, use.span))
    return use.functions[ways.index(place)] if place in ways else None


def _one_of_each_side(reuses: list[Reuse]) -> Iterator[Reuse]:
    """The surest one, and those whose first use is on another branch than its first use."""
    for reuse in reuses[:1]:
        yield reuse
        for other in reuses[1:]:
            if other.at == reuse.at and are_exclusive(reuse.first, other.first):
                yield other


def are_of_two_models(first: KeyUse, now: KeyUse) -> bool:
    """Are weights of two classes made? Those of one class may be meant to begin equal."""
    if not first.how == now.how == "init":
        return False
    return bool(first.what and now.what) and first.what != now.what


def _may_make_weights(use: KeyUse) -> bool:
    """`net.init(key, x)` of something unknown makes weights, or loads them."""
    if use.how != "given" or not use.functions:
        return False
    made = {step[1]: step for step in steps_of(use.functions[-1]) if isinstance(step[1], int)}
    callees = (made.get(s[2]) for s in made.values() if s[0] == "call" and s[-1] == use.span)
    words = (callee[3] if callee[0] == "attr" else str(callee[2]) for callee in callees if callee)
    return any("init" in word for word in words)


def _is_surely_key(key: Key) -> bool:
    """Is it one value, whenever it is read? Elements of something unknown may differ."""
    base = key.base
    if isinstance(base, Symbol):
        return not any(isinstance(step, tuple) or "[*]" in step for step in base.path)
    return isinstance(base, (Seeded, Argument, Guessed))


def _in_loop(use: KeyUse, loop: Any) -> Origin:
    """The use, or the call that comes to it: in the body of the loop, or in the function that
    `scan` and the like repeat.
    """
    ways = (*use.calls, (use.path, use.span))
    inner = [level for level, function in enumerate(use.functions) if is_around(function, loop)]
    level = inner[-1] if inner else len(ways) - 1
    if len(loop) > 3:
        closures = [n for n, f in enumerate(use.functions) if n > level and _is_closure(f)]
        level = closures[-1] if closures else level + 1
    return ways[min(level, len(ways) - 1)]


def _is_closure(function: Function) -> bool:
    parent = function.parent
    return parent is not None and not parent.is_module and not parent.is_class
