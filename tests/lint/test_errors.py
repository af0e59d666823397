"""The messages of JAX, Flax and Optax, as jax 0.10.2 gave them, are recognised."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gotcha_lint import errors, pages
from gotcha_lint.errors.known import Known
from gotcha_lint.registry import PAGES

RECORDED = (Path(__file__).parent / "data/jax_errors.txt").read_text("utf-8")
CASES = [part.partition("\n")[::2] for part in re.split(r"^##### ", RECORDED, flags=re.M)[1:]]

TRACEBACK = """\
Traceback (most recent call last):
  File "/home/me/train.py", line 40, in main
    state = step(state, batch)
  File "/home/me/train.py", line 12, in step
    if loss > 10:
  File "/env/lib/python3.11/site-packages/jax/_src/core.py", line 800, in __bool__
    return self.aval._bool(self)
jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape \
bool[].
The error occurred while tracing the function step at /home/me/train.py:8 for jit. \
This concrete value was not available in Python because it depends on the values of the \
arguments state and batch.
See https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
"""


@pytest.mark.parametrize(("name", "message"), CASES)
def test_recorded_messages(name: str, message: str) -> None:
    meaning = errors.recognise(message)
    assert name in (meaning.known.names if meaning else ("-",))
    if meaning is not None:
        text = errors.as_text(meaning, width=88, colour=False)
        assert "?" not in text  # what a template could not fill in
        assert all(len(line) <= 110 for line in text.splitlines())


def test_argument_function_and_place() -> None:
    meaning = errors.recognise(TRACEBACK)
    assert meaning is not None
    assert meaning.error == "TracerBoolConversionError"
    assert meaning.argument == "state and batch"
    assert meaning.function == "step at /home/me/train.py:8 (jit)"
    assert meaning.place == "/home/me/train.py:12 in step"


def test_the_last_error_counts() -> None:
    first = TRACEBACK.replace("/home/me/train.py", "other.py")
    text = f"{first}\nDuring handling of it:\n\nValueError: Non-hashable static arguments are not "
    text += "supported. An error occurred while trying to hash an object of type <class 'dict'>, {}"
    meaning = errors.recognise(text)
    assert meaning is not None
    assert meaning.known.names[0] == "unhashable-static-argument"
    assert "dict" in meaning.means


@pytest.mark.parametrize("text", ["", "all is well", "KeyError: 'x'", "\x00\ufffd" * 1000])
def test_unknown(text: str) -> None:
    assert errors.recognise(text) is None


@pytest.mark.parametrize("known", errors.TABLE, ids=lambda known: known.pattern.pattern[:50])
def test_every_row_leads_to_a_page(known: Known) -> None:
    """Crashes that no rule looks for have a page too; the best name counts, with a rule or not."""
    name = known.names[0]
    meaning = errors.Meaning("ValueError", known, known.means, known.fix, "", "", "")
    lines = errors.as_text(meaning, width=200, colour=False).splitlines()
    assert name in pages.names()
    assert lines[0] == f"ValueError: {name}"
    assert f"  page      {PAGES}/{name}.md" in lines
    assert f"  more      gotcha-lint --explain {name}" in lines


def test_every_row_can_be_shown() -> None:
    for known in errors.TABLE:
        assert known.names
        assert known.means.endswith(".")
        groups = {name.rstrip("23") for name in known.pattern.groupindex}
        for template in (known.means, known.fix):
            plain = template.replace("{{", "").replace("}}", "")
            assert set(re.findall(r"\{(\w+)\}", plain)) <= groups
