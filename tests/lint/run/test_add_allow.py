"""`--add-allow`: after it nothing is reported, and the program is the same."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from gotcha_lint.cli import main
from gotcha_lint.finding import Finding
from gotcha_lint.findings.add_allow import commented
from gotcha_lint.text.source import decode

CODE = '''\
import jax
import jax.numpy as jnp

@jax.jit
def f(x, key):
    if x > 0:
        x = x + jax.random.normal(key) + jax.random.uniform(key)
    text = f"""
    {float(x)}
    """
    y = x \\
        + float(x)
    return g(
        x,
        float(x),
    ), text, y
x = jnp.zeros(3)
x.at[0].set(1.0); x.at[1].set(2.0)
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "gotcha.toml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["--output-format", "concise", *args])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_nothing_is_left(capsys: pytest.CaptureFixture[str], folder: Path, end: str) -> None:
    file = folder / "a.py"
    file.write_bytes(CODE.replace("\n", end).encode())
    before = run(capsys, "a.py")
    assert before[0] == 1 and len(before[1].splitlines()) >= 6
    code, out, err = run(capsys, "--add-allow", "a.py")
    assert (code, out) == (0, "")
    assert "comments to 1 file" in err and "WHY: say here" in err
    text = file.read_bytes().decode()
    assert text.count("\n") == text.count(end)
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(CODE))
    assert run(capsys, "a.py")[:2] == (0, "")
    again = run(capsys, "--add-allow", "a.py")
    assert again[0] == 0 and file.read_bytes().decode() == text


def test_a_comment_above_a_statement_covers_all_of_its_lines(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    start = "import jax\n\n@jax.jit\ndef f(x):\n"
    comment = "    # gotcha: allow[host-cast-of-tracer] why\n"
    statement = "    y = x + (\n        float(x)\n    )\n    return y\n"
    (folder / "a.py").write_text(start + statement)
    assert run(capsys, "a.py")[0] == 1
    (folder / "a.py").write_text(start + comment + statement)
    assert run(capsys, "a.py")[:2] == (0, "")


def test_names_of_one_line_share_a_comment() -> None:
    source = decode("a.py", b"def f():\n    x = 1\n")
    found = [Finding(name, "m", "a.py", 2, 5, 2, 6, id=name) for name in ("b-c", "a-b", "b-c")]
    done = commented(source, found)
    comment = "    # gotcha: allow[b-c, a-b] WHY: say here why this is right\n"
    assert done.text == f"def f():\n{comment}    x = 1\n"
    assert done.added == 1


def test_what_cannot_be_allowed_is_left() -> None:
    source = decode("a.py", b"x = = 1\n")
    found = [Finding("syntax-error", "m", "a.py", 1, 5, 1, 6)]
    assert commented(source, found).text == source.text
    assert list(commented(source, found).left) == found


def test_a_rule_that_reads_comments_takes_this_one_for_none(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """`eval-in-train-mode` is silent where a comment speaks of training: its own name does."""
    (folder / "a.py").write_text(
        "import flax.linen as nn\n\n"
        "def evaluate(model: nn.Module, params, batches):\n"
        "    for x in batches:\n"
        "        # gotcha: allow[eval-in-train-mode] as in the paper\n"
        "        print(model.apply(params, x, train=True, rngs={}))\n"
    )
    assert "unused-allow" not in run(capsys, "a.py")[1]


def test_a_notebook(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    lines = ["import jax.numpy as jnp\n", "x = jnp.zeros(3)\n", "x.at[0].set(1.0)\n", "print(x)"]
    cell = {"cell_type": "code", "metadata": {}, "source": lines, "outputs": []}
    data = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "a.ipynb").write_text(json.dumps(data))
    assert run(capsys, "--add-allow", "a.ipynb")[:2] == (0, "")
    source = json.loads((folder / "a.ipynb").read_text())["cells"][0]["source"]
    assert source[2].startswith("# gotcha: allow[discarded-update] ")


@pytest.mark.parametrize("other", ["--fix", "--diff", "--write-baseline", "-"])
def test_it_goes_alone(capsys: pytest.CaptureFixture[str], other: str) -> None:
    assert run(capsys, "--add-allow", other)[0] == 2
