"""The server for coding agents, as the protocol's own client sees it over standard input/output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from gotcha_lint.agent import answers

CODE = """\
import jax

@jax.jit
def f(x):
    if x > 0:
        return x
    return -x

def main(sizes):
    for size in sizes:
        f(jax.numpy.zeros(size))
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "{folder}/train.py", line 5, in f
    if x > 0:
jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape \
bool[].
The error occurred while tracing the function f at {folder}/train.py:3 for jit. This concrete \
value was not available in Python because it depends on the value of the argument x.
"""
RECORD = (
    {"event": "start", "time": 0.0},
    {
        "event": "finding", "id": "1", "name": "recompile", "cause": "shape", "severity": "warning",
        "message": "`f` was compiled 2 more times", "path": "train.py", "line": 11, "cell": None,
        "seconds": 1.5, "advice": "pad", "chain": [],
    },
    {"event": "finding", "id": "2", "name": "recompile", "severity": "info", "path": "", "line": 1},
    {"event": "summary", "compiles": 3, "seconds": {"trace": 0.5, "compile": 1.25}},
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gotcha.toml").touch()
    (tmp_path / "train.py").write_text(CODE)
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in RECORD))
    return tmp_path


def ask(folder: Path, *calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[Any]]:
    """The names of the tools, and the results of some calls, all of one session."""

    async def session() -> tuple[list[str], list[Any]]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "gotcha_lint", "--mcp"],
            cwd=folder,
            env={**os.environ},
        )
        async with Client(command) as client:
            listed = await client.list_tools()
            assert all(tool.description and tool.output_schema for tool in listed.tools)
            names = [tool.name for tool in listed.tools]
            return names, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(session())


def test_a_session(folder: Path) -> None:
    names, results = ask(
        folder,
        ("lint", {"paths": ["train.py"]}),
        ("why", {"path": "train.py", "line": 5}),
        ("compiles", {}),
        ("explain_error", {"traceback": TRACEBACK.format(folder=folder)}),
        ("run_report", {"record": "run.jsonl"}),
        ("explain", {"name": "traced-if"}),
    )
    assert names == ["lint", "why", "compiles", "explain_error", "run_report", "explain"]
    assert not any(result.is_error for result in results)
    linted, why, compiles, error, report, page = (result.structured_content for result in results)
    (found,) = linted["findings"]
    assert (found["name"], found["place"], linted["total"]) == ("traced-if", "train.py:5", 1)
    assert (found["severity"], found["confidence"]) == ("error", "high")
    assert found["because"] == ["train.py:3: compiled here", "train.py:11: called here"]
    assert "jnp.where" in found["help"]
    assert "traced" in why["text"]
    assert [row["function"] for row in compiles["functions"]] == ["f"]
    assert (error["gotcha"], error["line"]) == ("traced-if", "if x > 0:")
    assert error["linter"][0].startswith("error[traced-if]")
    assert (report["total"], report["compiles"], report["seconds"]) == (1, 3, 1.75)
    assert report["findings"][0]["message"].endswith("1.5 s lost")
    assert page["text"].startswith("# traced-if") and "What the linter prints" not in page["text"]


def test_what_is_wrong_is_told_in_words(folder: Path) -> None:
    calls = [
        ("explain", {"name": "jit-in-lop"}),
        ("lint", {"paths": ["gone.py"]}),
        ("why", {"path": "gone.py", "line": 1}),
        ("why", {"path": "train.py", "line": 999}),
        ("explain_error", {"traceback": "KeyError: 'x'"}),
        ("run_report", {"record": "train.py"}),
    ]
    _, results = ask(folder, *calls)
    assert all(result.is_error for result in results)
    texts = [result.content[0].text for result in results]
    assert 'did you mean "jit-in-loop"' in texts[0]
    assert "gone.py" in texts[1] and "no such file" in texts[2]


def test_places_of_a_run_are_relative_as_those_of_the_linter(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = str(folder / "train.py"), "/elsewhere/data.py"
    link = {"path": here, "line": 3, "message": "defined here"}
    found = RECORD[1] | {"path": here, "chain": [link, link | {"path": elsewhere}]}
    rows = (RECORD[0], found, RECORD[-1])
    (folder / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(folder)
    (seen,) = answers.run_report("run.jsonl").findings
    assert seen.place == "train.py:11"
    assert seen.because == ("train.py:3: defined here", f"{elsewhere}:3: defined here")


def test_results_are_small(folder: Path) -> None:
    lines = [f"@jax.jit\ndef f{n}(x):\n    return x if x > 0 else -x\n" for n in range(50)]
    (folder / "train.py").write_text("import jax\n" + "\n".join(lines))
    _, (result,) = ask(folder, ("lint", {"limit": 7}))
    assert len(result.structured_content["findings"]) == 7
    assert result.structured_content["total"] == 50


def test_without_the_extra(folder: Path) -> None:
    code = (
        "import sys; sys.modules['mcp'] = None; from gotcha_lint.cli import main; main(['--mcp'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "the extra `mcp`: pip install '.[mcp]'" in done.stderr


def test_the_linter_does_not_import_it() -> None:
    code = (
        "import sys; from gotcha_lint.cli import main; main(['--version']); "
        "sys.exit('mcp' in sys.modules or 'pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
