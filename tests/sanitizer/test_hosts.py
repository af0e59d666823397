"""Several hosts are compared while they run: pure, over a folder, and with real processes."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.agreement import Entry, State, difference, waiting
from gotcha_sanitizer.run.board import Folder
from gotcha_sanitizer.run.record import fold, read
from gotcha_sanitizer.values.parts import Site
from tests.sanitizer.support import SOURCES

PROGRAM = Path(__file__).parent / "programs" / "several_hosts.py"
HERE, THERE = Site("train.py", 41, "main"), Site("train.py", 210, "main")


def entry(name: str, shapes: str = "x: float32[8]", digest: str = "d", **agree: str) -> Entry:
    return Entry(name, shapes, HERE, digest, agree)


def differ(first: list[Entry], second: list[Entry]) -> str:
    found = difference((0, first), (3, second))
    return found[0] if found else ""


def test_equal_programs_do_not_differ():
    a = [entry("init"), entry("step", w="1")]
    assert differ(a, a) == "" == differ(a, a[:1])
    assert differ([entry("step", w="")], [entry("step", w="2")]) == ""  # one is not known


def test_the_first_difference_is_named():
    told = differ([entry("init"), entry("step")], [entry("init"), entry("evaluate")])
    assert told == (
        "after 1 program in common, host 0 compiled `step` (x: float32[8]) at train.py:41, "
        "but host 3 compiled `evaluate` (x: float32[8]) at train.py:41"
    )
    assert "with other operations" in differ([entry("f", digest="a")], [entry("f", digest="b")])


def test_values_that_must_agree_are_named():
    told = differ([entry("step", w="1", key="2")], [entry("step", w="1", key="3")])
    assert "hosts 0 and 3 call `step`" in told and "different values of `key`" in told


def waits(*states: State, **silent: float) -> str:
    known = {state.host: state for state in states}
    gone = {int(name[1:]): value for name, value in silent.items()}
    return " | ".join(words for _, words, _ in waiting(known, gone, 30.0))


def test_who_waits_for_whom():
    stuck, runs = State(0, 1, 4, THERE, 62.0, inside=True), State(1, 9, 4, HERE, 0.0)
    assert waits(stuck, runs) == (
        "host 0 has waited 62.0 s at train.py:210, but host 1 is at train.py:41"
    )
    assert waits(stuck, State(1, 9, 4, THERE, 61.0)) == ""  # a long step
    assert waits(State(0, 1, 4, THERE, 20.0), runs) == ""
    assert "host 1 waits at train.py:41: they" in waits(
        stuck, State(1, 9, 4, HERE, 50.0, inside=True)
    )
    assert "host 0 has waited" in waits(stuck, State(1, 9, 4, HERE, 90.0))
    assert "host 1 has ended its program" in waits(stuck, State(1, 9, 4, over=True))
    told = waits(stuck, State(1, 9, 4, THERE, 0.0), h1=40.0)
    assert "host 1 has given no sign of life for 40.0 s, last seen at train.py:210" in told


def test_a_folder_is_a_board(tmp_path: Path):
    old = tmp_path / "host-9.state.json"
    old.write_text('{"host": 9}')
    os.utime(old, (1e9, 1e9))  # of an earlier run
    one, two = Folder(tmp_path), Folder(tmp_path)
    state = State(0, 1, 2, HERE, 0.5)
    one.put(0, state.as_json())
    one.add(0, 0, {"function": "a"})
    one.add(0, 1, {"function": "b"})
    assert [State.read(each) for each in two.states()] == [state]
    assert two.programs(0, 1, 5) == [{"function": "b"}]
    assert two.programs(1, 0, 5) == []
    one.add(0, 0, {"function": "c"})  # a new run in an old folder
    assert two.programs(0, 0, 5) == [{"function": "c"}]


def test_a_forked_child_does_not_end_its_host(tmp_path: Path):
    jax = pytest.importorskip("jax")
    from gotcha_sanitizer.hooks.hosts import Hosts

    context = SimpleNamespace(jax=jax, now=lambda: 1.0, options=Options(), emit=print)
    hosts = Hosts(context)  # type: ignore[arg-type]
    hosts.index, hosts.count, hosts._board = 1, 2, Folder(tmp_path)
    hosts.pid = -1
    hosts.last()
    assert hosts._board.states() == []
    hosts.pid = os.getpid()
    hosts.last()
    (state,) = map(State.read, hosts._board.states())
    assert state.over and state.host == 1


def _port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Starts the hosts of a scenario; gives the folder with `err-0`, `err-1`, `run-0.jsonl`, ..."""
    pytest.importorskip("jax")
    begun: list[subprocess.Popen[bytes]] = []

    def hosts(scenario: str, count: int = 2, options: str = "slow_wait=3") -> Path:
        port = str(_port())
        for index in range(count):
            settings = {
                "PYTHONPATH": SOURCES,
                "GOTCHA_OPTIONS": f"color=never:log_path={tmp_path}/run-{index}.jsonl:{options}",
                "JAX_PLATFORMS": "cpu",
                "XLA_FLAGS": "",
            }
            command = [sys.executable, "-m", "gotcha_sanitizer.cli", "run", str(PROGRAM)]
            with (tmp_path / f"err-{index}").open("wb") as err:
                begun.append(
                    subprocess.Popen(
                        [*command, str(index), str(count), port, scenario],
                        env=os.environ | settings,
                        stdout=err,
                        stderr=err,
                    )
                )
        return tmp_path

    yield hosts
    for process in begun:
        process.kill()
    for process in begun:
        process.wait(30)


def told(folder: Path, word: str, index: int = 0) -> str:
    """The line of a host's output with this word, once it is there."""
    text = ""
    for _ in range(600):
        text = (folder / f"err-{index}").read_text("utf-8", "replace")
        if line := next((x for x in text.splitlines() if word in x and "gotcha" in x), ""):
            return line
        time.sleep(0.1)
    raise AssertionError(f"nothing of {word!r} in:\n{text}")


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_collective_that_a_host_skips(start: Callable[..., Path], count: int):
    folder = start("skipped", count)
    line = told(folder, "has waited")
    at = PROGRAM.read_text("utf-8").splitlines()
    waits, skips = (
        next(n for n, text in enumerate(at, 1) if part in text)
        for part in ("print(float(evaluate", "time.sleep(0.1)")
    )
    waiting = re.search(r"host (\d) has waited", line)  # the first of those that wait
    assert waiting and int(waiting[1]) < count - 1 and f"several_hosts.py:{waits}" in line
    assert f"host {count - 1} " in line and f"several_hosts.py:{skips}" in line
    events = [e for e in read(folder / "run-0.jsonl") if e["event"] == "diverged"]
    assert events[0]["line"] == waits and events[0]["cause"] == "wait"
    assert fold(read(folder / "run-0.jsonl")).wait
    assert "hosts differ" not in (folder / "err-0").read_text()


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_seeds_that_must_agree_over_a_folder(
    start: Callable[..., Path], tmp_path: Path, count: int
):
    folder = start("seeds", count, options=f"hosts={tmp_path}/shared")
    line = told(folder, "different values")
    assert re.search(r"hosts 0 and [1-3] call `noise`", line) and "`key`" in line
    assert fold(read(folder / "run-0.jsonl")).divergence
    assert (tmp_path / "shared" / "host-1.programs.jsonl").exists()


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_a_program_that_one_host_compiles_otherwise(start: Callable[..., Path], count: int):
    line = told(start("compile", count), "hosts differ")
    assert "host 0 compiled `evaluate`" in line and f"host {count - 1} compiled `step`" in line


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_a_host_that_dies(start: Callable[..., Path], count: int):
    line = told(start("dead", count), "no sign of life")
    assert f"host {count - 1} has given no sign of life" in line


@pytest.mark.slow
def test_hosts_that_agree_are_silent(start: Callable[..., Path]):
    records: list[Path] = []
    folder = start("fine", 4, options="slow_wait=60")
    for _ in range(1200):
        records = list(folder.glob("run-*.jsonl"))
        if len(records) == 4 and all(fold(read(path)).complete for path in records):
            break
        time.sleep(0.1)
    for path in records:
        run = fold(read(path))
        assert run.complete and not run.divergence and not run.wait
        assert not set(run.degraded) & {"ticker", "end", "compile events"}, run.degraded
