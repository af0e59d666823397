"""A guest's manners: a program does the same with and without the sanitizer, whatever breaks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gotcha_sanitizer.values.events import Program
from gotcha_sanitizer.values.parts import Function, Leaf, Signature, Site
from tests.sanitizer.support import SOURCES

pytest.importorskip("jax")

# Prints all that must not depend on the sanitizer. Compiles are counted by JAX's own events.
PROGRAM = """
import functools, gc, pickle, sys, traceback, weakref
import jax, jax.numpy as jnp, numpy as np

counts = {}
def count(event, seconds, **details):
    if event.startswith("/jax/core/compile"):
        key = event.rpartition("/")[2], details.get("fun_name")
        counts[key] = counts.get(key, 0) + 1
jax.monitoring.register_event_duration_secs_listener(count)

SCALE = 2.0
W = jnp.arange(12.0).reshape(3, 4)

@functools.partial(jax.jit, static_argnames="n", donate_argnames="state")
def step(state, batch, n=1):
    '''Doc.'''
    for _ in range(n):
        state = jax.tree.map(lambda a: a * SCALE + batch.sum(), state)
    return state, (W @ jnp.ones(4)).sum()

def program():
    state = {"w": jnp.ones((2, 3)), "b": jnp.zeros(3)}
    for size in (4, 4, 5, 6, 7):
        state, out = step(state, jnp.ones(size), n=size % 2 + 1)
    print(float(out), jax.tree.map(np.asarray, state))
    for i in range(4):
        print(jax.jit(lambda x: x + i)(1.0))
    print(jax.grad(lambda x: (step({"a": x}, 2 * x)[0]["a"] ** 2).sum())(jnp.ones(3)))
    print(jax.vmap(lambda x: x * 2)(np.arange(3)))
    print(jax.lax.scan(lambda c, x: (c + x, c), 0, jnp.arange(3)))
    print(step.lower(state, jnp.ones(4)).as_text())
    print(step.lower(state, jnp.ones(4)).compile().as_text())
    print(type(step), step.__name__, step.__doc__, step.__wrapped__.__name__)

@jax.jit
def branch(x):
    if x > 0:
        return x
    return -x

class Weird:
    def __eq__(self, other):
        raise RuntimeError("do not compare")
    def __repr__(self):
        raise RuntimeError("do not show")
    __hash__ = None

def errors():
    calls = [
        lambda: branch(1.0),
        lambda: step({"w": 1}, "text"),
        lambda: step({}, jnp.ones(2), n=[1]),
        lambda: jax.jit(lambda x, w: x, static_argnums=1)(1.0, Weird()),
        lambda: jax.jit(lambda x: x.reshape(7))(jnp.ones(3)),
        lambda: float(jax.jit(lambda x: x)(jnp.ones(3))),
        lambda: jnp.ones(3) + jnp.ones(4),
    ]
    for call in calls:
        try:
            call()
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            print(type(error), error, [f.name for f in frames if f.filename == __file__])
            print([(f.name, f.lineno) for f in frames])

def lifetimes():
    x = jnp.ones(1000)
    f = lambda x: x * 2
    jitted = jax.jit(f)
    jitted(x)
    arrays, functions = weakref.ref(x), weakref.ref(f)
    del x, f, jitted
    print(arrays(), gc.collect() >= 0, functions())
    print(pickle.loads(pickle.dumps({"w": W}))["w"].sum(), len(pickle.dumps(W)))
    print(len(jax.live_arrays()))

program(); errors(); lifetimes()
print(sorted(counts.items(), key=str))
"""


def python(
    tmp_path: Path, program: str, *, on: bool = True, options: str = "", site: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs a program; the sanitizer starts with the process, as from its `.pth`."""
    folder = tmp_path / "site"
    folder.mkdir(exist_ok=True)
    # As the .pth does it: nothing of ours is imported where the variable is unset.
    guarded = "import os\nif os.environ.get('GOTCHA_SANITIZE'):\n"
    start = "from gotcha_sanitizer._startup import start\nstart()\n" + textwrap.dedent(site)
    (folder / "sitecustomize.py").write_text(guarded + textwrap.indent(start, "    "))
    (tmp_path / "prog.py").write_text(textwrap.dedent(program))
    settings = {
        "PYTHONPATH": os.pathsep.join((str(folder), SOURCES)),
        "GOTCHA_SANITIZE": "1" if on else "",
        "GOTCHA_OPTIONS": f"color=never:{options}",
        "JAX_PLATFORMS": "cpu",
    }
    return subprocess.run(
        [sys.executable, "prog.py"],
        cwd=tmp_path,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("bare")
    done = python(folder, PROGRAM, on=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return _plain(done.stdout, folder)


def _plain(text: str, folder: Path) -> str:
    """Without what differs between any two runs: addresses and the folder."""
    return re.sub(r"0x[0-9a-f]+", "0x", text.replace(str(folder), ""))


def test_off_loads_nothing_of_ours(tmp_path):
    for value in ("", "0"):
        body = "import sys, jax\nprint([m for m in sys.modules if m.startswith('gotcha')])"
        (tmp_path / "prog.py").write_text(body)
        pth = (Path(SOURCES.split(os.pathsep)[0]) / "gotcha_sanitizer.pth").read_text()
        done = subprocess.run(
            [sys.executable, "-c", f"{pth}\nexec(open('prog.py').read())"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": SOURCES, "GOTCHA_SANITIZE": value},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_program_does_the_same_with_and_without(tmp_path, bare):
    done = python(tmp_path, PROGRAM)
    assert done.returncode == 0
    assert _plain(done.stdout, tmp_path).splitlines() == bare.splitlines()
    assert "recompile" in done.stderr  # it did watch


FAULTS = [
    *[f"hooks.compiling:Compiling.{name}" for name in (
        "_start", "_program", "_drop_ended", "_describe", "_end", "_traced", "_close",
        "_root", "_turn",
        "_look_inside",  # not on_scalar and its like: these are what the guard is called from
    )],
    "hooks.traces:Traces.keep", "hooks.hosts:install",
    "hooks.compiling:_shown", "hooks.compiling:install",
    "hooks.compiling:signature", "hooks.compiling:identify", "hooks.compiling:constants",
    "hooks.compiling:where", "hooks.compiling:shapes", "hooks.compiling:inlined",
    *[f"hooks.signature:{name}" for name in ("_tree", "_containers", "leaf", "static", "mark")],
    "hooks.identity:_unwrap", "hooks.identity:_kind", "hooks.identity:source",
    *[f"hooks.capture:{name}" for name in (
        "reads", "captures", "settings", "_of_function", "_helper", "_loads", "mark",
        "_is_users", "_attributes_of",
    )],
    *[f"hooks.constants:{name}" for name in (
        "inner_jaxprs", "arrays_in", "_large", "_digest", "_origins", "_leaves",
    )],
    "hooks.self_tests:self_test", "hooks.stack:find", "hooks.stack:transformation",
    *[f"hooks.internals:{name}" for name in (
        "call", "context", "options",
        "static_names", "is_registered", "process_index",
    )],
    *[f"explain.recompile_causes:{name}" for name in (
        "History.explain", "_key", "_nearest", "_differences", "_functions", "signatures",
    )],
    *[f"checks.recompile:{name}" for name in (
        "Recompile.on", "_is_avoidable", "_finding", "_message", "_reason",
    )],
    "hooks.compiling:filtered",
    "run.session:as_json", "run.stream:Stream.write", "run.stream:Stream.open",
    "run.stream:Stream.flush", "run.record:Run.add", "run.record:summary", "reporters.text:render",
    "reporters.text:block", "reporters.text:table", "run.suppress:covered",
    "run.notices:Notices.on", "run.notices:Notices.found", "run.ticker:Ticker.start",
    "run.notices:Notices.announce", "run.lifetime:is_first_host", "run.session:Session._install",
    "run.session:finish", "run.checking:Checking.on", "run.checking:Checking._found",
    "hooks.compiling:turn", "hooks.open_program:OpenProgram.as_event", "hooks.crashes:install",
    "hooks.signals:install", "run.lifetime:enter", "explain.crashes:explain",
]  # fmt: skip

BREAK = """
    import importlib
    module, _, path = {fault!r}.partition(":")
    def fail(*args, **kwargs):
        raise RuntimeError("injected")
    holder = importlib.import_module("gotcha_sanitizer." + module)
    *outer, name = path.split(".")
    for each in outer:
        holder = getattr(holder, each)
    getattr(holder, name)  # it is there
    setattr(holder, name, fail)
"""
SMALL = """
import sys
import jax, jax.numpy as jnp
step = jax.jit(lambda x: x * 2)
W = jnp.ones(1000)
@jax.jit
def f(x, t=(1, {"a": 2.0})):
    return (x @ W) * t[1]["a"]
f(jnp.ones(1000))
for n in (8, 9, 11, 13):
    print(step(jnp.ones(n)))
    print(jax.jit(lambda x: x + n)(1.0))
jax.grad(lambda x: step(x).sum())(jnp.ones(3))
print("to stderr", file=sys.stderr)
sys.exit(3)
"""
# In these the report itself is what breaks, or it has no part in what is reported here.
SILENT = {
    "hooks.internals:process_index", "hooks.internals:is_registered", "explain.crashes:explain",
    "hooks.signature:static", "hooks.constants:_leaves", "hooks.capture:_helper",
    "hooks.capture:mark", "hooks.stack:transformation", "hooks.signature:mark",
}  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> subprocess.CompletedProcess[str]:
    return python(tmp_path_factory.mktemp("small"), SMALL, on=False)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_breaks_the_program_is_the_same(tmp_path, small, fault):
    _check_fault(tmp_path, small, fault)


@pytest.mark.parametrize(
    "fault", ["hooks.compiling:Compiling._start", "hooks.compiling:turn", "run.session:finish"]
)
def test_a_few_faults(tmp_path, small, fault):
    _check_fault(tmp_path, small, fault)


def _check_fault(tmp_path, small, fault: str) -> None:
    done = python(tmp_path, SMALL, options="log_path=run.jsonl", site=BREAK.format(fault=fault))
    assert (done.returncode, done.stdout) == (small.returncode, small.stdout)
    assert done.returncode == 3
    assert small.stderr in done.stderr and "Traceback" not in done.stderr
    if fault.startswith(("hooks.compiling", "hooks.signature", "hooks.identity")):
        # What could not be looked at is no reason for a finding.
        assert "nothing that" not in done.stderr, done.stderr
    if fault not in SILENT:
        assert "injected" in done.stderr, done.stderr


def test_listeners_that_a_program_clears_are_put_back(tmp_path):
    done = python(
        tmp_path,
        """
        import time, jax, jax.numpy as jnp
        jax.jit(lambda x: x)(1.0)
        jax.monitoring.clear_event_listeners()
        time.sleep(5.5)
        for i in range(4):
            jax.jit(lambda x: x + i)(1.0)
        """,
    )
    assert "recompile (new-function) at prog.py:7" in done.stderr


MANY = """
import gc, resource, sys, jax, jax.numpy as jnp
def resident():
    gc.collect()
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:  # not Linux: the most so far
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
def again(n):
    for i in range(n):
        x = jnp.full(8, float(i))
        jax.jit(lambda y: (y + x).sum())(x)
        if i % 50 == 49:
            jax.clear_caches()
    jax.clear_caches()
again(200)
before, arrays = resident(), len(jax.live_arrays())
again(1000)
print(resident() - before, len(jax.live_arrays()) - arrays)
"""


@pytest.mark.slow
def test_a_thousand_compiles_leave_memory_as_it_is_without_us(tmp_path):
    """JAX itself keeps some kilobytes for each compile; ours is what comes on top of that."""
    grown = {}
    for on in (False, True):
        done = python(tmp_path, MANY, on=on)
        grown[on], arrays = map(int, done.stdout.split())
        assert arrays == 0
    assert grown[True] - grown[False] < 8 * 2**20, grown


def test_what_is_kept_is_bounded():
    from gotcha_sanitizer.explain.recompile_causes import History
    from gotcha_sanitizer.run.record import Run

    run, history = Run(), History()
    for number in range(25_000):
        run.add(row(number))
    for number in range(200):
        history.explain(program(number))
    assert len(run.programs) <= 20_000 and len(run.rows) == 1
    assert len(history.of("f")) <= 64
    assert run.count("programs") == 25_000


def test_of_a_storm_some_are_kept_unless_the_page_is_asked_for(tmp_path):
    from gotcha_sanitizer.options import Options
    from gotcha_sanitizer.run.recording import SOME
    from gotcha_sanitizer.run.session import Session

    for page, kept in (("", SOME), (str(tmp_path / "run.html"), 1000)):
        recording = Session(Options(html=page)).recording
        for number in range(1000):
            recording.add(row(number))
        assert len(recording.run.programs) == kept
        assert recording.run.count("programs") == 1000


def row(number: int) -> dict:
    return {
        "event": "program", "at": 1.0, "program": number, "function": "f", "owner": "user",
        "eager": "", "defined": ["a.py", 1], "path": "a.py", "line": 2, "retraced": True,
        "cached": None, "seconds": {"compile": 0.1}, "causes": [], "why": [],
    }  # fmt: skip


def program(number: int) -> Program:
    leaf = Leaf((number,), "float32")
    return Program(
        1.0, number, Function("f", ("f",), 1, "function", "user", Site("a.py", 1)),
        (Site("a.py", 2),), (), Signature(leaves={"x": leaf}), (), (), {"compile": 0.1}, True, None,
    )  # fmt: skip
