"""The checks of the host side, on events made by hand: no JAX."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gotcha_sanitizer.checks.compile_cache_unused import CompileCacheUnused
from gotcha_sanitizer.checks.device_array_pickled import DeviceArrayPickled
from gotcha_sanitizer.checks.environment_set_too_late import EnvironmentSetTooLate
from gotcha_sanitizer.checks.fork_after_start import ForkAfterStart
from gotcha_sanitizer.checks.host_read_every_step import HostReadEveryStep
from gotcha_sanitizer.checks.memory_growth import Group, MemoryGrowth, growth
from gotcha_sanitizer.checks.non_finite_value import NonFiniteValue
from gotcha_sanitizer.checks.numpy_weights_each_call import NumpyWeightsEachCall
from gotcha_sanitizer.checks.use_after_donation import UseAfterDonation
from gotcha_sanitizer.checks.wide_type_without_x64 import WideTypeWithoutX64
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.values.events import (
    Activity,
    Deleted,
    Event,
    Forked,
    HostRead,
    HostReads,
    LoopActivity,
    Memory,
    Pickled,
    Program,
    ReadsAt,
    Setting,
    Tick,
)
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Function, Leaf, Signature, Site

LINE = Site("train.py", 7, "main")
SCALARS = ((), "float32")
STALLS = ReadsAt(
    site=LINE,
    how="__float__",
    count=100,
    visits=100,
    waits=100,
    waited=2.0,
    spared=0.2,
    looked=12,
    idle=12,
    first=1.0,
    loops=(Site("train.py", 5),),
    steady=True,
)


def on(check, *events: Event) -> list[Finding]:
    made = check(Options())
    return [
        finding for event in events if isinstance(event, made.wants()) for finding in made.on(event)
    ]


def reads(**changes) -> list[Finding]:
    row = replace(STALLS, **changes)
    return on(HostReadEveryStep, HostReads(4.0, (row,)))


def test_a_read_that_stalls_each_step():
    (finding,) = reads()
    assert finding.site == LINE
    assert (finding.count, finding.seconds, finding.severity) == (100, 0.2, "warning")
    assert "float() waits" in finding.message and "2.0 s" in finding.message
    assert finding.evidence["share_of_run"] == 0.5


QUICK = replace(STALLS, count=60, visits=60, waits=2, waited=2e-4, looked=8, idle=8, spared=0.0)


@pytest.mark.parametrize(
    ("blocked", "new", "span", "severity"),
    [
        (1e-3, 7, 0.02, "warning"),  # 60 turns of 0.3 ms, each waits for a device of 17 us
        (1e-4, 0, 0.02, "info"),  # the arrays were there before the loop
        (1e-3, 0, 0.02, "info"),  # these too: a busy machine interrupted the reads
        (1e-3, 7, 2.0, "info"),  # the loop does other things
        (0.035, 7, 3.5, "info"),  # that too: it goes over an array on the device
        (0.35, 7, 3.5, "warning"),
        (19.9, 7, 20.0, "info"),  # an epoch in each turn
    ],
)
def test_short_reads_are_judged_by_their_loop(blocked: float, new: int, span: float, severity: str):
    told = reads(
        **{k: getattr(QUICK, k) for k in QUICK.__slots__}
        | {"blocked": blocked, "compared": 7, "new": new, "span": span}
    )
    assert [f.severity for f in told] == [severity]


@pytest.mark.parametrize(("waits", "severity"), [(30, "info"), (400, "warning")])
def test_a_few_long_reads_of_a_busy_machine_are_no_wait(waits: int, severity: str):
    """Most of 552 reads took no time; of 30 the processor was given to another process."""
    reading = {"visits": 552, "count": 552, "compared": 7, "new": 7, "spared": 0.001}
    (found,) = reads(blocked=0.09, waited=0.08, waits=waits, span=3.6, **reading)
    assert found.severity == severity


def test_a_read_that_the_program_acts_on_is_a_note(tmp_path: Path):
    program = tmp_path / "act.py"
    program.write_text(
        "for _ in range(9):\n    action = int(policy(obs))\n    obs = env.step(action)\n"
    )
    (found,) = reads(site=Site(str(program), 2, "main"))
    assert found.severity == "info" and "several environments" in found.advice


AGENT = """
class Agent:
    def select(self, seen):
        logits, state = self.forward(seen)
        self.state = state
        action = categorical(logits)
        return int(action)

    def best(self, seen):
        values = self.forward(seen)
        action = choice(flatnonzero(values == values.max()))
        return int(action)

    def learn(self, seen):
        self.state = self.update(seen)
        if self.state.step % 4 == 0:
            self.target = self.state
        return seen
"""
EPISODES = """
def run(agent, env):
    while not seen.last():
        action = agent.select(seen)
        seen = env.step(action)
        env.step(agent.best(seen))
        env.step(agent.learn(seen))
        print(agent.other(seen))
"""


@pytest.mark.parametrize(
    ("line", "function", "severity"),
    [
        (7, "Agent.select", "info"),  # returned, and the caller's loop acts on it
        (11, "Agent.best", "info"),  # by way of a variable, in an argument of `step`
        (16, "Agent.learn", "warning"),  # tested, not returned
        (7, "Agent.other", "warning"),  # what the loop prints
    ],
)
def test_a_read_that_the_caller_acts_on(line: int, function: str, severity: str, tmp_path: Path):
    agent, episodes = tmp_path / "agent.py", tmp_path / "episodes.py"
    agent.write_text(AGENT.replace("select", function.rpartition(".")[2]) if line == 7 else AGENT)
    episodes.write_text(EPISODES)
    read = Site(str(agent), line, function)
    (found,) = reads(site=read, loops=(Site(str(episodes), 3, "run"),))
    assert found.severity == severity
    assert ("several environments" in found.advice) == (severity == "info")


def test_a_read_that_stalls_no_more_is_a_note_with_its_last_numbers():
    later = replace(STALLS, count=500, visits=500, looked=60, idle=12)
    told = on(HostReadEveryStep, HostReads(4.0, (STALLS,)), HostReads(9.0, (later,)))
    assert [(f.severity, f.count) for f in told] == [("warning", 100), ("info", 500)]
    assert told[0].id == told[1].id


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"idle": 6}, id="the next step was in flight"),
        pytest.param({"steady": False}, id="every n steps"),
        pytest.param({"waits": 4}, id="a few waits"),
        pytest.param({"looked": 2, "idle": 2}, id="not looked at often enough"),
        pytest.param({"waited": 0.05}, id="a small share of the run"),
        pytest.param({"visits": 5000, "count": 5000}, id="interrupted now and then"),
        pytest.param({"waits": 6, "spared": 0.001}, id="long chunks, nothing to spare"),
        pytest.param(
            {"waits": 6, "visits": 6, "count": 6, "spared": 0.045}, id="long steps, 1.5 % to spare"
        ),
        pytest.param({"compared": 7, "new": 1}, id="the arrays were there before the loop"),
    ],
)
def test_reads_that_are_fine(changes: dict[str, object]):
    """Each a note at most: what is read at every turn, with nothing in flight, is told."""
    assert all(found.severity == "info" for found in reads(**changes))
    if {"idle", "steady", "looked"} & changes.keys():
        assert not reads(**changes)


def test_waiting_on_purpose_is_a_note():
    assert [finding.severity for finding in reads(how="block_until_ready")] == ["info"]


@pytest.mark.parametrize(
    ("loop", "visits", "severity"),
    [
        (Site("train.py", 5), 100, "info"),
        (Site("train.py", 5), 10, "warning"),  # at some steps only
        (Site("train.py", 40), 100, "warning"),
    ],
)
def test_a_read_of_what_the_loop_has_waited_for_is_a_note(loop: Site, visits: int, severity: str):
    """Equinox waits for the results of each step: reading them then takes no time."""
    line = Site("train.py", loop.line + 1, "main")
    waits = {"site": line, "how": "block_until_ready", "loops": (loop,)}
    wait = replace(STALLS, visits=visits, blocked=2.0, span=4.0, **waits)
    read = replace(STALLS, blocked=0.1, waited=0.0, waits=0, span=4.0)
    found = on(HostReadEveryStep, HostReads(4.0, (read, wait)))
    assert [each.severity for each in found if each.site == LINE] == [severity]


def test_a_read_that_waits_longer_than_the_wait_beside_it_is_reported():
    wait = replace(STALLS, site=Site("train.py", 6), how="block_until_ready", blocked=0.1, span=4.0)
    read = replace(STALLS, blocked=2.0, span=4.0)
    found = on(HostReadEveryStep, HostReads(4.0, (read, wait)))
    assert [each.severity for each in found if each.site == LINE] == ["warning"]


def test_of_steps_that_are_over_before_the_host_wakes_up_every_nth_is_read():
    assert "step before" in reads()[0].advice
    assert "step before" not in reads(waits=3000, visits=3000, count=3000)[0].advice


def test_many_leaves_of_one_visit():
    assert reads(count=1000)


def test_non_finite_values():
    read = HostRead(1.5, "__float__", (), "float32", 0.0, LINE, finite=False, count=41)
    (first, second) = on(NonFiniteValue, read, replace(read, count=42))
    assert "from read 41 of this line on" in first.message
    assert (second.count, second.id) == (2, first.id)
    assert not on(NonFiniteValue, replace(read, finite=None))


def test_pickled_arrays_add_up_by_line():
    one = Pickled(1.0, (64,), "float32", 256, LINE, "pickle")
    *_, last = on(DeviceArrayPickled, one, one, replace(one, how="an Orbax checkpoint"))
    assert last.count == 2
    assert "2 device arrays (512 B) went through pickle" in last.message
    assert last.message.endswith("; float32[64]")


def test_forks_are_counted_by_line():
    *_, last = on(ForkAfterStart, Forked(1.0, LINE), Forked(2.0, LINE))
    assert last.count == 2 and "forked 2 times" in last.message


def test_settings_go_to_the_check_of_their_name():
    late = Setting(1.0, "XLA_FLAGS", "`XLA_FLAGS` was set late", LINE)
    assert on(EnvironmentSetTooLate, late)[0].name == "environment-set-too-late"
    assert not on(CompileCacheUnused, late)
    assert on(CompileCacheUnused, replace(late, gotcha="compile-cache-unused"))


def program(leaves: dict[str, Leaf], call=(("state", "batch"), ()), **signature) -> Program:
    return Program(
        at=1.0,
        number=1,
        function=Function("step", ("step",), 1, "function", "user", Site("train.py", 1)),
        stack=(LINE,),
        loops=(Site("train.py", 5),),
        signature=Signature(call=call, leaves=leaves, **signature),
        captures=(),
        constants=(),
        seconds={"compile": 1.0},
        retraced=True,
        cached=None,
    )


DELETED = Deleted(2.0, "__float__", (4, 3), "float32", LINE)
LEAVES = {"state['w']": Leaf((4, 3), "float32"), "batch": Leaf((8,), "float32")}


@pytest.mark.parametrize("options", [{"donate_argnames": "('state',)"}, {"donate_argnums": "(0,)"}])
def test_who_donated(options: dict):
    (finding,) = on(UseAfterDonation, program(LEAVES, options=options), DELETED)
    assert "`step` (its `state['w']`)" in finding.message
    assert (finding.severity, finding.confidence) == ("error", "high")


def test_nobody_donated_an_array_of_this_shape():
    other = program(LEAVES, options={"donate_argnames": "('batch',)"})
    (finding,) = on(UseAfterDonation, other, DELETED)
    assert "no function was seen" in finding.message
    assert finding.confidence == "medium"


def test_growth_until_the_end():
    found = growth(SCALARS, [n / 10 for n in range(20)], [100 * n for n in range(20)])
    assert found is not None
    assert (found.arrays, found.bytes) == (1900, 7600)


@pytest.mark.parametrize(
    "count",
    [
        pytest.param([5000] * 20, id="steady"),
        pytest.param([0, *range(0, 5000, 500), *[5000] * 10], id="a buffer that fills up"),
        pytest.param([100 * (n % 5) for n in range(20)], id="emptied now and then"),
        pytest.param([*range(0, 100, 5)], id="few and small"),
        pytest.param([0, 0, 0, 4000, 4000, 4001, 4002, 4003], id="made at the start"),
        pytest.param([0, 900, 1900], id="too few samples"),
    ],
)
def test_no_growth(count: list[int]):
    assert growth(SCALARS, [n / 10 for n in range(len(count))], count) is None


def test_growth_is_seen_after_a_long_compile_and_before_the_locals_go():
    count = [3, 3, 3, 3, 3, 3, *range(3, 3003, 300), 2]
    assert growth(SCALARS, [float(n) for n in range(len(count))], count) is not None


def samples(
    holder: str, group: Group = ((64, 64), "float32"), each: int = 30, last: bool = True
) -> list[Event]:
    held: dict[Group, str] = {group: holder}
    place: dict[Group, Site] = {group: LINE}
    made = [
        Memory(n / 10, 0, each * n, {group: each * n}, held if n > 5 else {}, 0, place)
        for n in range(12)
    ]
    return [*made, Tick(2.0, last)]


def test_the_holder_is_named():
    (finding,) = on(MemoryGrowth, *samples("list `history` in main, train.py"))
    assert finding.site == LINE
    assert "list `history` in main, train.py" in finding.message
    assert "`history`" in finding.advice


@pytest.mark.parametrize(("each", "severity"), [(300, "info"), (3000, "warning")])
def test_small_arrays_weigh_what_each_takes_of_the_host(each: int, severity: str):
    """3,300 losses are 6 MiB at the end of a run, 33,000 are 63 MiB."""
    (finding,) = on(MemoryGrowth, *samples("list `losses` in train.py", SCALARS, each))
    assert finding.severity == severity and "`losses`" in finding.message


def test_a_bounded_holder_is_no_finding():
    assert not on(MemoryGrowth, *samples("deque of at most 10,000 `recent` in main, train.py"))


LOOP = """
def main(weights, batches):
    for batch in batches:
        batch = batch * 2
        step(weights, batch)
"""


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (LOOP, ["weights"]),
        (LOOP.replace("batch = batch * 2", "weights = renew(batch)"), []),
        (LOOP.replace("batch = batch * 2", "fill(weights)"), []),
        (LOOP.replace("    for batch in batches:", "    if True:"), []),
        (LOOP.replace("step(weights, batch)", "step(weights, batch); other(a, b)"), []),
    ],
)
def test_numpy_arguments_that_the_loop_never_changes(source: str, names: list[str], tmp_path: Path):
    path = tmp_path / "train.py"
    path.write_text(source)
    large = Leaf((1024, 1024), "float32", kind="numpy")
    event = replace(
        program({"weights['w']": large, "batch": large}, (("weights", "batch"), ())),
        stack=(Site(str(path), 5, "main"),),
    )
    assert [f.evidence["argument"] for f in on(NumpyWeightsEachCall, event)] == names


@pytest.mark.parametrize(
    ("side", "given", "severities"),
    [
        (512, "float64", ["warning"]),
        (64, "int64", ["info"]),
        (16, "float64", []),
        (512, "", []),  # of 32 bits
    ],
)
def test_batches_that_each_call_narrows(side: int, given: str, severities: list[str]):
    batch = Leaf((side, side), "float32", kind="numpy", given=given)
    event = program({"batch['x']": batch, "w": Leaf((4,), "float32")}, (("batch", "w"), ()))
    found = on(WideTypeWithoutX64, event)
    assert [f.severity for f in found] == severities
    assert all("`batch['x']` (" in f.message and "to float32" in f.message for f in found)
    assert not on(WideTypeWithoutX64, replace(event, loops=()))


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("weights = step(weights, batch)", ["batch"]),
        ("weights, loss = step(weights, batch)", ["batch"]),
        ("self.loss, (weights, batch) = step(weights, batch)", []),
        ("loss = step(weights, batch)", ["weights", "batch"]),
        ("weights = step(step(weights, batch), batch)", ["weights", "batch"]),  # which call?
    ],
)
def test_weights_that_the_first_call_replaces_are_narrowed_once(
    call: str, shown: list[str], tmp_path: Path
):
    path = tmp_path / "train.py"
    path.write_text(LOOP.replace("step(weights, batch)", call))
    large = Leaf((512, 512), "float32", kind="numpy", given="float64")
    event = replace(
        program({"weights['w']": large, "batch": large}, (("weights", "batch"), ())),
        stack=(Site(str(path), 5, "main"),),
    )
    said = "".join(f.message for f in on(WideTypeWithoutX64, event))
    assert [name for name in ("weights", "batch") if f"`{name}" in said] == shown


@pytest.mark.parametrize(("blocked", "last"), [(0.1, "info"), (2.0, "warning")])
def test_a_short_read_in_a_loop_that_python_holds_up_is_a_note(blocked: float, last: str):
    row = replace(STALLS, blocked=blocked, span=4.0)
    bound = Activity(5.0, (LoopActivity(row.loops[0], 50, 4.0, 3.0),))
    (first,) = on(HostReadEveryStep, HostReads(5.0, (row,)))
    *_, after = on(HostReadEveryStep, HostReads(5.0, (row,)), bound)
    *_, before = on(HostReadEveryStep, bound, HostReads(5.0, (row,)))
    assert (first.severity, after.severity, before.severity) == ("warning", last, last)


def test_small_numpy_arguments_are_fine(tmp_path: Path):
    path = tmp_path / "train.py"
    path.write_text(LOOP)
    small = Leaf((64,), "float32", kind="numpy")
    event = replace(
        program({"weights": small, "batch": small}, (("weights", "batch"), ())),
        stack=(Site(str(path), 5, "main"),),
    )
    assert not on(NumpyWeightsEachCall, event)
