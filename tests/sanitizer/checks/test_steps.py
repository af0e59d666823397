"""At which turn of the training loop something was compiled, and the page that shows it."""

from __future__ import annotations

import itertools
import sys
import weakref
from pathlib import Path

import pytest

from gotcha_sanitizer.hooks.loop_counter import turn
from gotcha_sanitizer.reporters import html
from gotcha_sanitizer.run.record import fold
from gotcha_sanitizer.run.session import Session
from gotcha_sanitizer.values.parts import Turn
from tests.sanitizer import records
from tests.sanitizer.inside import mine
from tests.sanitizer.support import run


def here() -> Turn | None:
    """As a hook is called: below the user's frames."""
    return turn(sys._getframe(1))


# These loops stand apart: an `assert` of pytest calls `locals()`, and such functions are left out.


def counting() -> list[Turn | None]:
    seen = []
    for step in range(2):  # noqa: B007
        seen.append(here())
    for step, _ in enumerate("ab"):  # noqa: B007
        seen.append(here())
    for step in itertools.count(7):  # noqa: B007
        seen.append(here())
        break
    step = 3
    while step < 5:
        seen.append(here())
        step += 1
    return seen


def not_counting() -> list[Turn | None]:
    seen = [here()]
    for _label, _ in [(1, 2), (5, 6)]:
        seen.append(here())
    for _batch in [3, 4]:
        seen.append(here())
    for _flag in range(1):
        _flag = True
        seen.append(here())
    return seen


def left_alone() -> list[Turn | None]:
    seen, names = [], []
    for _step in range(2):
        names.append(locals())
        seen.append(here())
    return seen if names[0] else []


def test_loops_that_count():
    seen = [each for each in counting() if each]
    assert [each.value for each in seen] == [0, 1, 0, 1, 7, 3, 4]
    assert len({each.loop for each in seen}) == 4 and {each.name for each in seen} == {"step"}


def test_loops_that_do_not_count():
    assert not any([*not_counting(), *left_alone()])


class Batch:
    pass


def freed() -> list[bool]:
    gone = []
    for _step in range(3):
        batch = Batch()
        held = weakref.ref(batch)
        counted = here() is not None
        del batch
        gone.append(counted and held() is None)
    return gone


def test_nothing_of_the_function_is_kept():
    assert freed() == [True] * 3


def test_the_turn_of_each_compile(running: Session):
    jax = pytest.importorskip("jax")
    double = jax.jit(lambda x: x * 2)
    for step in range(6):
        double(jax.numpy.zeros(3 + step // 2))
    assert [program["turn"]["value"] for program in mine(running)] == [0, 2, 4]


def _turn(value: int, line: int = 40) -> records.Json:
    return {"turn": {"name": "step", "value": value, "path": "src/train.py", "line": line}}


def page(*programs: records.Json) -> str:
    return html.render(fold(records.ended([records.start(), *programs])))


def test_the_page_has_an_axis_of_steps():
    outside = records.program(4, 50.0, function="evaluate", defined=["src/train.py", 90])
    text = page(
        *(records.program(n, 10.0 * n, **_turn(100 * n)) for n in (1, 2, 3)),
        outside,
        records.program(5, 60.0, **_turn(400)),
    )
    assert "Over <code>step</code> of the loop at src/train.py:40" in text
    titles = [part.partition(":")[0] for part in text.split("<title>at iteration ")[1:]]
    assert [round(int(each) / 100) for each in titles] == [1, 2, 3, 4, 3]  # the last: evaluate
    assert text.count("<svg viewBox") >= 2  # over time too


def test_a_counter_without_a_name():
    turns = [{"turn": {**_turn(n)["turn"], "name": "_"}} for n in (1, 2)]
    text = page(*(records.program(n, 10.0 * n, **turn) for n, turn in enumerate(turns, 1)))
    assert "Over the iterations of the loop at src/train.py:40" in text


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param([None, None, None], id="none"),
        pytest.param([0, 5, 0], id="one that begins again each epoch"),
        pytest.param([3, 3, 3], id="one turn"),
    ],
)
def test_no_axis_where_steps_are_not_known(turns: list[int | None]):
    programs = [
        records.program(n, 10.0 * n, **({} if at is None else _turn(at)))
        for n, at in enumerate(turns, 1)
    ]
    text = page(*programs)
    assert "When it compiled" in text and "of the loop at" not in text


def test_a_redacted_run_names_no_variable(tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(
        "import jax\nfor secret in range(3):\n    jax.jit(lambda x: x + secret)(1.0)\n", "utf-8"
    )
    record = tmp_path / "run.jsonl"
    assert "turn" in run(program, record).run.programs[0]
    assert "turn" not in run(program, record, options="redact=1").run.programs[0]
