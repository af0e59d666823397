"""What the interpreter notes, in program order, for the questions of `solve`.

Events of a function are kept with its summary, and noted again at each call, with what the caller
knows put in place of the parameters.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gotcha_lint.domain.keys import Gates, Key, Seeded
from gotcha_lint.domain.met import Loop, LoopFacts
from gotcha_lint.domain.record import record
from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import NO_MARKS, Marks, Size, Value
from gotcha_lint.interpret.leaves import Leaves, Static

if TYPE_CHECKING:
    from gotcha_lint.program.ir import Function

Location = tuple[Hashable, str]  # a frame, a site, a symbol or a module's name; and a name in it
CallString = tuple[Origin, ...]  # the calls that lead here, outermost first
Sides = tuple[tuple[Any, Any], ...]  # open branches, and which way each went


@record
class Allocation:
    """An object is made. `loops`: the steady loops around; `kept`: only where none is there yet.

    `sides`: of the branches around, in the outermost function of `calls`.
    """

    site: Site
    loops: Marks
    kept: bool
    within: Function
    calls: CallString = ()
    sides: tuple[tuple[Span, bool], ...] = ()


@record
class Write:
    """A location that others can see gets another value. `within`: the name of the function."""

    location: Location
    path: str
    span: Span
    value: Value
    old: Value | None
    calls: CallString = ()
    within: str = ""


@record
class Identity:
    """A site that is part of the identity of what is compiled, and what chooses between sites."""

    site: Site
    marks: Marks
    why: str


@record
class Guard:
    """A test that must hold, or fail, for an event to happen; `marks`: what it varies with.

    `stable`: it gives the same each time, as far as its marks do not say otherwise. `of_loop`: it
    is the test of a `while` loop. `share`: it holds for one of so many numbers; 0: not known.
    `loops`: those around the test, in their steady iterations.
    """

    path: str
    span: Span
    holds: bool
    marks: Marks
    stable: bool
    of_loop: bool = False
    share: float = 0
    loops: Marks = NO_MARKS


Guards = tuple[Guard, ...]


@record
class Replaced:
    """An argument that is not donated and that the result replaces: as written, and its bytes.

    `trains`: it holds weights that an optimizer updates, or the state of an optimizer. `argument`:
    its position, or its name, as the options of `jit` that donate it want it. `left_out`: the jit
    says what it donates, and this is not among it.
    """

    text: str
    size: int | None = None
    trains: bool = False
    argument: int | str | None = None
    left_out: bool = False


@record
class CompiledCall:
    """A call of a compiled function: all that JAX's cache key is made of."""

    site: Site  # where jit was called
    function: Function | None
    path: str
    span: Span
    leaves: Leaves  # of traced arguments
    statics: tuple[Static, ...]
    identity: tuple[Identity, ...]
    captured: tuple[tuple[Location, Value], ...]  # what the trace reads from outside
    style: tuple[int, frozenset[str]]  # how many by position, which by name
    within: Function
    loops: Marks = NO_MARKS  # steady loops around the call
    in_loop: bool = False
    in_own_loop: bool = False  # a loop of the very function that calls
    generation: int = 0  # of the site: another object after the next allocation
    handled: frozenset[Hashable] = frozenset()  # ranges whose short last slice the program looks at
    fresh: bool = False  # what is compiled is a new object at each evaluation
    by_method: bool = False
    maybe: bool = False  # one of several functions that may be called there
    settings: tuple[tuple[str, Value], ...] = ()  # the static arguments, as they are
    transform: str = ""  # that runs it outside of jit: a gradient, `vmap`
    sides: tuple[tuple[Span, bool], ...] = ()  # of the branches around, in the same function
    traced: frozenset[Function] = frozenset()  # functions of the program that the trace runs
    guards: Guards = ()
    needs: Marks = NO_MARKS  # what its arguments follow from
    replaced: tuple[Replaced, ...] = ()
    calls: CallString = ()


@record
class Unrolled:
    """A Python loop that runs while JAX traces; `equations` for each turn, about.

    `alike`: the body does not ask which turn it is, and makes no layers. `steps`: it goes over an
    axis of an array, and carries a state from turn to turn.
    """

    path: str
    span: Span
    turns: Size
    equations: int
    within: Function
    calls: CallString = ()
    alike: bool = False
    steps: bool = False


@record
class EagerLoop:
    """A Python loop whose operations start one by one; `dispatches` in each iteration, at least.

    `mostly`: the calls in it that start most of them; `deepest`: the call in what those call, and
    so on, that still starts most. `inside`: loops in it, of unknown length,
    and how many of its dispatches are theirs.
    """

    path: str
    span: Span
    turns: Size
    dispatches: int
    within: Function
    reads: bool  # the host reads arrays in it, so it cannot be traced
    is_long: bool  # False: it is unknown how often it goes round
    mostly: tuple[Span, ...] = ()
    calls: CallString = ()
    inside: tuple[tuple[Origin, int], ...] = ()
    deepest: Origin | None = None


@record
class EagerControl:
    """`scan`, `cond`, `while_loop`, ... outside of jit: compiles once for each new body."""

    what: str
    path: str
    span: Span
    identity: tuple[Identity, ...]
    within: Function
    loops: Marks = NO_MARKS
    calls: CallString = ()


@record
class EagerUpdate:
    """Something is updated outside of jit; `few`: in loops that have but a few turns.

    `what`: "optimizer" (it runs), "tree" (one is worked out of others, leaf by leaf), "array"
    (`x.at[i].set(v)`), "growing" (`x = jnp.append(x, v)`), "gradient" (one is taken),
    "schedule" (one of optax is called, in each iteration), or "cleared" (programs are forgotten).
    `name`: what grows, as it is written; of a gradient, the compiled function that it is taken of.
    `parameter`: the function returns this parameter, made longer.
    """

    what: str
    path: str
    span: Span
    within: Function
    few: bool
    loops: Marks = NO_MARKS  # steady loops around
    calls: CallString = ()
    maybe: bool = False  # one of several functions is called there
    name: str = ""
    parameter: str = ""


@record
class KeyUse:
    """A random key is used.

    `how`: "draw", "split", "fold", "given" (to something unknown), "handed" (the same, of something
    that is a key by its name alone), "init" (flax makes weights with it), "streams" (a module gets
    it as one of its `rngs`), "seed" (it is made, as another one than before), "undrawn" (a loop
    that gets the keys leaves them), "some" (one of these keys is taken, by a number that goes on)
    or "last" (the last of them is).
    `what`: the function that is called, or the class whose weights are made. `functions`: those
    that `calls` are in, from the outermost on, and last the one that uses the key; `sides`: the
    branches around in each of them; `left`: those of functions that have returned the key, on the
    way that led to it. `numbers`: the least and the greatest that `fold_in` folds in, or that the
    keys of `split` have. `seed`: of a key that is made, which number makes it, where that is not
    written there. `doubt`: in which of `functions`, counted from the last one, one of several keys
    is taken or one of several functions is called; the one that is nearest to the use. `choices`:
    which of several is called, in each of `functions` that calls one of several. `layers`: which of
    `functions` construct a module of a neural network.
    """

    key: Key
    marks: Marks
    how: str
    what: str
    path: str
    span: Span
    functions: tuple[Function, ...]
    loops: Marks = NO_MARKS  # steady loops around
    around: Marks = NO_MARKS  # all loops of the program around, in their first turn, too
    guarded: bool = False
    doubt: int | None = None
    choices: tuple[int | None, ...] = (None,)
    sides: tuple[Sides, ...] = ((),)
    numbers: tuple[float, float] | None = None
    calls: CallString = ()
    left: Gates = ()
    seed: Hashable = None
    layers: tuple[bool, ...] = (False,)

    @property
    def place(self) -> Origin:
        return self.path, self.span

    @property
    def maybe(self) -> bool:
        return self.doubt is not None

    def is_doubted_from(self, level: int) -> bool:
        """Is there a doubt in one of the functions from this level of the calls on?"""
        return self.doubt is not None and len(self.functions) - 1 - self.doubt >= level


@record
class HostRead:
    """The host reads what may lie on the device, and waits until it is computed.

    `what`: "float", "print", "if", ... `values`: arrays of the device, something unknown that a
    dispatch has made, parameters. `older`: the turn before has made them, and this one has
    dispatched nothing yet.
    """

    what: str
    path: str
    span: Span
    values: tuple[Value, ...]
    within: Function
    loops: Marks = NO_MARKS
    guards: Guards = ()
    calls: CallString = ()
    older: bool = False


@record
class Remark:
    """An operation is wrong for the types, shapes or values that it is given here.

    `kind`: which fault; `text`: its details, as words for a message. `places`: others that explain
    it. `maybe`: one of several alternatives is. `about`: file, first and last line of the function
    that has the fault as a whole. `given`: what is wrong, where the function got it from its
    caller: it is the caller's fault.
    """

    kind: str
    text: tuple[str, ...]
    path: str
    span: Span
    within: Function
    places: tuple[tuple[str, Span, str], ...] = ()
    maybe: bool = False
    about: tuple[str, int, int] | None = None
    given: Value | None = None
    calls: CallString = ()


@record
class Turn:
    """A turn of a loop begins: what varies with the loop is another value from now on."""

    loop: Hashable


@record
class ClockRead:
    """The program looks at the clock."""

    path: str
    span: Span
    loops: Marks = NO_MARKS
    guards: Guards = ()
    calls: CallString = ()


@record
class Effect:
    """Something else happens that questions about the order of things ask for (see `effects`).

    `kind`: "elapsed" (the difference of two clocks), "given" (an unknown function gets
    `values`), "fork" and "fork workers", "count" (`x += 1` on what outlives the function), "needs"
    (a layer asks for random numbers or a collection), "apply" (a linen module is applied without
    what it needs), "pickle", "saved" and "restored" (a checkpoint, by its library), "begun" and
    "waited" (a save in the background), "undecided" (nothing tells a layer whether to drop),
    "dropped" (a new version of an object is thrown away), "in place" (a trace writes to an nnx
    object), "grown" (a container gets one more element), "ahead" (a function is compiled ahead of
    time, with these `arguments`, and its executable is not called). `what`: which, in words that
    the rule reads. `origins`: where that began. `traced`: JAX traces it. `maybe`: one of several
    functions is called there.
    """

    kind: str
    what: str
    path: str
    span: Span
    within: Function
    values: tuple[Value, ...] = ()
    origins: tuple[Origin, ...] = ()
    loops: Marks = NO_MARKS
    guards: Guards = ()
    traced: bool = False
    maybe: bool = False
    calls: CallString = ()
    owner: Function | Site | None = None  # of what is changed: a function's name, an object
    arguments: frozenset[int | str] | None = None  # of a save: those that reach the file; or all


Event = (
    Allocation
    | Write
    | CompiledCall
    | Unrolled
    | EagerLoop
    | EagerControl
    | EagerUpdate
    | KeyUse
    | Turn
    | Remark
    | HostRead
    | ClockRead
    | Effect
)


Version = tuple[int, int]  # of a summary: the number of its context, and which reads


@dataclass(slots=True)
class Summary:
    """What a call of a function in one context reads, writes, returns and does."""

    reads: dict[Location, Value]
    fixed: frozenset[Location]  # read besides: names that are bound to the same for good
    writes: dict[Location, Value]
    result: Value
    events: tuple[Event, ...]
    made: tuple[tuple[Site, Marks | None], ...]  # sites; None: only where there is none yet
    equations: int
    dispatches: int
    functions: frozenset[Function] = field(default_factory=frozenset)
    seeded: frozenset[Seeded] = frozenset()  # keys that are made within
    exact: bool = False  # a root on its own would come to the same, where `trail` is the same
    weight: int = 0  # events and writes that count for the budget
    cost: int = 0  # of a budget, without its callees
    depth: int = 0  # of calls, up to which nothing of it is cut short
    kept: bool = True  # it is good for other calls
    version: Version = (0, 0)
    trail: tuple[Any, ...] = ()  # how contexts were chosen; summaries of the calls within
    loops: Mapping[Loop, LoopFacts] = field(default_factory=dict)  # that were run within
