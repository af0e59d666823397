"""What a guest in a JAX program stumbles over: each trap has tests, and the table names them."""

from __future__ import annotations

import importlib
import inspect
import sys
import threading
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer import old_python
from gotcha_sanitizer.hooks import calls, internals, private
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import lost, mine, problems

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

TRAPS = {
    # sys.monitoring: code objects are slow to hash, other tools hold places
    1: ["test_callbacks_hash_no_code", "test_places_of_other_tools", "test_events_of_other_tools"],
    # first compiles are normal
    2: ["test_scenarios.test_scenario"],
    # ids are used again, nothing is kept alive
    3: [
        "test_traps_objects.test_a_number_is_given_once",
        "test_traps_objects.test_nothing_is_kept_alive",
        "test_guest.test_a_thousand_compiles_leave_memory_as_it_is_without_us",
    ],
    # the user's `==`, `hash`, `repr`
    4: ["test_traps_objects.test_code_of_static_arguments", "test_traps_objects.test_enumerations"],
    # flattening runs the user's code
    5: ["test_traps_objects.test_a_pytree_that_fails_when_we_flatten_it"],
    # what a listener raises
    6: ["test_guest.test_whatever_breaks_the_program_is_the_same", "test_guest.test_a_few_faults"],
    # cleared listeners and caches
    7: [
        "test_cleared_caches_are_a_reason",
        "test_guest.test_listeners_that_a_program_clears_are_put_back",
    ],
    # threads
    8: ["test_a_thread_may_trace_first", "test_processes.test_compiles_of_threads_are_seen"],
    # bytecode of each version
    9: ["test_traps_objects.test_attributes_of_self_in_bytecode"],
    # f_locals is written through
    10: ["test_traps_objects.test_frames_are_only_read"],
    # flags that change the frames
    11: ["test_traps_programs.test_each_cause_under_a_flag"],
    # jit inside and around all else
    12: ["test_traps_jit.test_ways_to_jit"],
    # compiles that a library causes
    13: ["test_traps_programs.test_a_library_is_named"],
    # several hosts
    14: [
        "test_traps_programs.test_the_backend_is_not_started",
        "test_processes.test_hosts_but_the_first_keep_their_report_to_their_record",
    ],
    # the persistent cache
    15: ["test_traps_programs.test_a_hit_is_no_compile"],
    # what a wait is
    16: ["test_host_checks.test_reads_that_are_fine"],
    # values that change on purpose
    17: ["test_traps_objects.test_what_changes_on_purpose"],
    # large arrays are sampled
    18: ["test_traps_objects.test_a_change_in_place_is_called_sampled"],
    # JAX was imported before, no site-packages, archives
    19: [
        "test_traps_programs.test_jax_came_first",
        "test_launch.test_watches_the_program",
        "test_launch.test_where_the_script_may_lie",
        "test_startup.test_where_it_is_read",
    ],
    # processes that vanish
    20: ["test_processes.test_what_happened_is_on_disk_when_a_process_vanishes"],
    # our own arrays and traces
    21: ["test_we_run_nothing_of_jax"],
    # operations are noisy
    22: ["test_operations_of_a_line_are_one_finding"],
    # no trace event in an eager gradient
    23: ["test_a_stage_that_was_not_seen_is_not_zero"],
    # a jit made again over a kept trace
    24: ["test_a_jit_made_anew_is_no_storm"],
}


def _module(name: str) -> ModuleType:
    """The tests of that name, whichever folder of the sanitizer's tests they lie in."""
    folder = Path(__file__).parents[1]
    (path,) = folder.rglob(f"{name}.py")
    parts = path.relative_to(folder).with_suffix("").parts
    return importlib.import_module(".".join(("tests", "sanitizer", *parts)))


@pytest.mark.parametrize("number", range(1, 25))
def test_each_trap_has_its_tests(number: int):
    for name in TRAPS[number]:
        module, _, function = name.rpartition(".")
        inside = _module(module) if module else sys.modules[__name__]
        assert callable(getattr(inside, function))


class Unhashable:
    def __hash__(self) -> int:
        raise AssertionError("hashing a code object walks its bytecode")


@pytest.mark.monitoring
def test_callbacks_hash_no_code(running: Session):
    """Nor do they keep the code by its equality: they are called with code objects only."""
    jitted = jax.jit(lambda x: x)
    context: Any = SimpleNamespace(jax=jax, guard=running.guard, now=lambda: 1.0)
    made: Any = calls.Calls(context, 3, type(jitted))
    made._set = lambda code, events: None
    code: Any = Unhashable()
    made.add(code)
    made.arm()
    off = sys.monitoring.DISABLE  # type: ignore[attr-defined]
    looks = [made.on_call(code, 0, jitted, None) for _ in range(calls._AT_FIRST)]
    assert looks[-1] is off and looks[:-1] == [None] * (calls._AT_FIRST - 1)
    made.arm()
    assert made.on_call(code, 0, jitted, None) is off
    assert made.on_call(code, 0, print, None) is off
    assert made.on_line(code, 7) is off
    assert not lost(running)


def _storm() -> None:
    for i in range(4):
        jax.jit(lambda x: x + i)(1.0)  # noqa: B023


@pytest.mark.monitoring
@pytest.mark.parametrize("taken", [(0, 1, 4), (0, 1, 2, 3, 4, 5)])
def test_places_of_other_tools(taken: tuple[int, ...]):
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    gotcha.stop()
    free = [n for n in taken if monitoring.get_tool(n) is None]
    for n in free:
        monitoring.use_tool_id(n, f"other {n}")
    try:
        session.start(Options(quiet=True))
        running = session.current()
        assert running is not None
        assert monitoring.get_tool(3) == ("gotcha" if 3 not in taken else "other 3")
        _storm()
        assert "recompile/new-function" in problems(running)
        assert ("calls" in running.run.degraded) == (3 in taken)
        assert [monitoring.get_tool(n) for n in free] == [f"other {n}" for n in free]
    finally:
        for n in free:
            monitoring.free_tool_id(n)


def test_calls_that_this_python_does_not_show_are_told(running: Session):
    jax.jit(lambda x: x)(1.0)
    report = gotcha.report().splitlines()
    told = [line for line in report if "degraded:" in line or "not seen" in line]
    if sys.version_info >= (3, 12):
        assert not any("Python 3.11" in line for line in told)
        return
    hidden = "fast-path calls and np.asarray on the CPU"
    assert told == [f"  not seen on Python 3.11: {hidden}; see gotcha-sanitize doctor"]
    assert running.run.degraded == old_python.UNSEEN  # the record and the page tell it whole


@pytest.mark.monitoring
def test_events_of_other_tools(running: Session, monkeypatch):
    """Another tool's event that is switched off stays so: `restart_events` is never called."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
    seen: list[int] = []

    def program(x: Any) -> Any:
        return step(x)

    def note(code: Any, offset: int) -> Any:
        seen.append(offset)
        return monitoring.DISABLE

    step, x = jax.jit(lambda x: x * 2), jnp.ones(3)
    tool = next(n for n in (1, 2, 5) if monitoring.get_tool(n) is None)
    monitoring.use_tool_id(tool, "coverage")
    monitoring.register_callback(tool, monitoring.events.PY_START, note)
    monitoring.set_local_events(tool, program.__code__, monitoring.events.PY_START)
    try:
        for _ in range(10):
            program(x)
            time.sleep(0.03)
    finally:
        monitoring.set_local_events(tool, program.__code__, 0)
        monitoring.free_tool_id(tool)
    assert len(seen) == 1
    assert "restart_events(" not in inspect.getsource(calls)


def test_cleared_caches_are_a_reason(running: Session):
    step = jax.jit(lambda x: x * 3)
    for _ in range(4):
        step(1.0)
        jax.clear_caches()
    assert not problems(running)
    assert [f.cause for f in running.run.notes] == ["cache-cleared"]


def test_a_thread_may_trace_first(running: Session):
    step, x = jax.jit(lambda x: x * 2), jnp.ones(3)
    prefetch = threading.Thread(target=lambda: step(x))
    prefetch.start()
    prefetch.join()
    step(x)
    assert not problems(running)
    (program,) = mine(running)
    assert program["line"] > 0


def test_we_run_nothing_of_jax(running: Session):
    """Neither at the start, nor while it looks, nor in the report."""
    events: list[str] = []
    x = jnp.ones(3)
    step = jax.jit(lambda x: x * 2)
    step(x)
    arrays = len(jax.live_arrays())

    def note(event: str, seconds: float, **details: Any) -> None:
        events.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        time.sleep(1.2)  # the ticker looks at memory and captures
        step(x)
        assert "1 compile" in running.report()
        gotcha.stop()
        session.start(Options(quiet=True))
    finally:
        internals.unregister(jax, note)
    assert not [event for event in events if event in private.STAGES]
    assert len(jax.live_arrays()) == arrays


def test_operations_of_a_line_are_one_finding(running: Session):
    jax.jit(lambda x: x)(1.0)  # what comes before the first jitted function is the start
    for n in range(31, 41):
        jnp.sum(jnp.arange(n) * 2.0)
    ((name, message),) = problems(running).items()
    assert name == "eager-op-storm/"
    assert "`iota`, `multiply`, `reduce_sum` outside of jit" in message


def test_a_stage_that_was_not_seen_is_not_zero(running: Session):
    step = jax.jit(lambda x: x * 2)
    jax.grad(step)(1.0)
    program = mine(running)[0]
    assert "trace" not in program["seconds"] and program["seconds"]["compile"] > 0
    line = next(line for line in running.report().splitlines() if line.startswith("  test_a_stage"))
    assert " n/a " in line and " 0.0 ms" not in line


def test_a_jit_made_anew_is_no_storm(running: Session):
    def step(x: Any) -> Any:
        return x * 5

    for _ in range(5):
        x = jnp.ones(3)
        jax.jit(step)(x)
        jax.jit(step, donate_argnums=0)(x)
    assert [p["retraced"] for p in mine(running)] == [True, False]
    assert not problems(running)
