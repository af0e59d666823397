"""`gotcha-lint --server`: an editor's side of the Language Server Protocol, over pipes."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from gotcha_lint.home import page_url
from gotcha_lint.server.session import Session

LOSSES = "def loss(x):\n    if x > 0:\n        return x\n    return -x\n"
TRAIN = "import jax\nfrom losses import loss\n\nstep = jax.jit(loss)\n"
WIDE = 'import jax.numpy as jnp\n\nx = jnp.zeros(3)\ny = "😀"; x.at[0].set(1.0)\n'


class Editor:
    """Sends and receives messages; what the server tells unasked is kept until it is asked for."""

    def __init__(self, folder: Path, **options: Any) -> None:
        command = [sys.executable, "-m", "gotcha_lint", "--server"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
        )
        watch = threading.Timer(300, self.process.kill)  # a message that never comes: no test hangs
        watch.daemon = True
        watch.start()
        self.folder, self.number, self.told = folder, 0, list[dict[str, Any]]()
        root = {
            "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": "project"}],
            "processId": None,
            "capabilities": {},
            "initializationOptions": options,
        }
        self.capabilities = self.ask("initialize", root)["capabilities"]
        self.tell("initialized", {})

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self.told.append(message)

    def ask_all(self, asked: list[tuple[str, Any]]) -> list[Any]:
        """The answers to requests that are all sent before the first is answered."""
        first = self.number + 1
        for method, params in asked:
            self.number += 1
            self._send({"id": self.number, "method": method, "params": params})
        answers: dict[int, Any] = {}
        while len(answers) < len(asked):
            message = self._receive()
            if "id" in message and "method" not in message:
                answers[message["id"]] = message.get("result")
            else:
                self.told.append(message)
        return [answers[number] for number in range(first, self.number + 1)]

    def await_(self, method: str) -> Any:
        while True:
            for message in self.told:
                if message.get("method") == method:
                    self.told.remove(message)
                    return message["params"]
            self.told.append(self._receive())

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """The next that are published of a file, or of a cell by its address."""
        uri = name if ":" in name else self.uri(name)
        while True:
            found = self.await_("textDocument/publishDiagnostics")
            if found["uri"] == uri:
                return found["diagnostics"]

    def actions(self, name: str, *only: str, line: int | None = None) -> list[dict[str, Any]]:
        """The code actions of a line, or of a whole file."""
        lines = (0, 10_000) if line is None else (line, line + 1)
        start, end = ({"line": each, "character": 0} for each in lines)
        context = {"diagnostics": [], **({"only": list(only)} if only else {})}
        document = {"uri": name if ":" in name else self.uri(name)}
        params = {
            "textDocument": document,
            "range": {"start": start, "end": end},
            "context": context,
        }
        return self.ask("textDocument/codeAction", params)

    def hover(self, name: str, line: int, character: int) -> str:
        document = {"uri": name if ":" in name else self.uri(name)}
        place = {"textDocument": document, "position": {"line": line, "character": character}}
        shown = self.ask("textDocument/hover", place)
        return shown["contents"]["value"] if shown else ""

    def open(self, name: str) -> None:
        text = (self.folder / name).read_text("utf-8")
        item = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, name: str, text: str) -> None:
        document = {"uri": self.uri(name), "version": 2}
        changes = [{"text": text}]
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server has ended"
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "losses.py").write_text(LOSSES)
    (folder / "train.py").write_text(TRAIN)
    (folder / "wide.py").write_text(WIDE, "utf-8")
    (folder / "generated_pb2.py").write_text(LOSSES)
    editor = Editor(folder)
    try:
        yield editor
    finally:
        editor.process.kill()
        editor.process.wait()


def test_findings_follow_what_is_typed_in_any_open_file(editor: Editor) -> None:
    editor.open("losses.py")
    (found,) = editor.diagnostics("losses.py")
    assert (found["code"], found["severity"], found["source"]) == ("traced-if", 1, "gotcha")
    assert found["range"]["start"] == {"line": 1, "character": 7}
    assert found.get("codeDescription", {}).get("href", "") == page_url("traced-if")
    (because,) = found["relatedInformation"]
    assert because["location"]["uri"] == editor.uri("train.py")

    editor.open("train.py")
    assert editor.diagnostics("train.py") == []
    editor.change("train.py", TRAIN.replace("jax.jit(loss)", "loss"))  # not saved
    while editor.diagnostics("losses.py"):
        pass
    editor.change("train.py", TRAIN)
    while not editor.diagnostics("losses.py"):
        pass


def test_fixes_and_comments(editor: Editor) -> None:
    editor.open("wide.py")
    (found,) = editor.diagnostics("wide.py")
    assert found["code"] == "discarded-update"
    # UTF-16 units: the letter before it has two.
    assert found["range"]["start"] == {"line": 3, "character": len('y = "😀"; ') + 1}
    params = {
        "textDocument": {"uri": editor.uri("wide.py")},
        "range": found["range"],
        "context": {"diagnostics": [found]},
    }
    fix, allow = editor.ask("textDocument/codeAction", params)
    assert fix["isPreferred"] and fix["kind"] == "quickfix"
    lines = WIDE.splitlines()
    for action, wanted in (
        (fix, 'y = "😀"; x = x.at[0].set(1.0)'),
        (allow, 'y = "😀"; x.at[0].set(1.0)  # gotcha: allow[discarded-update] '),
    ):
        ((uri, edits),) = action["edit"]["changes"].items()
        assert uri == editor.uri("wide.py")
        assert _edited(lines[3], edits) == wanted
    elsewhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    assert editor.ask("textDocument/codeAction", params | {"range": elsewhere}) == []


def _edited(line: str, edits: list[dict[str, Any]]) -> str:
    data = line.encode("utf-16-le")
    for edit in sorted(edits, key=lambda e: -e["range"]["start"]["character"]):
        start, end = (2 * edit["range"][end]["character"] for end in ("start", "end"))
        data = data[:start] + edit["newText"].encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")


def test_hover_explains(editor: Editor) -> None:
    editor.open("losses.py")
    (found,) = editor.diagnostics("losses.py")
    place = {"textDocument": {"uri": editor.uri("losses.py")}, "position": found["range"]["start"]}
    shown = editor.ask("textDocument/hover", place)
    assert "traced-if" in shown["contents"]["value"]
    assert "## Instead" in shown["contents"]["value"]
    # Where nothing is found, it says what is known of the function around.
    elsewhere = editor.hover("losses.py", 3, 4)
    assert "traced-if" not in elsewhere
    assert "loss: traced (jit)" in elsewhere
    assert "because: train.py:4" in elsewhere


SHAPES = """import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(w, x):
    y = x @ w
    return jnp.mean(y**2)


w = jnp.zeros((8, 4))
data = np.ones((100, 8), np.float32)
for i in range(0, 100, 32):
    loss = step(w, data[i : i + 32])
"""


@pytest.fixture
def shapes(tmp_path: Path) -> Iterator[Editor]:
    folder = tmp_path / "shapes"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "train.py").write_text(SHAPES)
    editor = Editor(folder, inlayHints=True)
    try:
        editor.open("train.py")
        yield editor
    finally:
        editor.process.kill()
        editor.process.wait()


def test_values_of_names_and_counts_of_programs(shapes: Editor) -> None:
    inside = shapes.hover("train.py", 7, 4)
    assert "`y`: `float32[4|32, 4]`" in inside
    assert "`step` compiles 2 programs" in inside
    assert "`x` is shorter along axis 0 in the last batch" in inside
    assert "step: traced (jit)" in inside
    outside = shapes.hover("train.py", 13, 12)
    assert "`loss`" not in outside
    assert "`w`: `float32[8, 4]`" in shapes.hover("train.py", 14, 16)
    called = shapes.hover("train.py", 14, 12)
    assert "`step` compiles 2 programs" in called
    assert shapes.hover("train.py", 3, 0) == ""

    document = {"textDocument": {"uri": shapes.uri("train.py")}}
    (lens,) = shapes.ask("textDocument/codeLens", document)
    assert lens["range"]["start"]["line"] == 5
    title = "compiles 2 programs: x is shorter along axis 0 in the last batch"
    assert lens["command"]["title"] == title

    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 12, "character": 0}}
    found = shapes.ask("textDocument/inlayHint", document | {"range": whole})
    hints = {(hint["position"]["line"], hint["label"]) for hint in found}
    assert hints == {
        (5, "  programs: 2"),
        (7, ": float32[4|32, 4]"),
        (11, ": float32[8, 4]"),
    }


def test_many_requests_at_once_are_all_answered(shapes: Editor) -> None:
    document = {"textDocument": {"uri": shapes.uri("train.py")}}
    place = document | {"position": {"line": 14, "character": 16}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    asked = [
        ("textDocument/codeLens", document),
        ("textDocument/inlayHint", document | {"range": whole}),
        ("textDocument/hover", place),
        ("textDocument/codeAction", document | {"range": whole, "context": {"diagnostics": []}}),
        ("textDocument/hover", place),
    ]
    for text in (SHAPES + "\n", SHAPES):
        shapes.change("train.py", text)
        answers = shapes.ask_all(asked)
        assert all(answers), answers


def test_hints_are_off_unless_they_are_asked_for(editor: Editor) -> None:
    editor.open("wide.py")
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    document = {"textDocument": {"uri": editor.uri("wide.py")}}
    assert editor.ask("textDocument/inlayHint", document | {"range": whole}) == []


def test_a_lens_says_per_what_a_function_compiles(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(
        "import jax\nimport numpy as np\n\n\n@jax.jit\ndef step(x):\n    return x * 2\n\n\n"
        "for n in range(3, 9):\n    step(np.ones(n))\n"
    )
    editor = Editor(tmp_path)
    try:
        editor.open("train.py")
        document = {"textDocument": {"uri": editor.uri("train.py")}}
        (lens,) = editor.ask("textDocument/codeLens", document)
        title = "compiles: one program per iteration of the loop at line 10"
        assert lens["command"]["title"] == title
        (tmp_path / "open.py").write_text(
            "import jax\n\n\n@jax.jit\ndef loss(x):\n    return x.sum()\n\n\n"
            "def score(batches):\n    return [loss(batch) for batch in batches]\n"
        )
        editor.open("open.py")
        document = {"textDocument": {"uri": editor.uri("open.py")}}
        (lens,) = editor.ask("textDocument/codeLens", document)
        assert lens["command"]["title"] == "compiles once, or more often, as callers decide"
    finally:
        editor.process.kill()
        editor.process.wait()


TWO = """import jax.numpy as jnp

x = jnp.zeros(3)
x.at[0].set(1.0)
x.at[1].set(2.0)
"""


def test_everything_safe_is_fixed_at_once(editor: Editor) -> None:
    (editor.folder / "two.py").write_text(TWO)
    editor.open("two.py")
    for only in ("source.fixAll.gotcha", "source.fixAll", "source"):
        (action,) = editor.actions("two.py", only)
        assert action["kind"] == "source.fixAll.gotcha"
        (edits,) = action["edit"]["changes"].values()
        lines = list[str](TWO.splitlines())
        for edit in edits:
            line = edit["range"]["start"]["line"]
            lines[line] = _edited(lines[line], [edit])
        assert lines[3:] == ["x = x.at[0].set(1.0)", "x = x.at[1].set(2.0)"]
    assert editor.actions("two.py", "refactor") == []
    assert {action["kind"] for action in editor.actions("two.py", "quickfix")} == {"quickfix"}
    kinds = [action["kind"] for action in editor.actions("two.py")]
    assert kinds.count("source.fixAll.gotcha") == 1

    # Fix on save asks at once after the last key: the answer is about the new text.
    editor.change("two.py", "\n" + TWO)
    (action,) = editor.actions("two.py", "source.fixAll")
    (edits,) = action["edit"]["changes"].values()
    assert [edit["range"]["start"]["line"] for edit in edits] == [4, 5]


def test_while_a_line_does_not_parse_the_findings_of_the_rest_stay(editor: Editor) -> None:
    editor.open("losses.py")
    editor.open("train.py")
    assert [found["code"] for found in editor.diagnostics("losses.py")] == ["traced-if"]
    editor.change("losses.py", "\n\n" + LOSSES + "\ndef next(\n")
    while len(found := editor.diagnostics("losses.py")) != 2:
        pass
    kept, broken = found
    assert (kept["code"], kept["range"]["start"]) == ("traced-if", {"line": 3, "character": 7})
    assert (broken["code"], broken["range"]["start"]["line"]) == ("syntax-error", 7)
    assert [a["kind"] for a in editor.actions("losses.py", "source.fixAll")] == []
    # What the broken file makes traced elsewhere is still known; a changed line has no finding.
    editor.change("train.py", TRAIN + "(\n")
    while [found["code"] for found in editor.diagnostics("train.py")] != ["syntax-error"]:
        pass
    editor.change("losses.py", LOSSES)
    assert [found["code"] for found in editor.diagnostics("losses.py")] == ["traced-if"]
    editor.change("losses.py", LOSSES.replace("if x > 0", "if x >"))
    while [found["code"] for found in editor.diagnostics("losses.py")] != ["syntax-error"]:
        pass


def test_findings_of_files_that_are_not_open(editor: Editor) -> None:
    other = Editor(editor.folder, workspaceDiagnostics=True)
    try:
        assert [found["code"] for found in other.diagnostics("losses.py")] == ["traced-if"]
        other.open("train.py")
        other.change("train.py", TRAIN.replace("jax.jit(loss)", "loss"))
        while other.diagnostics("losses.py"):
            pass
    finally:
        other.process.kill()
        other.process.wait()


def test_notebooks(editor: Editor) -> None:
    notebook = editor.uri("explore.ipynb")
    cells = [f"vscode-notebook-cell:{notebook}#{number}" for number in range(4)]
    kinds = (1, 2, 2, 2)  # the first is prose
    texts = ("# Title", "%matplotlib inline\nimport jax.numpy as jnp", TWO[24:], "x = x +")
    editor.tell(
        "notebookDocument/didOpen",
        {
            "notebookDocument": {
                "uri": notebook,
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [
                    {"kind": kind, "document": uri} for kind, uri in zip(kinds, cells, strict=True)
                ],
            },
            "cellTextDocuments": [
                {"uri": uri, "languageId": "python", "version": 1, "text": text}
                for kind, uri, text in zip(kinds, cells, texts, strict=True)
                if kind == 2
            ],
        },
    )
    found = editor.diagnostics(cells[2])
    # The last line of a cell is shown, so its result is not thrown away.
    assert [(each["code"], each["range"]["start"]["line"]) for each in found] == [
        ("discarded-update", 2)
    ]
    assert [each["code"] for each in editor.diagnostics(cells[3])] == ["syntax-error"]
    (action,) = editor.actions(cells[2], "source.fixAll")
    assert list(action["edit"]["changes"]) == [cells[2]]
    assert "`x`: `float32[3]`" in editor.hover(cells[2], 1, 0)

    editor.tell(
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": notebook, "version": 2},
            "change": {
                "cells": {
                    "textContent": [
                        {
                            "document": {"uri": cells[2], "version": 2},
                            "changes": [{"text": "x = jnp.zeros(3)"}],
                        }
                    ]
                }
            },
        },
    )
    while editor.diagnostics(cells[2]):
        pass
    closed = {"notebookDocument": {"uri": notebook}, "cellTextDocuments": []}
    editor.tell("notebookDocument/didClose", closed)
    while editor.diagnostics(cells[3]):
        pass


def test_the_configuration_holds_and_its_mistakes_are_told(editor: Editor) -> None:
    config = editor.folder / "gotcha.toml"
    config.write_text("ignore = ['traced-if']\n")
    editor.open("losses.py")
    assert editor.diagnostics("losses.py") == []
    config.write_text("selct = []\n")
    editor.change("losses.py", LOSSES + "\n")
    assert 'did you mean "select"' in editor.await_("window/showMessage")["message"]
    config.write_text("")
    editor.change("losses.py", LOSSES)
    assert len(editor.diagnostics("losses.py")) == 1


def test_a_file_that_is_closed_or_excluded_has_none(editor: Editor) -> None:
    (editor.folder / "gotcha.toml").write_text("extend-exclude = ['*_pb2.py']\n")
    editor.open("generated_pb2.py")
    assert editor.diagnostics("generated_pb2.py") == []
    editor.open("losses.py")
    assert len(editor.diagnostics("losses.py")) == 1
    editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("losses.py")}})
    assert editor.diagnostics("losses.py") == []


def test_it_ends_when_it_is_told_to(editor: Editor) -> None:
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    assert editor.process.wait(20) == 0


def test_facts_of_the_configuration_hold_at_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    text = "import mylib\n\n\n@mylib.fast\ndef step(x):\n    return x if x > 0 else -x\n"
    path, session = str(tmp_path / "a.py"), Session()
    (tmp_path / "a.py").write_text(text)
    assert session.lint({path: text}) == {}
    (tmp_path / "gotcha.toml").write_text('[facts]\n"mylib.fast" = { like = "jax.jit" }\n')
    assert [f.name for f in session.lint({path: text})[path].findings] == ["traced-if"]


def test_no_tree_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    path, session = str(tmp_path / "losses.py"), Session()
    (tmp_path / "train.py").write_text(TRAIN)
    gc.collect()
    before = _trees()
    for number in range(3):
        found = session.lint({path: LOSSES + f"x = {number}\n"})
        assert [finding.name for finding in found[path].findings] == ["traced-if"]
        gc.collect()
        assert _trees() == before


def _trees() -> int:
    return sum(isinstance(thing, cst.Module) for thing in gc.get_objects())


def test_without_its_library(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pygls'] = None; sys.modules['pygls.lsp.server'] = None\n"
        "from gotcha_lint.cli import main; sys.exit(main(['--server']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "pip install '.[server]'" in done.stderr
