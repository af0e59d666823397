"""Reads at the start of an iteration wait for dispatches that come later in the text."""

from __future__ import annotations

from pathlib import Path

from gotcha_lint.domain.freshness import kept_from
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import Value
from gotcha_lint.interpret.events import CompiledCall, Event, HostRead
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.host import host_reads
from gotcha_lint.solve.roots import Segment
from tests.counting import calls
from tests.lint.support import lint_files

ENDS = """
import jax


@jax.jit
def step(w, x):
    return w - x, (w - x).sum()


def train(w, batches, tolerance):
    for x in batches:
        w, loss = step(w, x)
        if float(loss) < tolerance:
            break
    return w
"""

TRAIN = Function("train", "a.py", 1)
OUTER, INNER = ("a.py", 2, 1), ("a.py", 4, 1)  # loops


def _call(line: int) -> CompiledCall:
    site = Site("transform", "a.py", (line, 1, line, 9))
    span = line, 1, line, 9
    loops = frozenset((OUTER, INNER))
    return CompiledCall(
        site, None, "a.py", span, {}, (), (), (), (1, frozenset()), TRAIN, loops=loops
    )


def _cost(rounds: int) -> int:
    """Of one read of what two dispatches of an inner loop gave, before so many rounds of both."""
    both = _call(5), _call(6)
    marks = frozenset(kept_from((call.path, call.span)) for call in both)
    read = HostRead(
        "float", "a.py", (3, 1, 3, 9), (Value((), True, marks),), TRAIN,
        loops=frozenset((OUTER,)), older=True,
    )  # fmt: skip
    events: list[Event] = [read, *(both * rounds)]
    return calls(lambda: host_reads(Segment(TRAIN, events)))[1]


def test_a_read_is_kept_once_for_each_dispatch() -> None:
    """Twice the dispatches cost twice as much."""
    _cost(1)
    few, more, most = _cost(4), _cost(8), _cost(16)
    assert most - more < 3 * (more - few)


def test_a_read_that_ends_the_loop_is_a_note(tmp_path):
    (found,) = lint_files(tmp_path, {"train.py": ENDS}, select=("host-read-every-step",))
    assert found.severity == "info"
    assert "every n iterations" in found.message


SEVERAL = """
import jax


@jax.jit
def step(w, x):
    return w - x, {"loss": (w - x).sum(), "norm": (w * w).sum(), "size": abs(w).sum()}


def train(w, batches, log):
    for x in batches:
        w, metrics = step(w, x)
        loss = float(metrics["loss"])
        norm = float(metrics["norm"])
        if loss > 1:
            log(float(metrics["size"]))
        log(norm)
    return w
"""


def test_the_other_reads_of_the_same_results_are_in_the_chain(tmp_path: Path) -> None:
    (finding,) = lint_files(tmp_path, {"train.py": SEVERAL}, ("host-read-every-step",))
    others = [place.line for place in finding.chain if place.message == "read here, too"]
    assert (finding.line, others) == (13, [14, 16])
