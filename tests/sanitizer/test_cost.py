"""Cost decides: dear first compiles, one more dear shape, loops that Python holds up."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gotcha_lint import registry
from gotcha_sanitizer.checks.eager_op_storm import EagerOpStorm
from gotcha_sanitizer.checks.host_bound_loop import HostBoundLoop
from gotcha_sanitizer.checks.many_first_compiles import ManyFirstCompiles
from gotcha_sanitizer.checks.recompile import Recompile
from gotcha_sanitizer.hooks import activity
from gotcha_sanitizer.hooks.activity import Sampler
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import suppress
from gotcha_sanitizer.run.session import Session
from gotcha_sanitizer.values.events import Activity, Event, Explained, LoopActivity, Program, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Difference, Function, Signature, Site
from tests.sanitizer.support import run

LINE, OUTER, INNER = (Site("train.py", n, "main") for n in (7, 3, 5))


def on(check, *events: Event) -> list[Finding]:
    made = check(Options())
    return [
        finding for event in events if isinstance(event, made.wants()) for finding in made.on(event)
    ]


def program(number: int, seconds: float, eager: str = "", why: str = "") -> Explained:
    """One of 10 s into the run, at one line."""
    name = "step" if why else f"f{number}"
    made = Program(
        at=10.0,
        number=number,
        function=Function(
            name, ("train.py", name), number, "function", "jax" if eager else "user", LINE
        ),
        stack=(LINE,),
        loops=(),
        signature=Signature(),
        captures=(),
        constants=(),
        seconds={"compile": seconds},
        retraced=True,
        cached=None,
        eager=eager,
    )
    differences = (Difference("shape", "x", "float32[8]", f"float32[{why}]"),) if why else ()
    return Explained(made, differences, number, number, None)


@pytest.mark.parametrize(
    ("count", "seconds", "eager", "severity"),
    [
        (100, 0.1, "", "warning"),
        (100, 0.015, "", "info"),
        (19, 1.0, "", ""),  # few
        (100, 0.001, "", ""),  # cheap
        (100, 0.05, "op", "info"),
        (100, 0.15, "op", "warning"),
    ],
)
def test_first_compiles_of_one_line(count: int, seconds: float, eager: str, severity: str):
    told = on(ManyFirstCompiles, *(program(n, seconds, eager) for n in range(count)))
    assert [f.severity for f in told[-1:]] == [severity] * bool(severity)
    assert not told or (told[-1].site, told[-1].count) == (LINE, count)


def test_first_compiles_of_a_busy_machine_are_no_warning():
    made = [program(n, 0.15, "op") for n in range(100)]
    busy = [replace(each, program=replace(each.program, worked=0.03)) for each in made]
    *_, found = on(ManyFirstCompiles, *busy)
    assert (found.severity, found.seconds) == ("info", pytest.approx(15.0))


@pytest.mark.parametrize("training", [False, True])
def test_parameters_that_are_made_each_with_its_own_shape(training: bool):
    """Once a jitted function was called, other shapes of an operation are a storm or nothing."""
    made = [program(n, 0.15, "op", why=str(n + 1)) for n in range(100)]
    told = on(ManyFirstCompiles, *([program(0, 0.1)] * training), *made)
    assert [(f.severity, f.count) for f in told[-1:]] == [("warning", 100)] * (not training)
    assert all("100 programs of operations outside of jit" in f.message for f in told[-1:])


@pytest.mark.parametrize(("seconds", "severity"), [(6.0, "warning"), (1.0, "info")])
def test_one_more_shape_is_judged_by_its_price(seconds: float, severity: str):
    (found,) = on(Recompile, program(2, seconds, why="4"))
    assert found.severity == severity


def test_the_price_is_that_of_a_machine_that_does_nothing_else():
    explained = program(2, 60.0, why="4")
    busy = replace(explained, program=replace(explained.program, worked=1.0))
    (found,) = on(Recompile, busy)
    assert (found.severity, found.seconds) == ("info", 60.0)


def test_the_work_of_a_compile_is_measured(running: Session):
    jax = pytest.importorskip("jax")
    events: list[Event] = []
    running.listeners.append(events.append)
    before = sum(os.times()[:4])
    jax.jit(lambda x: [jax.numpy.sin(x + n) for n in range(200)])(1.0)
    worked = sum(os.times()[:4]) - before
    made = [each.program for each in events if isinstance(each, Explained)]
    told = [each.worked for each in made if not each.eager]
    assert told and told[0] is not None and 0.05 < told[0] <= worked


def again(number: int, cause: str, seconds: float, site: Site) -> Explained:
    """One more program of `step`, at a line that has compiled it before."""
    explained = program(number, seconds, why="4")
    difference = Difference(cause, "fn", "a", "b", renewed=True)
    at_line = replace(explained.program, stack=(site,))
    return replace(explained, program=at_line, differences=(difference,), here=3)


@pytest.mark.parametrize(
    ("seconds", "severities"),
    [
        (0.1, {"static-identity": "warning", "call-style": "info"}),
        (30.0, {"static-identity": "warning", "call-style": "warning"}),
    ],
)
def test_what_hardly_counts_beside_a_functions_main_cause_is_a_note(
    seconds: float, severities: dict[str, str]
):
    """600 programs for a new function each, and two more for the way of a call at the end."""
    many = [again(n, "static-identity", 0.05, LINE) for n in range(600)]
    few = [again(n, "call-style", seconds / 2, OUTER) for n in range(600, 602)]
    told = on(Recompile, *many, *few, Tick(60.0, last=True))
    assert {found.cause: found.severity for found in told} == severities


def test_a_cause_that_is_alone_stays_a_warning():
    (*_, last) = on(Recompile, again(2, "call-style", 0.01, LINE), Tick(60.0, last=True))
    assert last.severity == "warning"


@pytest.mark.parametrize(
    ("seconds", "end", "severities"),
    [
        (0.01, 60.0, ["warning", "info"]),  # 0.1 s in all
        (0.01, 4.0, ["warning"]),
        (1.0, 600.0, ["warning"]),
    ],
)
def test_operations_whose_compiles_a_run_does_not_notice(
    seconds: float, end: float, severities: list[str]
):
    inside = replace(program(9, seconds, "op", why="9").program, loops=(OUTER,))
    storm = [
        replace(program(n, seconds, "op", why=str(n)), variants=n, program=inside)
        for n in range(6, 16)
    ]
    jitted = program(1, 0.1)
    told = on(EagerOpStorm, jitted, *storm, Tick(end - 1.0), Tick(end, last=True))
    assert list(dict.fromkeys(f.severity for f in told)) == severities


@pytest.mark.parametrize(("seconds", "severity"), [(0.02, "info"), (0.5, "warning")])
def test_operations_beside_control_flow_that_costs_far_more(seconds: float, severity: str):
    """One line runs an optimizer: its `scan` compiles for 20 s, some additions for 0.2 s."""
    inside = replace(program(9, seconds, "op", why="9").program, loops=(OUTER,))
    storm = [
        replace(program(n, seconds, "op", why=str(n)), variants=n, program=inside)
        for n in range(6, 16)
    ]
    called = replace(inside, function=replace(inside.function, name="scan"), seconds={"c": 2.0})
    scans = [replace(each, program=called) for each in storm]
    told = on(EagerOpStorm, program(1, 0.1), *scans, *storm, Tick(30.0, last=True))
    last = {found.name: found.severity for found in told}
    assert last == {"eager-control-flow": "warning", "eager-op-storm": severity}


def test_control_flow_outside_of_jit_is_reported_however_short_it_is():
    first, again = program(1, 0.01, "op", why="1"), program(2, 0.01, "op", why="2")
    called = replace(again.program.function, name="scan")
    inside = replace(again.program, loops=(OUTER,), function=called)
    told = on(EagerOpStorm, program(0, 0.1), first, replace(again, program=inside), Tick(9e3, True))
    assert [(f.name, f.severity) for f in told] == [("eager-control-flow", "warning")]


def loop(site: Site, seconds: float, eager: float, samples: int = 50) -> LoopActivity:
    return LoopActivity(site, samples, seconds, eager, {LINE: eager})


def test_the_innermost_of_nested_loops_is_named():
    (found,) = on(HostBoundLoop, Activity(9.0, (loop(OUTER, 4.0, 2.9), loop(INNER, 3.0, 2.9))))
    assert found.site == INNER and found.seconds == 2.9
    assert "97% of 3.0 s in this loop" in found.message and "train.py:7 (2.9 s)" in found.message


def test_a_tenth_of_a_loop_is_a_note():
    (found,) = on(HostBoundLoop, Activity(9.0, (loop(INNER, 3.0, 1.0),)))
    assert found.severity == "info" and "33% of 3.0 s" in found.message


@pytest.mark.parametrize(("eager", "severity"), [(56.0, "warning"), (24.0, "info")])
def test_a_share_below_half_that_has_cost_much_is_no_note(eager: float, severity: str):
    (found,) = on(HostBoundLoop, Activity(130.0, (loop(INNER, 119.0, eager),)))
    assert found.severity == severity


@pytest.mark.parametrize(
    "row",
    [
        loop(INNER, 9.0, 0.8),  # most of it is other work
        loop(INNER, 0.2, 0.2),  # short
        loop(INNER, 3.0, 2.9, samples=4),
    ],
)
def test_loops_that_are_no_finding(row: LoopActivity):
    assert on(HostBoundLoop, Activity(9.0, (row,))) == []


def test_a_loop_that_was_bound_at_first_becomes_a_note():
    events = (Activity(9.0, (loop(INNER, 3.0, 2.9),)), Activity(99.0, (loop(INNER, 80.0, 2.9),)))
    told = on(HostBoundLoop, *events)
    assert [f.severity for f in told] == ["warning", "info"] and told[0].id == told[1].id


EAGER = """
import time, jax, jax.numpy as jnp
w, x = jnp.ones((16, 16)), jnp.ones((8, 16))
def eager(w):
    end = time.process_time() + 2
    while time.process_time() < end:
        w = w - 0.01 * (x.T @ (jnp.tanh(x @ w) - 1.0))
    return w
@jax.jit
def step(w):
    return w - 0.01 * (x.T @ (jnp.tanh(x @ w) - 1.0))
def jitted(w):
    end = time.process_time() + 2
    while time.process_time() < end:
        w = step(w)
    return w
eager(w); jitted(w)
"""


def test_a_loop_outside_of_jit_beside_one_inside(tmp_path: Path):
    program = tmp_path / "prog.py"
    program.write_text(EAGER)
    result = run(program, tmp_path / "run.jsonl")
    (found,) = [f for f in result.problems if f.name == "host-bound-loop"]
    assert found.site is not None and found.site.line == 6, result.err


@pytest.mark.parametrize(
    ("files", "eager"),
    [
        (("jax/_src/lax/lax.py", "jax/_src/tree_util.py", "optax/_src/update.py"), True),
        (("jax/_src/prng.py", "jax/_src/random.py", "haiku/_src/base.py"), True),
        (("jax/_src/random.py",), True),  # the program's own split
        (("optax/_src/update.py", "jax/_src/tree_util.py", "optax/_src/update.py"), False),
        (("jax/_src/tree_util.py", "flax/nnx/graph.py"), False),  # no operation
    ],
)
def test_operations_that_a_library_starts_for_the_loop(files: tuple[str, ...], eager: bool):
    """From the top of the stack to the user's line, which is in a loop."""
    jax = pytest.importorskip("jax")
    installed = Path(jax.__file__).parents[1]
    frame = None
    for path in (__file__, *(str(installed / file) for file in reversed(files))):
        code = SimpleNamespace(co_filename=path, co_name="f")
        frame = SimpleNamespace(f_code=code, f_back=frame)
    assert activity._in_jax(frame) == eager  # type: ignore[arg-type]


WAITS = """
import time, jax, jax.numpy as jnp
@jax.jit
def step(w):
    for _ in range(20):
        w = jnp.tanh(w @ w)
    return w, w.mean()
w, end = jnp.eye(256), time.monotonic() + 2
while time.monotonic() < end:
    w, loss = step(w)
    float(loss), jax.block_until_ready(w)
"""


def test_a_host_that_waits_for_its_device_is_not_bound(tmp_path: Path):
    program = tmp_path / "prog.py"
    program.write_text(WAITS)
    result = run(program, tmp_path / "run.jsonl")
    assert not [f for f in result.problems if f.name == "host-bound-loop"], result.err


@pytest.mark.parametrize("ahead", [False, True])
def test_compiling_ahead_of_time_is_no_dispatch(ahead: bool):
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    emitted: list[Any] = []
    context: Any = SimpleNamespace(jax=jax, now=lambda: 1.0, emit=emitted.append)
    sampler = Sampler(context)

    def sample(row: Any) -> Any:  # called by JAX's NumPy: its frames are on the stack
        sampler._take(sys._getframe(1), 1.0)
        return row

    def looked_at(x: Any) -> Any:
        return jnp.apply_along_axis(sample, 0, x)

    x = jnp.ones((3, 2))
    if ahead:
        _ = [jax.jit(looked_at).lower(x).compile() for _ in range(2)]
    else:
        _ = [looked_at(x) for _ in range(2)]
    sampler.tell()
    assert [row.eager for event in emitted for row in event.loops] == ([] if ahead else [2.0])


LATE = ("multiprocessing.util", "gotcha_lint.errors", "gotcha_lint.facts.removed")


def test_a_short_run_does_not_import_what_it_does_not_need(tmp_path: Path):
    program = tmp_path / "short.py"
    program.write_text(
        "import sys, jax\n"
        "jax.jit(lambda x: x + 1)(1.0).block_until_ready()\n"
        f"print([name for name in {LATE} if name in sys.modules])\n"
    )
    result = run(program, tmp_path / "run.jsonl")
    assert result.code == 0 and result.out == "[]\n"


def test_an_allow_comment_is_read_without_reading_all_rules(monkeypatch, tmp_path: Path):
    """A loop's first finding would wait for 130 files."""

    def no_reading(path: Path) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(registry, "_info", no_reading)
    registry.rules.cache_clear()
    program = tmp_path / "train.py"
    program.write_text("x = 1\ny = 2  # gotcha: allow[recompile, key-reuse] meant\n")
    found = [Finding(n, "", Site(str(program), 2)) for n in ("recompile", "memory-growth")]
    assert [suppress.allowed(each) for each in found] == [True, False]
    monkeypatch.undo()
    assert registry.names() == set(registry.rules())
