"""The rounds of the analysis: they end, and all that functions tell each other has arrived then."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint.analysis import rounds
from gotcha_lint.analysis.rounds import MAX_RUNS, Result, Results, settle
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.values import FunctionId
from tests.lint.test_model import bodies, traced

FUNCTIONS = [("a.py", number) for number in range(8)]


@given(st.sets(st.tuples(*[st.sampled_from(FUNCTIONS)] * 2)), st.permutations(FUNCTIONS))
def test_all_that_is_told_arrives(
    calls: set[tuple[FunctionId, FunctionId]], order: list[FunctionId]
) -> None:
    """A function tells those that it calls of itself and of all that call it, in any order."""

    def analyse(
        ids: Iterable[FunctionId], table: Mapping[Key, Any], changed: Set[Key]
    ) -> Iterator[Results]:
        for fid in ids:
            yield {fid: tells(fid, table)}

    def tells(fid: FunctionId, table: Mapping[Key, Any]) -> Result:
        read = table.get(("called", fid))
        known = frozenset({fid}) | (read or frozenset())
        return {("called", b): known for a, b in calls if a == fid}, {("called", fid): read}

    table = settle([order[:3], order[3:]], {}, analyse)
    above = {b: {a for a, called in calls if called == b} for _, b in calls}
    for _ in FUNCTIONS:
        for callers in above.values():
            callers |= {far for near in callers for far in above.get(near, set())}
    assert table == {("called", fid): callers for fid, callers in above.items()}


def test_what_never_settles_is_left() -> None:
    runs: Counter[FunctionId] = Counter()

    def analyse(
        ids: Iterable[FunctionId], table: Mapping[Key, Any], changed: Set[Key]
    ) -> Iterator[Results]:
        runs.update(ids)
        yield {fid: ({("n",): runs[fid]}, {("n",): table.get(("n",))}) for fid in ids}

    settle([FUNCTIONS[:1]], {}, analyse)
    assert runs[FUNCTIONS[0]] == 1 + MAX_RUNS


def test_calls_go_deeper_than_any_bound(tmp_path: Path) -> None:
    depth = 3 * MAX_RUNS
    files = {
        f"m{n:02}.py": f"""
            from m{n + 1:02} import f{n + 1}

            def f{n}(x):
                return f{n + 1}(x)
            """
        for n in range(depth)
    }
    files[f"m{depth}.py"] = f"def f{depth}(x):\n    return x\n"
    files["train.py"] = "from m00 import f0\nstep = jax.jit(f0)\n"
    assert set(traced(tmp_path, files)) == {f"f{n}" for n in range(depth + 1)}


RECURSION = {
    "a transform of itself": """
        def spread(x, n):
            return jax.vmap(lambda row: spread(row, n - 1))(x) if n else x

        step = jax.jit(spread, static_argnums=1)
        """,
    "a method compiled in its own place": """
        class Buffer:
            def insert(self, x):
                return x

        def use(buffer):
            for _ in range(3):
                buffer.insert = jax.jit(buffer.insert)

        use(Buffer())
        """,
    "an attribute wrapped again and again": """
        class Agent:
            def __init__(self, step):
                self.step = step

            def wrap(self):
                self.step = jax.jit(self.step)

        def plain(x):
            return x

        Agent(plain).wrap()
        """,
    "containers in containers": """
        def nest(tree, n):
            return nest({"inner": tree}, n - 1) if n else tree

        nest(jnp.ones(3), 4)
        """,
}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[FunctionId]]:
    """How often each function is analysed."""
    counted: Counter[FunctionId] = Counter()
    real = rounds.Shard.analyse

    def analyse(self: rounds.Shard, ids: Iterable[FunctionId], table: Mapping[Key, Any]) -> Any:
        ids = list(ids)
        counted.update(ids)
        return real(self, ids, table)

    monkeypatch.setattr(rounds.Shard, "analyse", analyse)
    yield counted


@pytest.mark.parametrize("name", RECURSION)
def test_recursion_settles(tmp_path: Path, name: str, runs: Counter[FunctionId]) -> None:
    bodies(tmp_path, {"program.py": RECURSION[name]})
    assert runs and max(runs.values()) < MAX_RUNS


def test_a_chain_has_no_function_twice(tmp_path: Path) -> None:
    found = bodies(tmp_path, {"program.py": RECURSION["a transform of itself"]})
    for name in ("spread", "spread.<lambda>"):
        trace = found[name].trace
        assert trace is not None and len(trace.chain) == len(set(trace.chain))


def test_recursion_alone_traces_nothing(tmp_path: Path) -> None:
    text = """
        def count(tree):
            return sum(map(count, tree)) + count(tree[0]) if tree else 0

        count([[], []])
        """
    assert traced(tmp_path, {"program.py": text}) == {}


def test_nothing_is_left_of_earlier_rounds(tmp_path: Path, runs: Counter[FunctionId]) -> None:
    """Cycles are not collected in a run: what is analysed again would be kept many times."""
    gc.collect()
    gc.disable()
    try:
        before = _alive()
        found = bodies(tmp_path, {"program.py": RECURSION["an attribute wrapped again and again"]})
        assert max(runs.values()) > 1
        assert _alive() - before == len(found)
    finally:
        gc.enable()


def _alive() -> int:
    return sum(1 for each in gc.get_objects() if each.__class__ is Body)
