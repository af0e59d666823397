"""Forks, pools, threads, kills, exit codes: each program runs as users run theirs."""

from __future__ import annotations

import re

import pytest

from gotcha_sanitizer.reporters import text
from gotcha_sanitizer.run.record import fold
from tests.sanitizer.processes import HEAD, functions, kinds
from tests.sanitizer.support import run as run_program

pytest.importorskip("jax")

LOG = "log_path=run.jsonl"


def test_a_forked_child_is_silent_and_leaves_no_empty_record(go):
    done = go(
        """
        step(1.0)
        for _ in range(2):
            if not (pid := os.fork()):
                sys.exit(0)
            os.waitpid(pid, 0)
        """,
        LOG,
    )
    assert done.code == 0
    assert len(set(re.findall(r"==(\d+)==gotcha: ", done.err))) == 1
    assert list(done.records()) == ["run.jsonl"]
    assert kinds(done.record()).count("summary") == kinds(done.record()).count("start") == 1
    assert functions(done.record()) == ["<lambda>"]


def test_a_forked_child_that_compiles_has_a_record_of_its_own(go):
    done = go(
        """
        pid = os.fork()
        storm() if not pid else step(1.0)
        if pid:
            assert os.waitpid(pid, 0)[1] == 0
        """,
        LOG,
    )
    (mine, parent), (theirs, child) = sorted(done.records().items())
    assert mine == "run.jsonl" and theirs == f"run.jsonl.{child[0]['pid']}"
    assert functions(parent) == ["<lambda>"] and functions(child) == ["storm.<lambda>"] * 4
    assert kinds(child)[0] == "start" and kinds(child)[-1] == "summary"
    assert parent[0]["pid"] != child[0]["pid"]
    assert done.err.count("==gotcha: no findings") == 1  # the child's storm is in its record alone


def test_a_fork_in_a_process_with_our_thread_warns_no_more_than_without_us(go):
    body = """
        import warnings
        step(1.0)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            pid = os.fork()
            if not pid:
                os._exit(0)
            os.waitpid(pid, 0)
        print(sorted({str(each.category) for each in told}))
        """
    assert go(body).out == go(body, on=False).out


def test_there_is_no_thread_before_the_first_compile(go):
    done = go(
        """
        import threading
        names = lambda: [t.name for t in threading.enumerate()]
        x = jax.numpy.zeros  # JAX is imported, and watched
        print(names())
        step(1.0)
        print(names())
        """
    )
    assert done.out.splitlines() == ["['MainThread']", "['MainThread', 'gotcha-ticker']"]


def test_the_ticker_has_no_thread_at_a_fork_and_goes_on_after_it(go):
    done = go(
        """
        import threading
        names = lambda: [t.name for t in threading.enumerate()]
        step(1.0)
        print("gotcha-ticker" in names())
        os.register_at_fork(before=lambda: None)
        seen = []
        import gotcha_sanitizer.run.ticker as ticker
        resume = ticker.Ticker.resume
        ticker.Ticker.resume = lambda self: (seen.append(names()), resume(self))[1]
        pid = os.fork()
        if not pid:
            os._exit(len(names()) - 1)
        print(os.waitpid(pid, 0)[1], seen, "gotcha-ticker" in names())
        """
    )
    assert done.out.splitlines() == ["True", "0 [['MainThread']] True"]


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers_of_a_pool_write_their_records(go, method):
    done = go(
        f"""
        def work(n):
            storm()
            return n
        if __name__ == "__main__":
            pool = mp.get_context("{method}").Pool(2)
            print(sorted(pool.map(work, [1, 2], chunksize=1)))
            pool.close()
            pool.join()
        """,
        LOG,
    )
    assert done.out == "[1, 2]\n"
    workers = [e for name, e in done.records().items() if name != "run.jsonl"]
    assert 1 <= len(workers) <= 2
    assert all(kinds(events)[-1] == "summary" for events in workers)
    assert sum(len(functions(events)) for events in workers) == 8
    assert functions(done.record()) == []


def test_a_worker_that_is_terminated_leaves_what_it_did(go):
    done = go(
        """
        def work(n):
            storm()
        if __name__ == "__main__":
            with mp.get_context("spawn").Pool(1) as pool:
                pool.map(work, [1])
        """,
        LOG,
    )
    (worker,) = [e for name, e in done.records().items() if name != "run.jsonl"]
    assert functions(worker) == ["storm.<lambda>"] * 4


def test_a_program_that_a_program_starts_does_not_write_over_its_record(go):
    done = go(
        """
        step(1.0)
        if len(sys.argv) == 1:
            subprocess.run([sys.executable, "prog.py", "child"])
        """,
        LOG,
    )
    assert len(done.records()) == 2
    for events in done.records().values():
        assert functions(events) == ["<lambda>"] and kinds(events)[-1] == "summary"


def test_a_record_is_written_anew_by_the_next_run(go):
    assert functions(go("step(1.0)", LOG).record()) == ["<lambda>"]
    again = go("storm()", LOG)
    assert list(again.records()) == ["run.jsonl"]
    assert functions(again.record()) == ["storm.<lambda>"] * 4


def test_run_as_a_module(go, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "__main__.py").write_text(HEAD + "storm()\n")
    done = go("", args=["-m", "package"])
    assert "recompile (new-function) at package/__main__.py:8" in done.err


def test_compiles_of_threads_are_seen(go):
    done = go(
        """
        from concurrent.futures import ThreadPoolExecutor
        def one(i):
            return jax.jit(lambda x: x * 3)(jnp.zeros(i + 1)).shape
        with ThreadPoolExecutor(4) as pool:
            print(list(pool.map(one, range(6))))
        """,
        LOG,
    )
    assert done.out == "[(1,), (2,), (3,), (4,), (5,), (6,)]\n"
    assert functions(done.record()) == ["one.<lambda>"] * 6


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_what_happened_is_on_disk_when_a_process_vanishes(go, end):
    done = go(f"storm(); step(1.0); {end}", LOG)
    assert done.code in (3, -9)
    assert functions(done.record()) == ["storm.<lambda>"] * 4 + ["<lambda>"]
    assert "finding" in kinds(done.record()) and "summary" not in kinds(done.record())


def test_sigusr1_prints_the_report_so_far(go):
    done = go("storm(); os.kill(os.getpid(), signal.SIGUSR1); print('on', file=sys.stderr)")
    before, _, after = done.err.partition("\non\n")
    assert done.code == 0
    assert "1 finding" in before and "1 finding" in after


def test_sigusr1_prints_it_while_the_program_hangs_in_a_call(go):
    body = """
        import hashlib, threading
        storm()
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGUSR1]).start()
        hashlib.pbkdf2_hmac("sha256", b"", b"", 5_000_000)  # seconds, without Python's lock
        print("on", file=sys.stderr)
        time.sleep(0.1)
        child = os.fork()
        if not child:
            print(signal.set_wakeup_fd(-1))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        """
    done = go(body)
    before, _, after = done.err.partition("\non\n")
    assert done.code == 0 and done.out == "-1\n"
    assert before.count("1 finding") == 1 and after.count("finding") == 1  # a fork


def test_sigusr1_of_the_program_stays_the_programs(go):
    body = """
        os.kill(os.getpid(), signal.SIGUSR1)
        """
    own = HEAD.replace(
        "import jax,", "signal.signal(signal.SIGUSR1, lambda *_: print('mine'))\nimport jax,"
    )
    done = go(body, head=own)
    assert done.out == "mine\n" and done.err.count("==gotcha: ") <= 1  # the one at the end


def test_hosts_but_the_first_keep_their_report_to_their_record(go):
    done = go("storm(); jax.process_index = lambda: 1", LOG)
    assert "finding" in kinds(done.record()) and "1 finding;" not in done.err
    assert "1 finding;" in go("storm(); jax.process_index = lambda: 0").err


CRASH = """
@jax.jit
def f(x):
    if x > 0:
        return x
    return -x
f(1.0)
"""


def test_a_crash_keeps_its_traceback_and_is_explained_after_it(go):
    program = CRASH.replace("f(1.0)", "step(1.0)\nf(1.0)")
    done, bare = go(program, LOG), go(program, on=False)
    assert done.code == bare.code == 1
    assert done.err.startswith(bare.err)
    told = done.err.removeprefix(bare.err)
    assert "==gotcha: traced-if at prog.py:12" in told and "argument: x" in told
    assert "more: gotcha-lint --explain traced-if\n" in told
    assert told.count("fix: ") == 1 and "  traced-if at prog.py:12: see above\n" in told
    (finding,) = [e for e in done.record() if e["event"] == "finding" and e["name"] == "traced-if"][
        :1
    ]
    assert (finding["severity"], finding["line"]) == ("error", 12)


def test_the_report_of_a_run_that_only_crashed_is_the_explanation(go):
    done = go(CRASH, LOG)
    explained, _, where = done.err.rpartition("==gotcha: ")
    assert where == "the record of this run: run.jsonl\n"
    report = explained.rpartition("==")[0]
    assert report.count("==gotcha: ") == 1 and report.endswith("--explain traced-if\n")
    later = text.render(fold(done.record()))  # as `gotcha-sanitize report run.jsonl`
    assert "gotcha: 1 finding; nothing was compiled in " in later
    assert "prog.py:12\n" in later and "fix: " in later
    redacted = go(CRASH, "redact=1").err
    assert redacted.count("==gotcha: ") == 1 and "traced-if at prog.py:12\n" in redacted


def test_an_exception_that_is_no_gotcha_is_left_alone(go):
    done, bare = go("raise ValueError('x')"), go("raise ValueError('x')", on=False)
    assert done.err.startswith(bare.err)
    assert "more: " not in done.err


OWN = "def own(kind, error, trace): print('own', kind.__name__, file=sys.stderr)\n"


def test_the_programs_own_excepthook_is_respected_before_and_after_ours(go):
    before = "import sys\n" + OWN + "sys.excepthook = own\n" + HEAD
    for done in (go(CRASH, head=before), go(OWN + "sys.excepthook = own\n" + CRASH)):
        assert done.code == 1
        assert done.err.startswith("own TracerBoolConversionError\n")
        assert "Traceback" not in done.err and "==gotcha: traced-if" in done.err
        assert done.err.count("==gotcha: traced-if") == 1


def test_a_crash_of_a_thread_is_explained_too(go):
    body = CRASH.replace("f(1.0)", "import threading\nt = threading.Thread(target=f, args=(1.0,))")
    done = go(body + "t.start()\nt.join()\n")
    assert done.code == 0
    assert done.err.index("Exception in thread") < done.err.index("==gotcha: traced-if")


def test_a_deleted_array_names_who_donates_that_shape(go):
    done = go(
        """
        update = jax.jit(lambda state: state + 1, donate_argnums=0)
        state = jnp.zeros(4)
        update(state)
        state + 1
        """
    )
    assert done.code == 1
    assert "RuntimeError: Array has been deleted with shape=float32[4]" in done.err
    assert "use-after-donat" in done.err and "`<lambda>` (its `state`)" in done.err


def test_a_redacted_run_tells_no_values(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(
        "import functools, jax, jax.numpy as jnp\n"
        "secret = 4141.25\n"
        "@functools.partial(jax.jit, static_argnames='k')\n"
        "def step(x, k):\n    return x * secret * k\n"
        "for k in (1717.5, 1818.5, 1919.5, 2020.5, 2121.5):\n    step(jnp.ones(3), k=k)\n"
        "secret = 4242.25\n"
        "step(jnp.ones(3), k=2020.5)\n",
        "utf-8",
    )
    record = tmp_path / "run.jsonl"
    result = run_program(program, record, options="redact=1")
    told = result.err + record.read_text("utf-8")
    assert "recompile (static-value)" in told and "stale-capture" in told
    assert not any(value in told for value in ("1818.5", "4141.2", "4242.2", "secret ="))


@pytest.mark.parametrize(
    ("module", "name", "feature"),
    [
        ("run.ticker", "Ticker.pause", "forks"),
        ("run.ticker", "Ticker.resume", "forks"),
        ("run.recording", "Recording.flush", "forks"),
        ("hooks.signals", "Reports._show", "signals"),
    ],
)
def test_a_fault_at_a_fork_or_a_signal_is_not_the_programs(go, module, name, feature):
    done = go(
        f"""
        import gotcha_sanitizer.{module} as broken
        def fail(*args, **kwargs):
            raise ZeroDivisionError("planted")
        storm()
        held = broken.{name}
        broken.{name} = fail
        if os.fork() == 0:
            os._exit(0)
        os.wait()
        os.kill(os.getpid(), signal.SIGUSR1)
        broken.{name} = held
        print("on")
        """
    )
    assert (done.code, done.out) == (0, "on\n")
    assert "Exception ignored" not in done.err and "Traceback" not in done.err
    assert f"degraded: {feature}: ZeroDivisionError: planted" in done.err


def test_a_fault_in_the_child_of_a_fork_is_not_the_programs(go):
    done = go(
        """
        import gotcha_sanitizer.run.session as broken
        def fail(*args, **kwargs):
            raise ZeroDivisionError("planted")
        storm()
        broken.Session.in_child = fail
        if os.fork() == 0:
            print("child", flush=True)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
        """
    )
    assert (done.code, done.out) == (0, "child\n0\n")
    assert "Exception ignored" not in done.err and "Traceback" not in done.err
