"""The forecast of compiles from a data loader."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gotcha_sanitizer.cli import main
from gotcha_sanitizer.explain.batch_shapes import census
from gotcha_sanitizer.explain.loaders import before_training, candidates

SCRIPT = """
import numpy as np

def batches(count):
    for n in range(count):
        yield {"x": np.zeros((8, 3 + n), np.float32), "y": (np.zeros(8), [1, 2])}

if __name__ == "__main__":
    raise RuntimeError("ran")
"""


def plan(tmp_path: Path, *arguments: str) -> int:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT, "utf-8")
    return main(["plan", str(script), *arguments])


def test_counts_the_sets_of_shapes(tmp_path, capsys):
    assert plan(tmp_path, "batches(30)") == 0
    out = capsys.readouterr().out
    assert "30 sets of shapes in 30 batches = 30 compiles" in out
    assert "batch['x'], axis 1: 30 sizes, 3 to 32" in out
    assert "padded to powers of two: 4 sets = 4 compiles" in out


def test_an_expression_that_fails_is_told(tmp_path, capsys):
    assert plan(tmp_path, "nothing(3)") == 2
    assert "NameError" in capsys.readouterr().err
    assert plan(tmp_path) == 2
    assert "no loop that calls a jitted function was found" in capsys.readouterr().err


JITTED = """
step = jax.jit(lambda w, x: w)

@functools.partial(jax.jit, static_argnames="n")
def other(w, n):
    return w
"""
LOOPS = {
    "for batch in batches(4): step(w, batch)": ["batches(4)"],
    "for i, batch in enumerate(tqdm(loader)): step(w, batch)": ["loader"],
    "for i, b in zip(range(9), batches(4)): step(w, b)": ["batches(4)"],
    "for epoch in range(3):\n  for b in loader:\n    for _ in range(2): step(w, b)": ["loader"],
    "for e in epochs:\n  for b in e:\n    step(w, b)": ["e: e"],
    "def f(n):\n  data = batches(n)\n  for b in data: step(w, b)": ["batches(n): n"],
    "def f():\n  data = batches(9)\n  for b in data: step(w, b)": ["batches(9)"],
    "for b in loader: step(w, b)\nfor b in batches(4): other(w, n=1)": ["loader", "batches(4)"],
    "for b in loader: print(b)": [],
    "for b in [x for x in loader]: step(w, b)": ["[x for x in loader]"],
    "for i in range(5): step(w, i)": [],
    "for i in range(5): step(w, next(loader))": ["loader"],
    "data = iter(batches(4))\nfor i in range(5):\n  b = next(data)\n  step(w, b)": ["data: data"],
    "def f():\n  data = iter(batches(4))\n  while True: step(w, next(data))": ["batches(4)"],
}


@pytest.mark.parametrize("source", LOOPS)
def test_the_loader_is_what_the_loop_around_the_step_goes_over(source):
    found = candidates(ast.parse(JITTED + source), {"batches", "loader", "epochs", "w", "e"})
    texts = [each.text + ": ".join(["", *each.missing]) for each in found]
    assert texts == LOOPS[source]


LOOP = """
import jax
step = jax.jit(lambda x: x)

def main(count):
    for batch in batches(5):
        step(batch)
"""


def test_one_loader_is_found_and_of_several_none_is_chosen(tmp_path, capsys):
    script = tmp_path / "train.py"
    script.write_text(SCRIPT + LOOP, "utf-8")
    assert main(["plan", str(script)]) == 0
    out = capsys.readouterr().out
    assert "iterates over `batches(5)`" in out and "5 sets of shapes in 5 batches" in out
    more = LOOP + "    for batch in batches(count): step(batch)\n"
    script.write_text(SCRIPT + more, "utf-8")
    assert main(["plan", str(script)]) == 2
    told = capsys.readouterr().err
    assert "line 15: batches(5)\n" in told
    assert "batches(count) (count: not known outside of its function)" in told


def test_a_loop_that_makes_its_batches_is_named(tmp_path, capsys):
    script = tmp_path / "train.py"
    body = "import jax\nstep = jax.jit(lambda x: x)\ndef main():\n    for i in range(9):\n"
    script.write_text(body + "        step(make(i))\n", "utf-8")
    assert main(["plan", str(script)]) == 2
    told = capsys.readouterr().err
    assert "line 4 calls `step`" in told and "cannot be told" in told


def test_an_iterator_can_be_named(tmp_path, capsys):
    assert plan(tmp_path, "iter(batches(3))") == 0
    assert "3 sets of shapes in 3 batches" in capsys.readouterr().out


def test_the_price_comes_from_a_record(tmp_path, capsys):
    record = tmp_path / "run.jsonl"
    record.write_text(
        '{"event":"start","at":0}\n'
        '{"event":"program","at":1,"program":1,"function":"step","owner":"user","eager":"",'
        '"defined":["t.py",3],"path":"t.py","line":9,"stack":[],"library":null,"loop":true,'
        '"retraced":true,"cached":null,"seconds":{"compile":12.0},"shapes":"","causes":[],'
        '"why":[]}\n',
        "utf-8",
    )
    assert plan(tmp_path, "batches(10)", "--record", str(record)) == 0
    assert "10 compiles, about 2 min 0 s" in capsys.readouterr().out


@given(st.lists(st.integers(1, 200), min_size=1, max_size=40))
def test_as_many_compiles_as_different_lengths(lengths):
    found = census((np.zeros(n) for n in lengths), 1000)
    assert (found.batches, len(found.sets)) == (len(lengths), len(set(lengths)))
    assert found.bucketed() <= len(found.sets)
    assert found.bucketed() <= max(lengths).bit_length() + 1


TRAINING = """
from __future__ import annotations
import dataclasses
import jax
import numpy as np

@dataclasses.dataclass
class Settings:
    rows: int = 4

step = jax.jit(lambda x: x)
sizes = [1 + 2 for _ in range(3)]

def batches(count):
    for n in range(count):
        yield np.zeros((Settings().rows, 3 + n), np.float32)

def fit():
    for batch in batches(6):
        step(batch)
        raise RuntimeError("it trained")

def main():
    fit()
"""
BEGINNINGS = {
    "loop": "while True:\n    step(0)\n    raise RuntimeError('it trained')\n",
    "call": "main()\n",
    "assigned": "loss = main()\n",
    "in with": "import contextlib\nwith contextlib.nullcontext():\n    fit()\n",
    "guard": "if __name__ == '__main__':\n    main()\n",
}


@pytest.mark.parametrize("how", BEGINNINGS)
def test_a_script_is_not_trained_whether_or_not_it_has_a_main_guard(how, tmp_path, capsys):
    script = tmp_path / "train.py"
    script.write_text(TRAINING + BEGINNINGS[how], "utf-8")
    assert main(["plan", str(script)]) == 0
    out = capsys.readouterr().out
    assert "6 sets of shapes in 6 batches" in out
    assert ("where training begins" in out) == (how != "guard")


def test_the_line_where_it_begins_to_train():
    tree = ast.parse(TRAINING + "data = batches(3)\nmain()\nafter = 1\n")
    before, line = before_training(tree)
    assert ast.unparse(before.body[-1]) == "data = batches(3)"
    assert line == before.body[-1].lineno + 1
    assert before_training(ast.parse(TRAINING))[1] == 0
