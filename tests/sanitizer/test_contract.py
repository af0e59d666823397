"""The contract of a program: written from a run, read back, and broken in each of its ways."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.run import contract
from gotcha_sanitizer.run.contract import Contract, Function
from gotcha_sanitizer.run.record import Run, fold, read
from tests.sanitizer import records
from tests.sanitizer.support import run as run_program

STEP = Function(
    "step", "src/train.py", 1, (("x: float32[8,1]",),), "donate_argnums=(0,)", 2000, 10**6
)
AGREED = Contract((STEP,), {"src/train.py main": 1}, 4, 1000)


def breaches(found: Contract) -> list[str]:
    return [each.what for each in contract.compare(AGREED, found) if not each.allowed]


def test_it_is_read_back():
    for each in (AGREED, Contract(), contract.of(fold(records.storm()))):
        assert contract.read(contract.write(each)) == each
    for text in ("version = 9", "nonsense", "version = 1"):
        with pytest.raises(ValueError):
            contract.read(text)


def test_of_a_run():
    found = contract.of(fold(records.storm()))
    (step,) = found.functions
    assert step.key == ("src/train.py", "step") and step.compiles == 3
    assert step.signatures == (("x: float32[8,1]",), ("x: float32[8,2]",), ("x: float32[8,3]",))
    assert found.reads == {"src/train.py main": 1} and found.eager == 1
    assert found.memory == 19 * 2**20


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"compiles": 2}, "`step` (src/train.py): compiles 1 -> 2"),
        ({"signatures": (("x: float32[9,1]",),)}, "new arguments: x: float32[9,1]"),
        ({"options": ""}, "jitted with `donate_argnums=(0,)` -> ``"),
        ({"constants": 9000}, "constants 2,000 -> 9,000 bytes"),
        ({"memory": 2 * 10**6}, "asks for 1,000,000 -> 2,000,000 bytes"),
        ({"name": "other"}, "`other` (src/train.py) is new: 1 compile"),
    ],
)
def test_what_a_function_does_otherwise(changed: dict[str, Any], told: str):
    (found,) = breaches(replace(AGREED, functions=(replace(STEP, **changed),)))
    assert told in found


def _step(*sizes: int) -> Function:
    signatures = ((f"x: float32[{n}]", "state: float32[4] x6", "key: uint32[2]") for n in sizes)
    return Function("step", "train.py", len(sizes), tuple(signatures))


def test_what_all_programs_share_is_written_once():
    """Twenty lines of 400 characters differed in one number."""
    text = contract.write(Contract((_step(8, 11),)))
    assert text.count("state: float32[4] x6") == 1
    assert '  ["x: float32[8]"],\n  ["x: float32[11]"],\n' in text
    (again,) = contract.read(text).functions
    assert contract.compare(Contract((_step(8, 11),)), Contract((again,))) == []
    assert "programs" not in contract.write(Contract((_step(8),)))


def test_programs_are_in_the_order_of_their_numbers():
    run = fold(records.ended([records.start(), *(records.program(n, 1.0 * n) for n in (11, 2))]))
    (step,) = contract.of(run).functions
    assert step.signatures == (("x: float32[8,2]",), ("x: float32[8,11]",))


def test_the_difference_names_the_arguments_that_changed():
    agreed, found = Contract((_step(8, 11),)), Contract((_step(8, 11, *range(20, 30)),))
    told = [each.what for each in contract.compare(agreed, found)]
    assert told[1] == "`step` (train.py): new arguments: x: float32[20]"
    assert told[-1] == "`step` (train.py): new arguments: 2 more" and len(told) == 1 + 8 + 1
    less = [each.what for each in contract.compare(found, agreed)]
    assert "`step` (train.py): no longer called with: x: float32[20]" in less
    other = replace(_step(8), signatures=(("x: float32[8]", "key: uint32[2]"),))
    (without,) = contract.compare(Contract((_step(8),)), Contract((other,)))[:1]
    assert without.what == "`step` (train.py): new arguments: x: float32[8]; key: uint32[2]"


def test_the_rest_of_the_run():
    assert breaches(AGREED) == []
    assert breaches(Contract((STEP,), {}, 0, 0)) == []  # costs less
    assert "1 -> 2" in breaches(replace(AGREED, reads={"src/train.py main": 2}))[0]
    assert "outside of jit 4 -> 5" in breaches(replace(AGREED, eager=5))[0]
    assert "1,000 -> 5,000 bytes" in breaches(replace(AGREED, memory=5000))[0]
    assert breaches(replace(AGREED, memory=1050)) == []


def test_the_command(cli: Any, tmp_path: Path):
    records.write(tmp_path / "a.jsonl", records.storm())
    more = [records.start(), *(records.program(n, 10.0 * n) for n in (1, 2, 3, 4))]
    records.write(tmp_path / "b.jsonl", records.ended(more))
    _, _, said = cli("contract", "check", "a.jsonl")
    assert "gotcha-contract.toml: there is no such file or folder; write it with" in said
    (tmp_path / "gotcha-contract.toml").write_text("version = 1\n")
    assert "toml: no contract of version 2; write" in cli("contract", "check", "a.jsonl")[2]
    code, out, _ = cli("contract", "write", "a.jsonl")
    assert code == 0 and "1 function" in out
    code, out, _ = cli("contract", "check", "a.jsonl")
    assert (code, out) == (0, "gotcha-contract.toml holds\n")
    code, out, _ = cli("contract", "check", "b.jsonl")
    assert code == 1
    assert "! `step` (src/train.py): compiles 3 -> 4" in out
    assert "! `step` (src/train.py): new arguments: x: float32[8,4]" in out
    assert "  compiles outside of jit 1 -> 0" in out


PROGRAM = """
import jax, jax.numpy as jnp
from functools import partial

@partial(jax.jit, donate_argnums=0)
def step(state, x):
    return {k: v + x.sum() for k, v in state.items()}

state = {f"w{n}": jnp.ones((4, 4)) for n in range(6)}
for size in (2, 3):
    state = step(state, jnp.ones(size))
"""


def test_a_real_run_keeps_all_types_once(tmp_path: Path):
    pytest.importorskip("jax")
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    record = tmp_path / "run.jsonl"
    assert run_program(program, record).code == 0
    tables = [event for event in read(record) if event["event"] == "avals"]
    steps = [table for table in tables if "state['w5']" in table["leaves"]]
    assert [table["leaves"]["x"] for table in steps] == ["float32[2]", "float32[3]"]
    run: Run = fold(read(record))
    (step,) = contract.of(run, str(tmp_path)).functions
    assert step.signatures == (
        ("state: float32[4,4] x6", "x: float32[2]"),
        ("state: float32[4,4] x6", "x: float32[3]"),
    )
    assert step.memory >= 6 * 64  # six arrays, which are given away, and what is temporary
    assert step.file == "train.py" and "donate_argnums=(0,)" in step.options
