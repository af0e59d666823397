"""`--compiles`: the table of compiled functions, as text and as JSON, alone and beside a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint.tools import Tools
from tests.lint.support import Cli, code

TRAIN = code("""
    from functools import partial

    import jax
    import jax.numpy as jnp
    import numpy as np

    TABLE = jnp.ones((512, 1024))


    @jax.jit
    def embed(tokens):
        return TABLE[tokens]


    @partial(jax.jit, static_argnames="step")
    def decay(x, step):
        for _ in range(64):
            x = jnp.tanh(x) * 0.5
        return x * 0.9**step


    @jax.jit
    def add(total, x):
        return total + jnp.sum(x)


    def evaluate(params, x):
        return jax.jit(lambda p: jnp.sum(p * x))(params)


    def main():
        total = 0.0
        x = np.ones(8, np.float32)
        for step in range(20):
            x = decay(x, step)
            total = add(total, x)
            y = jax.jit(lambda v: v * 2)(x)
            embed(np.ones(3, np.int32))
        data = np.ones((10, 3), np.float32)
        for i in range(0, len(data), 4):
            print(jax.jit(jnp.sum)(data[i : i + 4]), y)


    main()
""")


@pytest.fixture
def tools() -> Tools:
    return Tools()


@pytest.fixture
def rows(cli: Cli) -> dict[str, dict[str, Any]]:
    Path("train.py").write_text(TRAIN)
    result = cli("--compiles", "--output-format", "json", "train.py")
    assert (result.code, result.err) == (0, "")
    return {row["function"]: row for row in json.loads(result.out) if row["line"] != 28}


def test_a_function_that_is_compiled_once(rows: dict[str, dict[str, Any]]) -> None:
    row = rows["embed"]
    assert (row["path"], row["line"], row["wrapper"]) == ("train.py", 10, "jit")
    assert row["programs"] == {"count": 1, "per": None, "at_least": False}
    assert row["constants"] == {"bytes": 512 * 1024 * 4, "more_unknown": False}


def test_one_program_for_each_turn_and_why(rows: dict[str, dict[str, Any]]) -> None:
    decay = rows["decay"]
    assert decay["programs"]["per"] == "iteration of the loop at line 34"
    assert [(r["kind"], r["argument"]) for r in decay["reasons"]] == [("value", "step")]
    assert decay["unrolled_equations"] == 128
    assert rows["lambda"]["programs"]["per"] == "iteration of the loop at line 34"


def test_a_few_programs_and_why(rows: dict[str, dict[str, Any]]) -> None:
    assert rows["add"]["programs"]["count"] == 2
    assert {reason["kind"] for reason in rows["add"]["reasons"]} == {"weak"}
    assert rows["jax.numpy.sum"]["programs"]["count"] == 2
    assert {reason["kind"] for reason in rows["jax.numpy.sum"]["reasons"]} == {"ragged"}


def test_the_table_as_text(cli: Cli) -> None:
    Path("train.py").write_text(TRAIN)
    result = cli("--compiles", "train.py")
    assert result.code == 0
    assert result.out == (
        "where        function       by   programs"
        "                            constants  unrolled\n"
        "train.py:10  embed          jit  1                                   2 MiB\n"
        "train.py:15  decay          jit  one per iteration, loop at line 34"
        "             128 equations\n"
        "    - `step` is static and has another value in each iteration of the loop at line 34\n"
        "train.py:22  add            jit  2\n"
        "    - `total` is weakly typed at one call and not at another\n"
        "train.py:28  lambda         jit  one per call of `evaluate`\n"
        "    - made, called once and dropped by `evaluate`\n"
        "train.py:37  lambda         jit  one per iteration, loop at line 34\n"
        "    - the function is new in each iteration of the loop at line 34\n"
        "train.py:41  jax.numpy.sum  jit  2\n"
        "    - `argument 0` is shorter along axis 0 in the last batch\n"
        "\n"
        "6 functions are compiled: 2 once per iteration, 1 at each call of another, "
        "2 a few times, 1 once\n"
    )
    assert max(map(len, result.out.splitlines())) <= 100


def record(*programs: dict[str, Any]) -> None:
    events = [{"event": "start", "time": 0.0}]
    for program in programs:
        plain = {"event": "program", "eager": "", "owner": "user", "causes": []}
        events.append({**plain, **program})
    Path("run.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


def test_a_run_stands_beside_it(cli: Cli) -> None:
    Path("train.py").write_text(TRAIN)
    path = str(Path("train.py").resolve())
    record(
        {"function": "add", "defined": [path, 22]},
        {"function": "add", "defined": [path, 22], "causes": ["weak-type"]},
        {"function": "iota", "defined": [path, 22], "eager": "op"},
    )
    result = cli("--compiles", "--with-run", "run.jsonl", "--output-format", "json", "train.py")
    seen = {row["function"]: row["run"] for row in json.loads(result.out)}
    assert seen["add"] == {"programs": 2, "causes": {"weak-type": 1}}
    assert seen["embed"] == {"programs": 0, "causes": {}}
    text = cli("--compiles", "--with-run", "run.jsonl", "train.py").out
    assert "    - in the run: weak-type 1\n" in text
    assert "not run" in text


def test_a_record_that_is_none_is_refused(cli: Cli) -> None:
    Path("train.py").write_text(TRAIN)
    Path("run.jsonl").write_text("no\n")
    result = cli("--compiles", "--with-run", "run.jsonl", "train.py")
    assert result.code == 2
    assert "--with-run run.jsonl: not a record of a run" in result.err


def test_a_format_for_findings_is_refused(cli: Cli) -> None:
    result = cli("--compiles", "--output-format", "sarif")
    assert result.code == 2
    assert "--compiles is a table, or JSON" in result.err


def test_a_file_without_jax(cli: Cli) -> None:
    Path("a.py").write_text("x = 1\n")
    result = cli("--compiles", "a.py")
    assert (result.code, result.out) == (0, "no compiled functions were found\n")
