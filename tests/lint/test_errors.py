"""The messages of JAX, Flax and Optax, as jax 0.10.2 gave them, are recognised."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gotcha_lint import errors, pages
from gotcha_lint.cli import main
from gotcha_lint.errors.known import Known
from gotcha_lint.home import more

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


OPTAX = """Traceback (most recent call last):
  File "/home/me/train.py", line 9, in <module>
    params = optax.apply_updates(params, grads)
  File "/env/lib/python3.11/site-packages/optax/_src/update.py", line 48, in apply_updates
    return jax.tree.map(
  File "/env/lib/python3.11/site-packages/jax/_src/tree.py", line 156, in map
    return tree_util.tree_map(f, tree, *rest, is_leaf=is_leaf)
ValueError: pytree structure error: different types at key path
    tree_map tree['dense']['w']
At that key path, the prefix pytree tree_map tree has a subtree of type
    <class 'dict'>
but at the same key path the full pytree has a subtree of different type
    <class 'jaxlib._jax.ArrayImpl'>.
"""
KEYS = """different numbers of pytree children at key path
    tree_map tree['dense']
At that key path, the prefix pytree tree_map tree has a subtree of type
    <class 'dict'>
with 1 child keys
    w
but at the same key path the full pytree has a subtree of the same type but with 2 child keys
    b w
so the symmetric difference on key sets is
    b
"""
LENGTHS = """different lengths of list at key path
    tree_map tree['layers']
At that key path, the prefix pytree tree_map tree has a subtree of type list of length 2, but the \
full pytree has a subtree of the same type but of length 3.
"""
_HEAD, _TYPES = OPTAX.split("different types", 1)


@pytest.mark.parametrize(
    ("text", "argument", "means", "fix"),
    [
        (OPTAX, "['dense']['w']", "first tree has type `dict` and the other `array`", "for these"),
        (_HEAD + KEYS, "b", "At `tree['dense']` only one of the two trees has this key: b", "for"),
        (_HEAD + LENGTHS, "['layers']", "a list of 2 and the other one of 3", "tx.update returned"),
        (
            OPTAX.replace("in apply_updates", "in update_fn"),
            "['dense']['w']",
            "gradients",
            "tx.init",
        ),
        (OPTAX.replace("optax/", "mylib/"), "['dense']['w']", "`dict`", "jax.tree.structure"),
    ],
)
def test_the_leaf_at_which_two_trees_differ(text: str, argument: str, means: str, fix: str) -> None:
    meaning = errors.recognise(text)
    assert meaning is not None and meaning.known.names[0] == "tree-map-structure"
    assert meaning.argument == argument
    assert means in meaning.means and fix in meaning.fix
    assert ("The first tree is the" in meaning.means) == (
        "optax" in meaning.fix or "tx." in meaning.fix
    )


def test_the_last_error_counts() -> None:
    first = TRACEBACK.replace("/home/me/train.py", "other.py")
    text = f"{first}\nDuring handling of it:\n\nValueError: Non-hashable static arguments are not "
    text += "supported. An error occurred while trying to hash an object of type <class 'dict'>, {}"
    meaning = errors.recognise(text)
    assert meaning is not None
    assert meaning.known.names[0] == "unhashable-static-argument"
    assert "dict" in meaning.means


CARRY = """\
TypeError: scan body function carry input and carry output must have equal types, but they differ:

The input carry component state['opt']['nu'] has type float32[3] but the corresponding output \
carry component has type float16[3], so the dtypes do not match.
"""


def test_the_leaf_of_a_carry() -> None:
    meaning = errors.recognise(CARRY)
    assert meaning is not None
    assert meaning.argument == "state['opt']['nu']"
    assert meaning.differs == "float32[3] goes in, float16[3] comes out"


@pytest.mark.parametrize(
    ("line", "argument"),
    [
        ("if loss > 10:", "params['w'] (the value depends on 3 others too)"),
        ('if batch["mask"].any():', "batch['mask'] (the value depends on 3 others too)"),
        ("if flag & (y > 0):", "flag (the value depends on 3 others too)"),
    ],
)
def test_one_argument_of_many_is_named(line: str, argument: str) -> None:
    listed = "params['w'], batch['x'], batch['mask'], and flag"
    text = TRACEBACK.replace("if loss > 10:", line).replace("state and batch", listed)
    meaning = errors.recognise(text)
    assert meaning is not None
    assert (meaning.argument, meaning.source) == (argument, line)


def test_the_line_and_what_the_linter_says_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = [""] * 7 + ["@jax.jit", "def step(state, batch):", "    loss = state - batch", ""]
    file = tmp_path / "train.py"
    file.write_text("\n".join(["import jax", *code[1:], "    if loss > 10:", "        return 0"]))
    trace = tmp_path / "trace.txt"
    trace.write_text(TRACEBACK.replace("/home/me", str(tmp_path)))
    assert main(["--explain-error", str(trace)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  line      if loss > 10:" in lines
    assert any(line.startswith("  linter    error[traced-if] ") for line in lines)
    file.write_text(file.read_text().replace("loss > 10", "loss > 11"))  # not the file that ran
    assert main(["--explain-error", str(trace)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  line      if loss > 10:" in lines
    assert not any(line.startswith("  linter") for line in lines)


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
    assert f"  more      {more(name)}" in lines
    assert f"  more      gotcha-lint --explain {name}" in lines


def test_every_row_can_be_shown() -> None:
    for known in errors.TABLE:
        assert known.names
        assert known.means.endswith(".")
        groups = {name.rstrip("23") for name in known.pattern.groupindex}
        for template in (known.means, known.fix):
            plain = template.replace("{{", "").replace("}}", "")
            assert set(re.findall(r"\{(\w+)\}", plain)) <= groups
