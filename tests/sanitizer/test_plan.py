"""The forecast of compiles from a data loader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gotcha_sanitizer.batch_shapes import census
from gotcha_sanitizer.cli import main

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


def test_says_what_it_may_look_at(tmp_path, capsys):
    assert plan(tmp_path) == 2
    assert "line 5: range(count)" in capsys.readouterr().err
    assert plan(tmp_path, "nothing(3)") == 2
    assert "NameError" in capsys.readouterr().err


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
