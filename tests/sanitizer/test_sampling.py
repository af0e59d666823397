"""Samples of the live arrays: how often, arrays that a short loop keeps, weights that turn NaN."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gotcha_sanitizer.checks.memory_growth import MemoryGrowth
from gotcha_sanitizer.checks.non_finite_weights import NonFiniteWeights
from gotcha_sanitizer.hooks import finite, memory, nan_origin, readiness, summaries
from gotcha_sanitizer.hooks.hosts import published
from gotcha_sanitizer.hooks.memory import Samples
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.ticker import Ticker
from gotcha_sanitizer.values.events import Event, Memory, NanOrigin, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site, Turn
from tests.sanitizer.support import run

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

LOOP = Site("train.py", 5)
WEIGHTS = ((128, 128), "float32")
END = Tick(100.0, last=True)


def on(check, *events: Event) -> list[Finding]:
    made = check(Options())
    return [
        finding for event in events if isinstance(event, made.wants()) for finding in made.on(event)
    ]


@pytest.mark.parametrize(("seconds", "looks"), [(0.0, 100), (1e-3, 5)])
def test_looks_at_values_take_a_hundredth_of_the_time(seconds: float, looks: int, monkeypatch):
    """Values on a GPU are copied: in the first second of a run this was a third of the time."""
    clock = {"now": 0.0, "worked": 0.0}
    context = SimpleNamespace(
        jax=jax, now=lambda: clock["now"], options=Options(), emit=lambda event: None
    )
    samples = Samples(context)  # type: ignore[arg-type]
    monkeypatch.setattr(memory.time, "thread_time", lambda: clock["worked"])
    seen: list[float] = []

    kept = jnp.ones((64, 64))
    monkeypatch.setattr(jax, "live_arrays", lambda: [kept])  # other tests have left some

    def look(array: Any) -> bool:
        seen.append(clock["now"])
        clock["worked"] += seconds
        return False

    monkeypatch.setattr(memory, "has_nan", look)
    for _ in range(100):
        clock["now"] += 0.005
        samples.sample()
    assert kept.shape and len(set(seen)) == pytest.approx(looks, abs=1)


def test_what_was_nan_is_looked_at_again_beside_many_larger_arrays(monkeypatch):
    """A retry that succeeds leaves finite arrays: the last look at the NaN ones is out of date."""
    told: list[Memory] = []
    context = SimpleNamespace(
        jax=jax, now=lambda: 10.0 * len(told), options=Options(), emit=told.append
    )
    samples = Samples(context)  # type: ignore[arg-type]
    larger = [jnp.ones(100 + n) for n in range(8)]
    for live in ([jnp.full(2, jnp.nan)], [jnp.ones(2), *larger], larger):
        monkeypatch.setattr(jax, "live_arrays", lambda live=live: jax.block_until_ready(live))
        samples.sample()
    small = ((2,), "float32")
    assert [each.nan.get(small) for each in told] == [(1, 1), (1, 0), None]
    assert not any(samples.nan.values())


@pytest.mark.parametrize("value", [1.0, float("nan")])
def test_buffers_say_their_type_in_several_ways(value: float):
    """JAX's have the format `=f` from 0.11 on; ctypes writes `<f`."""
    held = memoryview((ctypes.c_float * 2)(1.0, value))
    assert held.format == "<f"
    assert finite.of_buffer(held) == (value == value)
    assert finite.of_buffer(np.array([1.0, value]).data) == (value == value)
    assert finite.of_buffer(np.array([1, 2]).data)


def weights(at: float, bad: int, turn: int | None = None) -> Memory:
    counted = Turn("step", turn, LOOP) if turn is not None else None
    return Memory(at, 0, 2, nan={WEIGHTS: (2, bad)}, turn=counted)


def test_weights_that_turn_nan_and_stay_so():
    (found,) = on(NonFiniteWeights, weights(1, 0, 7), weights(2, 2, 40), weights(3, 2, 90), END)
    assert found.severity == "error" and found.site == LOOP
    assert "turned NaN between `step` 7 and 40 and stayed so: float32[128,128]" in found.message


def test_weights_without_a_counter_have_the_time():
    (found,) = on(NonFiniteWeights, weights(1, 0), weights(2.5, 1), weights(3, 2), END)
    assert "turned NaN between 1.0 s and 2.5 s of the run" in found.message


@pytest.mark.parametrize(
    "bad",
    [
        (2, 2, 2, 2),  # never finite: a table of missing values
        (0, 2, 2, 0),  # a step that was skipped
        (0, 0, 0, 2),  # seen once
        (0, 0, 0, 0),
    ],
)
def test_arrays_that_are_no_finding(bad: tuple[int, ...]):
    assert on(NonFiniteWeights, *(weights(n, each) for n, each in enumerate(bad)), END) == []


@pytest.mark.parametrize(
    ("turns", "seconds", "told"),
    [((7, 8), 10, True), ((7, 7), 10, False), ((7, 7), 90, True), ((None, None), 10, True)],
    ids=["goes on", "within one iteration", "long within one", "no counter"],
)
def test_a_loop_that_has_not_gone_on_says_nothing_while_it_runs(
    turns: tuple[int | None, int | None], seconds: int, told: bool
):
    """The compiles of an eager solver took 30 s, in one attempt that failed and was repeated."""
    nan = [weights(2 + seconds * n / 5, 2, turns[n > 2]) for n in range(6)]
    assert bool(on(NonFiniteWeights, weights(1, 0, 6), *nan)) == told
    assert on(NonFiniteWeights, weights(1, 0, 6), *nan, END)
    again = on(NonFiniteWeights, weights(1, 0, 6), *nan, weights(99, 0, 8), END)
    assert bool(again) == told


def test_an_origin_is_a_part_of_the_finding():
    origin = NanOrigin(99.0, "step", 34, "log", Site("net.py", 8), "log-of-negative-number", "Why")
    told = on(NonFiniteWeights, weights(1, 0), *(weights(10 + n, 2) for n in range(6)), origin, END)
    assert len({f.id for f in told}) == 1
    assert "in step 34, which `log` at net.py:8 makes (log-of-" in told[-1].message
    assert told[-1].advice.startswith("the reason: Why; stop a run")


def test_a_nan_of_the_first_steps_needs_a_proof():
    """All looks found NaN: it may be meant, unless a step shows where it came from."""
    looks = [weights(n, 2) for n in range(4)]
    origin = NanOrigin(9.0, "step", 1, "sqrt", Site("net.py", 8), "infinite-derivative", "Why")
    assert on(NonFiniteWeights, *looks, END) == []
    assert on(NonFiniteWeights, *looks, weights(5, 0), origin, END) == []
    (found,) = on(NonFiniteWeights, *looks, origin, END)
    assert found.message.startswith("the arrays of 1 shape are NaN at the end: float32[")
    assert "in step 1, which `sqrt` at net.py:8 makes" in found.message


def test_it_is_told_while_the_run_goes_on():
    events = [weights(1, 0), *(weights(10 + 2 * n, 2) for n in range(5))]
    assert len(on(NonFiniteWeights, *events)) == 1


def kept(at: float, count: int, turn: int) -> Memory:
    return Memory(at, 0, count, groups={WEIGHTS: count}, turn=Turn("i", turn, LOOP))


def test_a_host_that_waits_meanwhile_is_no_pause_of_the_growth():
    events = [kept(0.1, 2, 0), *(kept(0.1 + n / 99, 64, 31) for n in range(9)), kept(1.1, 204, 101)]
    (found,) = on(MemoryGrowth, *events, Memory(1.2, 0, 0), END)
    assert found.count == 202


def test_a_process_that_got_no_time_is_no_pause_of_the_growth():
    """A `while` loop has no counter; another program had the processor from 0.5 s to 2.5 s."""

    def sample(worked: float, count: int) -> Memory:
        at = worked if worked <= 0.5 else worked + 2
        return Memory(at, 0, count, groups={WEIGHTS: count}, worked=worked)

    events = [sample(0.1 * n, 40 * n) for n in range(1, 11)]
    (found,) = on(MemoryGrowth, *events, END)
    assert found.count == 360 and "came in 2.9 s" in found.message


def test_arrays_that_were_made_before_a_long_wait_are_no_growth():
    made = [Memory(1.0 * n, 0, 40 * n, {WEIGHTS: 40 * n}, worked=n) for n in range(1, 11)]
    waits = [Memory(10.0 + n, 0, 400, {WEIGHTS: 400}, worked=10 + n / 50) for n in range(9)]
    assert on(MemoryGrowth, *made, *waits, END) == []


def test_arrays_made_by_a_loop_that_is_over_are_no_growth():
    made = [kept(0.1 * n, 40 * n, 10 * n) for n in range(5)]
    later = [Memory(1.0 + n, 0, 0, groups={WEIGHTS: 160}) for n in range(5)]
    assert on(MemoryGrowth, *made, *later, END) == []


def test_a_growth_that_was_told_and_has_ended_is_a_note():
    def sample(at: float, count: int) -> Memory:
        return Memory(at, 2**29, count, groups={WEIGHTS: count})

    grows = [sample(61.0 + n, 1000 * n) for n in range(1, 12)]
    told = on(MemoryGrowth, *grows, sample(90.0, 0), sample(91.0, 0), END)
    assert [f.severity for f in (told[0], told[-1])] == ["warning", "info"]
    assert told[0].id == told[-1].id


def test_the_samples_of_ten_hours_are_few_but_never_far_apart():
    samples: Any = Samples(SimpleNamespace(now=lambda: 0.0))  # type: ignore[arg-type]
    samples.cost, samples.spent, at, count = 4e-4, 1.0, 10.0, 0
    while at < 36_000:
        pause = samples.pause(at)
        assert pause <= 60
        at, count = at + pause, count + 1
    assert 600 <= count < 3000


def test_the_first_second_of_a_loop_is_sampled_often_and_costs_a_hundredth_of_it():
    samples: Any = Samples(SimpleNamespace(now=lambda: 0.0))  # type: ignore[arg-type]
    samples.cost, at, moments = 2e-4, 0.0, list[float]()
    while at < 1.0:
        samples.spent += samples.cost
        moments.append(at)
        at += samples.pause(at)
    assert len(moments) * samples.cost < 0.012
    assert sum(moment < 0.05 for moment in moments) >= 15  # a loop may last no longer


def test_one_sample_that_takes_long_is_rare():
    samples: Any = Samples(SimpleNamespace(now=lambda: 0.0))  # type: ignore[arg-type]
    samples.cost = samples.spent = 2.0
    assert samples.pause(36_000) == 200


def test_a_job_can_be_called_at_once():
    ticker, called = Ticker(), threading.Event()
    again = ticker.every(100.0, lambda: called.set() or None)
    ticker.start()
    assert called.wait(5)
    called.clear()
    again()
    assert called.wait(5)
    ticker.stop()


GROWS = """
import jax, jax.numpy as jnp
@jax.jit
def step(p):
    return p * 0.99, jnp.tanh(p)
def main():
    p, kept = jnp.ones((178, 178)), []
    for i in range(1000):
        p, activations = step(p)
        kept.append(activations)
main()
"""
TURNS_NAN = """
import time, jax, jax.numpy as jnp
@jax.jit
def step(params, x):
    return jax.tree.map(lambda w: w - 0.1 * w * jnp.log(x), params)
def main():
    params = {"w": jnp.ones((32, 32)), "b": jnp.ones(32)}
    for i in range(1500):
        params = step(params, 1.0 if i < 500 else -1.0)
        time.sleep(0.001)
main()
"""


SINKS = """
import time, jax, jax.numpy as jnp
def main():
    @jax.jit
    def step(params, lr, key):
        scale = lr * jax.random.uniform(key)
        return jax.tree.map(lambda w: w - scale * jnp.sqrt(w), params), scale
    params, key = {"w": jnp.ones((32, 32)), "b": jnp.ones(32)}, jax.random.key(0)
    for i in range(1000):
        params, loss = step(params, 0.02, key)
        time.sleep(0.001)
main()
"""


def test_the_operation_that_made_the_nan_is_named_where_the_step_can_run_again(tmp_path: Path):
    program = tmp_path / "prog.py"
    program.write_text(SINKS)
    result = run(program, tmp_path / "run.jsonl")
    (found,) = result.problems
    assert "`sqrt` at prog.py:7 makes (root-of-negative-number)" in found.message, result.err
    assert "inside the domain" in found.advice and "gotcha-sanitize nan" not in found.advice
    assert "degraded" not in result.err.replace("degraded: Python 3.11", ""), result.err


@pytest.mark.parametrize(
    ("body", "name"), [(GROWS, "memory-growth"), (TURNS_NAN, "non-finite-weights")]
)
def test_a_run_of_a_second_or_two(tmp_path: Path, body: str, name: str):
    program = tmp_path / "prog.py"
    program.write_text(body)
    result = run(program, tmp_path / "run.jsonl")
    assert [f.name for f in result.problems] == [name], result.err


def test_an_array_that_is_donated_while_it_is_looked_at(tmp_path: Path):
    """Neither thread waits for the other, and the result is the same."""
    program = tmp_path / "prog.py"
    program.write_text(
        "import sys; sys.setswitchinterval(1e-5)\n"
        "import jax, jax.numpy as jnp, functools, threading\n"
        "from gotcha_sanitizer.hooks.finite import has_nan\n"
        "step = jax.jit(lambda p, x: jax.tree.map(lambda a: a * 0.999 + x, p), donate_argnums=0)\n"
        "p, x, looked, over = {n: jnp.ones(4096) for n in 'abcdef'}, jnp.float32(1e-6), [], []\n"
        "def look():\n"
        "    while not over:\n"
        "        looked.extend(map(has_nan, jax.live_arrays()))\n"
        "thread = threading.Thread(target=look); thread.start()\n"
        "for _ in range(1000):\n"
        "    p = step(p, x)\n"
        "over.append(1); thread.join()\n"
        "assert looked.count(False) > 100 and True not in looked, len(looked)\n"
        "print(float(p['a'][0]))\n"
    )
    result = run(program, tmp_path / "run.jsonl", on=False)
    assert result.code == 0, result.err
    value = np.float32(1.0)
    for _ in range(1000):
        value = np.float32(value * np.float32(0.999) + np.float32(1e-6))
    assert float(result.out) == pytest.approx(float(value), rel=1e-4)


def test_an_array_that_is_deleted_while_it_is_looked_at(tmp_path: Path):
    """JAX ends the process where `delete` frees what another thread reads at that moment."""
    program = tmp_path / "prog.py"
    program.write_text(
        "import sys; sys.setswitchinterval(1e-6)\n"
        "import jax, numpy as np, threading\n"
        "from gotcha_sanitizer.hooks.finite import has_nan\n"
        "x, looked, over = np.ones(4), {None: 0, False: 0, True: 0}, []\n"
        "held = [jax.device_put(x)]\n"
        "def look():\n"
        "    while not over:\n"
        "        looked[has_nan(held[0])] += 1\n"
        "threads = [threading.Thread(target=look) for _ in range(2)]\n"
        "for thread in threads: thread.start()\n"
        "while looked[None] < 2000 or looked[False] < 2000:\n"
        "    held[0] = array = jax.device_put(x)\n"
        "    array.delete()\n"
        "over.append(1)\n"
        "for thread in threads: thread.join()\n"
        "print(array.is_deleted(), looked[True])\n"
    )
    result = run(program, tmp_path / "run.jsonl")
    assert (result.code, result.out) == (0, "True 0\n"), result.err
    assert result.problems == []


def test_an_array_that_is_deleted_is_not_looked_at():
    """`is_ready` of a deleted array is a segmentation fault in jax 0.10.2."""
    array = jnp.ones(3)
    array.delete()
    assert finite.has_nan(array) is None and summaries.leaf_of(array) is None
    assert nan_origin._copy(jax, array) is None
    assert published._on_host(jax, array) is None
    assert readiness.is_ready(array) is None and readiness.is_ready(jnp.ones(3)) in (True, False)
