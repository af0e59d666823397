"""The user's objects: what is looked at must not be run, kept, or taken for something else."""

from __future__ import annotations

import enum
import functools
import gc
import inspect
import logging
import sys
import time
import weakref
from collections.abc import Callable
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from gotcha_sanitizer.hooks import capture, internals, marks, private
from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import lost, problems

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
np = pytest.importorskip("numpy")


def test_a_number_is_given_once():
    """New objects come to lie where others were freed."""
    numbers, places = set(), set()
    for _ in range(500):
        f = lambda x: x  # noqa: E731
        numbers.add(marks.serials.of(f))
        places.add(id(f))
    assert len(numbers) == 500 > len(places)


def test_nothing_is_kept_alive(running: Session):
    jax.clear_caches()  # other tests have left arrays there
    gc.collect()
    before, alive = len(jax.live_arrays()), []

    def once(number: int) -> None:
        batch = jnp.full(8, float(number))
        f = lambda x: x + batch  # noqa: E731
        alive.append(weakref.ref(f))
        jax.jit(f)(batch)

    for number in range(20):
        once(number)
    jax.clear_caches()
    gc.collect()
    assert len(jax.live_arrays()) == before
    assert not [ref for ref in alive if ref() is not None]
    assert len(running.run.programs) >= 20


class Static:
    """Notes what we ask of it: JAX itself hashes and compares static arguments."""

    asked: set[str] = set()

    def __init__(self, number: int, fails: bool) -> None:
        self.number, self.fails = number, fails

    def _note(self, what: str) -> None:
        if "gotcha_sanitizer" in sys._getframe(2).f_code.co_filename:
            self.asked.add(what)

    def __eq__(self, other: object) -> Any:
        self._note("eq")
        if self.fails:
            raise RuntimeError("not to be compared")
        return isinstance(other, Static) and np.ones(1) * self.number == other.number

    def __hash__(self) -> int:
        self._note("hash")
        return self.number

    def __repr__(self) -> str:
        self._note("repr")
        time.sleep(3)
        raise RuntimeError("not to be shown")

    def __bool__(self) -> bool:
        self._note("bool")
        raise RuntimeError("neither true nor false")


@pytest.mark.parametrize("fails", [False, True])
def test_code_of_static_arguments(running: Session, fails: bool):
    Static.asked = set()
    f = functools.partial(jax.jit, static_argnames="c")(lambda x, c: x)
    for n in (1, 2, 2, 3):
        try:
            f(1.0, c=Static(n, fails))
        except ValueError as error:  # JAX's own: it compares values of equal hash
            assert fails, error
    problems(running)
    assert Static.asked == {"hash"}
    assert not lost(running)
    if not fails:
        (finding,) = running.run.findings.values()
        assert "c.number: 2 -> 3" in finding.message


class Loud(enum.Enum):
    A = 1
    B = 2

    def __str__(self) -> str:
        raise RuntimeError("not to be shown")

    __repr__ = __str__


def test_enumerations(running: Session):
    f = functools.partial(jax.jit, static_argnames="kind")(lambda x, kind: x)
    for kind in Loud:
        f(1.0, kind=kind)
    assert not lost(running)
    (note,) = running.run.notes
    assert "kind: Loud.A -> Loud.B" in note.message


@jax.tree_util.register_pytree_node_class
class Shy:
    """Cannot be flattened by us."""

    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def tree_flatten(self) -> Any:
        names = [frame.filename for frame in inspect.stack(0)]
        if any("gotcha_sanitizer" in name for name in names):
            raise RuntimeError("not by you")
        return (self.weights,), None

    @classmethod
    def tree_unflatten(cls, data: Any, children: Any) -> Shy:
        return cls(children[0])


def test_a_pytree_that_fails_when_we_flatten_it(running: Session):
    step = jax.jit(lambda state: state.weights * 2)
    assert [float(step(Shy(jnp.ones(n)))[0]) for n in (1, 2, 3, 4)] == [2.0] * 4
    assert "not by you" in running.run.degraded["compile events"]
    assert running.run.count("compiles") >= 4
    assert not problems(running)  # what could not be seen is no reason


class Model:
    def plain(self, x: Any) -> Any:
        y = x
        return y * self.rate + self.layer(x) + x.shape[0]

    def inside(self, x: Any) -> Any:
        return [self.rate * c for c in x], lambda y: y * self.decay

    def not_mine(self, other: Any) -> Any:
        return other.rate, self

    layer: Any = None
    rate = decay = 0.0


def test_attributes_of_self_in_bytecode():
    """Two variables may be loaded at once, and `self` may be a cell that inner functions read."""
    own = {name: capture._loads(getattr(Model, name).__code__)[1] for name in vars(Model)
           if inspect.isfunction(getattr(Model, name))}  # fmt: skip
    assert own == {"plain": {"rate", "layer"}, "inside": {"rate", "decay"}, "not_mine": set()}
    many = "\n".join(f"    o.a{n}" for n in range(300))  # beyond one byte: EXTENDED_ARG
    names: dict[str, Any] = {}
    exec(f"def f(self, o):\n{many}\n    return self.last", names)
    assert capture._loads(names["f"].__code__)[1] == {"last"}


def test_frames_are_only_read():
    """On Python 3.13 what is written there changes the program's variables."""
    values = MappingProxyType({"fun": len, "args": (1,), "kwargs": {}, "jit_info": None})
    frame: Any = SimpleNamespace(
        f_locals=values, f_code=SimpleNamespace(co_name=private.CALL), f_back=None
    )
    made = internals.call(frame)
    assert made is not None and made.args == (1,)
    assert internals.evaluated(jax, [frame]) == made


TRACES, SHAPES, MEMO = 0, [], {}
log = logging.getLogger(__name__)
random = np.random.default_rng(0)
history: Any = None


def _twice(step: Callable[[Any], Any], change: Callable[[], object], wait: float = 0.0) -> None:
    """Calls, changes, and calls again when the probes are on again."""
    for act in (change, lambda: None):
        step(jnp.ones(3))
        act()
        time.sleep(0.15)
    time.sleep(1.1 if sys.version_info < (3, 12) else wait)


def _count() -> None:
    global TRACES, history
    TRACES += 1
    history = None


def test_what_changes_on_purpose(running: Session):
    """Counters of traces, logs of shapes, memos, loggers, generators, names that are emptied."""
    global history
    history = [1.0]

    @jax.jit
    def step(x: Any) -> Any:
        _count()
        SHAPES.append(x.shape)
        MEMO.setdefault(x.shape, len(MEMO) + TRACES)
        log.debug("traced %s", history)
        return x * random.normal()

    def change() -> None:
        log.setLevel(logging.INFO)
        log.addHandler(logging.NullHandler())
        random.normal()

    _twice(step, change)
    assert not problems(running) and not running.run.notes, running.run.findings


def test_a_change_in_place_is_called_sampled(running: Session):
    table = np.arange(100_000.0)

    def change() -> None:
        table[:] = 3.0

    _twice(jax.jit(lambda x: x + table.sum()), change)
    (message,) = problems(running).values()
    assert "`table` was float64[100000]" in message and "(sampled)" in message
