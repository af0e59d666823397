"""What is said while the program runs, and when: each program runs as users run theirs."""

from __future__ import annotations

import re

import pytest

from tests.sanitizer.processes import Done

pytest.importorskip("jax")

TURNS = """
say = lambda text: print(text, file=sys.stderr, flush=True)
def train():
    for i in range(8):
        jax.jit(lambda x: x + i)(1.0)
        say(f"turn {i}")
train()
"""


def told(done: Done, what: str) -> list[str]:
    """The lines that were said at once, before the report."""
    before, _, _ = done.err.partition("finding")
    return [line for line in before.splitlines() if "==gotcha: " in line and what in line]


def lines(done: Done) -> list[str]:
    return [re.sub("==.*?==", "", line) for line in done.err.splitlines()]


def test_a_storm_is_told_at_once_before_the_turn_that_made_it_one_goes_on(go):
    done = go(TURNS)
    shown = lines(done)
    (at,) = [n for n, line in enumerate(shown) if line.startswith("gotcha: prog.py:")]
    assert shown.index("turn 1") < at < shown.index("turn 2"), done.err
    assert "recompile: `train.<lambda>` was compiled 2 more times" in shown[at]


def test_shapes_that_grow_are_told_once(go):
    done = go("for n in range(30, 40):\n    step(jnp.zeros(n))\nprint('end', file=sys.stderr)")
    (line,) = told(done, "recompile")
    assert "another shape" in line and done.err.index(line) < done.err.index("\nend")


@pytest.mark.parametrize(("option", "after"), [("", "one"), ("warmup=2", "two")])
def test_a_weak_type_is_told_after_the_warm_up_and_that_is_one_compile(go, option, after):
    done = go(
        """
        for number, weak, told in ((jnp.float32(0), 1.0, "two"), (jnp.int32(0), 1, "four")):
            step(number)
            print("one", file=sys.stderr, flush=True)
            step(weak)
            print(told, file=sys.stderr, flush=True)
        """,
        option,
    )
    (line,) = told(done, "a Python number where an array was")
    before = done.err[: done.err.index(line)]
    assert ("two" in before) == (after == "two"), done.err


def test_a_long_trace_and_a_long_compile_are_told_from_the_first_program_on(go):
    done = go(
        """
        @jax.jit
        def slow(x):
            for i in range(1200):
                x = jnp.sin(x) @ jnp.cos(x) * i
            time.sleep(1.5)
            return x
        slow(np.ones((4, 4), np.float32))
        """,
        "slow_compile=0.2",
        head="import time, numpy as np, jax, jax.numpy as jnp\n",
    )
    assert told(done, "still tracing slow (prog.py:9), 1 s, x: float32[4,4]"), done.err
    assert told(done, "still compiling slow (prog.py:9), ")


def test_a_trace_that_raised_is_not_spoken_of_again(go):
    done = go(
        """
        @jax.jit
        def bad(x):
            raise ValueError
        try:
            bad(1.0)
        except ValueError:
            pass
        step(2.0)
        time.sleep(1.5)
        """,
        "slow_compile=0.2:log_path=run.jsonl",
    )
    assert not told(done, "bad")
    compiled = [e for e in done.record() if e["event"] == "program" and "compile" in e["seconds"]]
    assert [e["function"] for e in compiled] == ["<lambda>"]


def test_the_end_of_the_warm_up_is_told_once(go):
    done = go(
        """
        from gotcha_sanitizer.run import notices
        notices._WORTH_SAYING = 0.01
        began = time.perf_counter()
        step(2.0)
        time.sleep(2 * (time.perf_counter() - began) + 2.5)
        """
    )
    (line,) = told(done, "warm-up done")
    assert re.search(r"warm-up done: 1 compiles, .*; none in the last ", line)


@pytest.mark.parametrize("number", [0, 1])
def test_hosts_but_the_first_say_nothing_at_once(go, number: int):
    done = go(f"jnp.zeros(1)\njax.process_index = lambda: {number}\n" + TURNS)
    assert bool(told(done, "recompile")) == (number == 0)


def test_the_number_of_a_host_is_known_before_its_backend_starts(go):
    done = go(
        """
        from types import SimpleNamespace
        from gotcha_sanitizer.hooks import internals
        print(internals.process_index(jax), internals.hosts(jax))
        state = SimpleNamespace(client=1, process_id=3, num_processes=8)
        jax._src.distributed.global_state = state
        print(internals.process_index(jax), internals.hosts(jax), internals.backend_started(jax))
        """
    )
    assert done.out.splitlines() == ["None None", "3 (3, 8) False"]
