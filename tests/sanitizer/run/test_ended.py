"""Runs that a signal ends: they die of it as ever, and leave their report, page and record."""

from __future__ import annotations

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from gotcha_sanitizer.hooks import ending
from gotcha_sanitizer.hooks.guarding import Guarding
from gotcha_sanitizer.hooks.nan_origin import Origins
from gotcha_sanitizer.hooks.traces import spent
from tests.sanitizer.processes import kinds

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signals here")

OPTIONS = "log_path=run.jsonl:html=page.html"


def ends(go, how: str, work: str = "time.sleep(30)", options: str = OPTIONS):
    """A storm, then the signal from another thread while `work` is done."""
    return go(
        f"""
        import threading
        def end():
            time.sleep(1.5)
            os.kill(os.getpid(), signal.{how})
        storm()
        threading.Thread(target=end, daemon=True).start()
        {work}
        """,
        options,
    )


@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM"])
def test_it_dies_of_the_signal_and_leaves_all(go, how: str):
    done = ends(go, how)
    assert done.code == -getattr(signal, how), done.err
    assert "recompile" in done.err and (done.folder / "page.html").exists()
    assert kinds(done.record())[-1] == "summary"


def test_a_main_thread_that_never_comes_to_its_handler(go):
    """It is in a long call of C, which a signal does not end: a compile, or a lock."""
    hangs = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
    done = ends(go, "SIGTERM", hangs)
    assert done.code == -signal.SIGTERM and kinds(done.record())[-1] == "summary"


def test_a_handler_of_the_programs_own_stays(go):
    body = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))"
    done = go(f"{body}\nstorm(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)")
    assert done.code == 7


def test_a_forked_process_dies_at_once(go):
    done = go(
        """
        storm()
        pid = os.fork()
        if not pid:
            time.sleep(30)
        time.sleep(0.5)
        os.kill(pid, signal.SIGTERM)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
    )
    assert done.out.split() == ["-15"]


def test_a_worker_that_its_pool_ends_has_a_summary(go):
    done = go(
        """
        def work(n):
            return float(jax.jit(lambda x: x + n)(1.0))
        if __name__ == "__main__":
            with mp.get_context("fork").Pool(1) as pool:
                print(pool.map(work, range(3)))
        """,
        "log_path=run.jsonl",
    )
    (worker,) = [events for name, events in done.records().items() if name != "run.jsonl"]
    summary = [event for event in worker if event["event"] == "summary"][-1]
    assert summary["compiles"] >= 3 and summary["findings"] == 1


def test_a_killed_run_has_its_last_numbers(go):
    """A finding is written again as it grows, also where it has not doubled."""
    done = go(
        """
        for n in range(7):
            jax.jit(lambda x: x + n)(1.0)
        time.sleep(2.5)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        "log_path=run.jsonl",
    )
    found = [event for event in done.record() if event["event"] == "finding"]
    assert found[-1]["count"] == 6


def test_a_run_that_a_signal_ends_evaluates_nothing_again(monkeypatch: pytest.MonkeyPatch):
    """The time that is left is for the report; a compile might not end in it."""
    told: list[tuple[str, str]] = []
    context: Any = SimpleNamespace(degraded=lambda *why: told.append(why))
    guarding, origins = Guarding.__new__(Guarding), Origins.__new__(Origins)
    guarding.context = origins.context = context
    guarding.captured = origins.kept = [object()]  # type: ignore[assignment, list-item]
    guarding.later = {}
    monkeypatch.setattr(spent, "seconds", 0.0)  # other tests of this process have compiled
    with pytest.raises(AttributeError):
        origins.tell()  # there is no JAX
    monkeypatch.setattr(ending, "is_under_way", lambda: True)
    origins.tell()
    guarding.last()
    assert told == [("guard", "a signal ended the run: nothing was evaluated again")]
